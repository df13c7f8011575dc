// Ways to share games and positions: as text, as a picture or as a file.

import { get, send } from "./api.js";
import { html } from "./elements.js";

/** Save a file, and return its name. */
function saved(name, data) {
  const link = html("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return name;
}

const SIDE = 1024; // of a PNG, in pixels
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "display", "transform", "transform-box", "transform-origin"];

/** The picture of the board as it is seen: turned or not, with its marks and values. */
function pictureOf(root) {
  const copy = root.cloneNode(true);
  const places = [root, ...root.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, at) => {
    const style = getComputedStyle(places[at]);
    element.setAttribute("style", STYLES.map(name => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  for (const mark of copy.querySelectorAll(".focus, .pointed")) mark.remove();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", SIDE);
  copy.setAttribute("height", Math.round(SIDE * root.viewBox.baseVal.height / root.viewBox.baseVal.width));
  return new XMLSerializer().serializeToString(copy);
}

/** Save the position that is shown as an SVG or PNG, as it is seen. */
export async function savePosition(game, root, format) {
  const name = `${game.record.game.split(":")[0]}-${game.cursor}.${format}`;
  const text = pictureOf(root);
  if (format === "svg") return saved(name, new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = /** @type {HTMLCanvasElement} */ (html("canvas", { width: image.width, height: image.height }));
  canvas.getContext("2d").drawImage(image, 0, 0);
  return saved(name, await new Promise(resolve => canvas.toBlob(resolve)));
}

/** Save the game as a GIF. `values` has the values of the moves of each position for the first player, or is empty. */
export async function saveGif(game, isTurned, values) {
  const signed = (value, toMove) => game.players.length > 2 || toMove === 0 ? value : typeof value === "number" ? -value : value === "inf" ? "-inf" : "inf";
  const message = {
    record: game.record, isTurned,
    values: values.map((found, ply) => Object.fromEntries((found?.moves ?? []).filter(({ value }) => value !== null)
      .map(({ action, value }) => [action, signed(value, game.views[ply].toMove)]))),
  };
  return saved(`${game.record.game.split(":")[0]}.gif`, await (await send("gif", message)).blob());
}

/** Save the game, with the answers of agents about its positions, as one HTML file that needs no server. */
export async function saveGame({ game: { record, board, views }, names }, title, answers) {
  const { html: text } = await get("/api/template");
  const content = JSON.stringify({ spec: record.game, title, size: board.labels.length, board, game: { record: { ...record, agents: names }, views, answers } });
  const whole = text.replace("<!--title-->", () => title).replace("<!--content-->", () => content.replaceAll("<", "\\u003c"));
  return saved(`${record.game.split(":")[0]}.html`, new Blob([whole], { type: "text/html" }));
}
