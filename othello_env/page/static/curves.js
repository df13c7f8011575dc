// The learning curves of the watched folder. They grow while the training runs.

import { bands, groupOf, linesOf, quantities } from "./bands.js";
import { byId, html, renew } from "./elements.js";
import { plot, styleOf } from "./plot.js";

/** Show the learning curves of runs. A person chooses the quantity and the axis in two lists on the page. */
export function showCurves(runs, isWatched) {
  const known = quantities(runs);
  const names = [...known.keys()];
  const quantity = byId("run-quantity");
  if (String([...quantity.options].map(option => option.value)) !== String(names)) {
    const chosen = quantity.value;
    quantity.replaceChildren(...names.map(name => html("option", { value: name }, name)));
    if (names.includes(chosen)) quantity.value = chosen;
  }
  byId("run-choice").hidden = !names.length;
  byId("runs-none").hidden = names.length > 0;
  byId("runs-none").textContent = isWatched ? "No file in the folder has a learning curve yet. Curves appear here when files have them."
    : "No folder is watched. With othello-env serve --runs FOLDER, the learning curves in the folder's JSON files appear here while a training writes them.";
  const chart = byId("runs-chart");
  if (!names.length) { chart.replaceChildren(); return; }
  const shown = known.get(quantity.value);
  const isLog = byId("run-axis").value === "log";
  renew(chart, plot({ label: `${shown.what}, ${shown.name},`, over: shown.over, isLog, width: chart.clientWidth, series: seriesOf(linesOf(runs, shown)) }));
}

/** Each run is a thin line. Each group of runs has a line for its mean, and an area for its interval. */
function seriesOf(lines) {
  return bands(lines).map(({ name, runs, points }, index) => ({
    ...styleOf(index),
    name: runs > 1 ? `${name} (mean of ${runs} runs, 95% interval)` : name,
    short: name,
    points: points.map(({ x, mean, low, high }) => ({ x, y: mean, low, high })),
    interval: /** @type {"band" | null} */ (runs > 1 ? "band" : null),
    runs: runs > 1 ? lines.filter(line => groupOf(line.name) === name).map(line => [...line.points].sort(([a], [b]) => a - b)) : [],
  }));
}
