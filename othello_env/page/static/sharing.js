// Ways to share games and positions: as text, as a link, as a picture or as a file.

import { send } from "./api.js";
import { html } from "./elements.js";

/** The names of a game's moves in its notation. Passes are left out, and a chain of jumps in checkers is one move. */
export function namesOf(views, game) {
  const names = [];
  for (let ply = 1; ply < views.length; ply += 1) {
    if (views[ply - 1].mustPass) continue;
    const [from, to] = views[ply].move.split("x");
    const goesOn = to !== undefined && ply > 1 && views[ply - 2].toMove === views[ply - 1].toMove && names.at(-1)?.endsWith(`x${from}`);
    if (game === "checkers" && goesOn) names[names.length - 1] += `x${to}`;
    else names.push(views[ply].move);
  }
  return names;
}

/** A link with a game and the ply that is shown. Both are in the fragment, which browsers do not send to servers. */
export function linkOf({ board, record, views, cursor }, address) {
  const fields = new URLSearchParams({ game: record.game });
  if (record.position) {
    fields.set("position", record.position.text);
    fields.set("player", record.position.player);
  } else if (board.isRandom) {
    fields.set("seed", String(record.seed));
  }
  fields.set("moves", namesOf(views, record.game).join(record.game.startsWith("othello") ? "" : " "));
  fields.set("ply", String(cursor));
  return `${address.split("#")[0]}#${fields}`;
}

/** The ply in a link that the page wrote, or null. */
export function plyOf(link) {
  const ply = new URLSearchParams(link.split("#")[1] ?? "").get("ply");
  return ply !== null && /^\d{1,4}$/.test(ply) ? Number(ply) : null;
}

/** Put a text on the clipboard. Return false if the browser does not allow this. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Save the game (GIF, HTML) or the position that is shown (PNG, SVG) as a file. Return the file's name. */
export async function save(game, format) {
  const isPosition = format === "png" || format === "svg";
  const record = isPosition ? game.recordAt() : game.record;
  const name = `${record.game.split(":")[0]}${isPosition ? `-${game.cursor}` : ""}.${format}`;
  const blob = await (await send("replay", { record, format })).blob();
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return name;
}
