// The learning curves of the watched folder. They grow while the training runs. The axis is linear or logarithmic, and the
// values under the pointer are shown.

import { get } from "./api.js";
import { axis, bands, groupOf, linesOf, quantities, valueAt } from "./bands.js";
import { byId, html, pathThrough, svg } from "./elements.js";
import { tickText, ticks } from "./values.js";

const COLOURS = ["var(--accent)", "var(--second)", "#5577c8", "#a8539b", "#8a8a2a", "#4a9aa8"];
const POLL_MS = 3000;
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 340, 58, 12, 14, 26];

/** If a folder is watched, show the button that opens the dialog of the runs. */
export async function setUpRuns() {
  let runs = (await get("/api/runs"))?.runs ?? null;
  byId("runs").hidden = runs === null;
  if (runs === null) return;
  const quantity = byId("run-quantity");
  let shown = "";
  const show = () => {
    const known = quantities(runs);
    const names = [...known.keys()];
    if (String(names) !== shown) {
      const chosen = quantity.value;
      quantity.replaceChildren(...names.map(name => html("option", { value: name }, name)));
      if (names.includes(chosen)) quantity.value = chosen;
      shown = String(names);
    }
    byId("runs-none").hidden = names.length > 0;
    byId("runs-chart").replaceChildren(...(names.length ? [chart(linesOf(runs, known.get(quantity.value)), known.get(quantity.value), byId("run-axis").value === "log")] : []));
  };
  for (const id of ["run-quantity", "run-axis"]) byId(id).addEventListener("change", show);
  byId("runs").addEventListener("click", () => { show(); byId("runs-dialog").showModal(); });
  setInterval(async () => {
    if (!byId("runs-dialog").hasAttribute("open")) return;
    const text = JSON.stringify(runs);
    runs = (await get("/api/runs")).runs;
    if (JSON.stringify(runs) !== text) show();
  }, POLL_MS);
}

/** A chart of one quantity. Each run is a thin line. Each group has a thick line for its mean, and an area for its interval. */
function chart(lines, { what, over, name }, isLog) {
  const groups = bands(lines);
  const isScore = lines.every(({ points }) => points.every(([, y]) => y >= 0 && y <= 1));
  const across = axis(lines.flatMap(({ points }) => points.map(([x]) => x)), isLog);
  const all = lines.flatMap(({ points }) => points.map(([, y]) => y));
  const up = isScore ? [0, .25, .5, .75, 1] : ticks(Math.min(...all), Math.max(...all, Math.min(...all) + 1e-6), 5);
  const scale = value => isLog ? Math.log10(Math.max(value, across[0])) : value;
  const [first, last] = [scale(across[0]), scale(across.at(-1))];
  const x = at => LEFT + (WIDTH - LEFT - RIGHT) * (scale(at) - first) / (last - first);
  const y = value => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (Math.max(up[0], Math.min(up.at(-1), value)) - up[0]) / (up.at(-1) - up[0]);
  const text = (attributes, content) => svg("text", { "font-size": 13, fill: "currentColor", ...attributes }, content);
  const rule = (more) => svg("line", { stroke: "currentColor", "stroke-opacity": .18, ...more });
  const colour = group => COLOURS[groups.findIndex(each => each.name === group) % COLOURS.length];
  const drawn = groups.flatMap(({ name: group, runs, points }) => [
    ...(runs > 1 ? [svg("path", {
      class: "band", "data-group": group, fill: colour(group), "fill-opacity": .16,
      d: `${pathThrough([...points.map(({ x: at, high }) => [x(at), y(high)]), ...points.map(({ x: at, low }) => [x(at), y(low)]).reverse()])}Z`,
    })] : []),
    svg("path", { class: "mean", "data-group": group, fill: "none", stroke: colour(group), "stroke-width": 2.5, d: pathThrough(points.map(({ x: at, mean }) => [x(at), y(mean)])) }),
  ]);
  const thin = groups.flatMap(({ name: group, runs }) => runs < 2 ? [] : lines.filter(line => groupOf(line.name) === group)
    .map(({ points }) => svg("path", { fill: "none", stroke: colour(group), "stroke-opacity": .35, d: pathThrough(points.map(([at, value]) => [x(at), y(value)])) })));
  const pointer = rule({ y1: TOP, y2: HEIGHT - BOTTOM, "stroke-opacity": .6, visibility: "hidden" });
  const readout = html("p", { class: "faint", id: "run-read" });
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${what}, ${name}, over ${over}` },
    ...up.flatMap(value => [rule({ x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
      text({ x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, isScore ? `${100 * value}%` : tickText(value))]),
    ...across.map(at => text({ x: x(at), y: HEIGHT - 6, "text-anchor": "middle" }, tickText(at))),
    ...thin, ...drawn, pointer);
  picture.addEventListener("pointermove", event => {
    const box = picture.getBoundingClientRect();
    const along = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    const raw = first + Math.max(0, Math.min(1, along)) * (last - first);
    const at = isLog ? 10 ** raw : raw;
    for (const end of ["x1", "x2"]) pointer.setAttribute(end, String(x(at)));
    pointer.setAttribute("visibility", "visible");
    readout.textContent = `${tickText(Number(at.toPrecision(3)))} ${over}: ` + groups.flatMap(({ name: group, points }) => {
      const mean = valueAt(points.map(point => [point.x, point.mean]), at);
      return mean === null ? [] : [`${group} ${isScore ? `${(100 * mean).toFixed(1)}%` : tickText(Number(mean.toPrecision(4)))}`];
    }).join(", ");
  });
  const key = groups.map(({ name: group, runs }) => html("li", {}, svg("svg", { viewBox: "0 0 20 10", "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 20, y1: 5, y2: 5, stroke: colour(group), "stroke-width": 4 })), runs > 1 ? `${group} (mean of ${runs} runs, 95% interval)` : group));
  return html("figure", {}, picture, readout, html("figcaption", {}, `${what}, ${name}, over ${over}`, html("ul", { class: "key" }, ...key)));
}
