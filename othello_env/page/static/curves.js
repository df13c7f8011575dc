// The learning curves of the watched folder. They grow while the training runs.

import { bands, firstOf, groupOf, linesOf, mostOf, quantities } from "./bands.js";
import { byId, html, renew } from "./elements.js";
import { plot, styleOf, swatch } from "./plot.js";

export class Curves {
  constructor() {
    this.runs = [];
    this.isWatched = false;
    /** @type {Set<string>} */
    this.hidden = new Set(); // the names of the groups of runs that a person has hidden
    /** @type {number[] | null} */
    this.zoom = null; // the part of the axis that is shown
    this.styles = new Map(); // the colour and the dashes of each group of runs
    for (const id of ["run-quantity", "run-over", "run-scale"]) byId(id).addEventListener("change", () => this.zoomTo(null));
    byId("run-whole").addEventListener("click", () => this.zoomTo(null));
    byId("run-name").addEventListener("change", () => this.showSettings());
  }

  zoomTo(part) {
    this.zoom = part;
    this.show(this.runs, this.isWatched);
  }

  /** Show the learning curves of runs. Lists on the page choose the quantity and the axis. */
  show(runs, isWatched) {
    Object.assign(this, { runs, isWatched });
    const known = quantities(runs);
    const has = known.size > 0;
    byId("run-choice").hidden = !has;
    byId("runs-none").hidden = has;
    byId("runs-none").textContent = isWatched ? "No file in the folder has a learning curve yet. Curves appear here when files have them."
      : "No folder is watched. With othello-env serve --runs FOLDER, the learning curves in the folder's JSON files appear here while a training writes them.";
    this.showSettings();
    if (!has) { byId("runs-chart").replaceChildren(); byId("runs-key").replaceChildren(); return; }
    const quantity = fill("run-quantity", [...known.keys()], firstOf(known));
    const { axes } = known.get(quantity);
    const over = fill("run-over", [...axes.keys()], mostOf(axes));
    const series = this.seriesOf(linesOf(runs, quantity, over));
    const shown = series.filter(({ short }) => !this.hidden.has(short));
    const chart = byId("runs-chart");
    byId("run-whole").hidden = !this.zoom;
    renew(chart, plot({
      label: quantity.startsWith("against") ? `score ${quantity}` : quantity, over, isLog: byId("run-scale").value === "log", width: chart.clientWidth, series: shown, hasKey: false, zoom: this.zoom,
      onZoom: (from, to) => this.zoomTo([from, to]),
    }));
    renew(byId("runs-key"), ...series.map(each => this.keyEntry(each)));
  }

  /** The style of a group of runs. It stays the same, whatever is shown later. */
  styleOf(name) {
    if (!this.styles.has(name)) this.styles.set(name, styleOf(this.styles.size));
    return this.styles.get(name);
  }

  /** Each run is a thin line. Each group of runs has a line for its mean, and an area for its interval. */
  seriesOf(lines) {
    return bands(lines).map(({ name, runs, points }) => ({
      ...this.styleOf(name),
      name: runs > 1 ? `${name} (mean of ${runs} runs, 95% interval)` : name,
      short: name,
      points: points.map(({ x, mean, low, high }) => ({ x, y: mean, low, high })),
      interval: /** @type {"band" | null} */ (runs > 1 ? "band" : null),
      runs: runs > 1 ? lines.filter(line => groupOf(line.name) === name).map(line => [...line.points].sort(([a], [b]) => a - b)) : [],
    }));
  }

  /** A box that shows or hides a group of runs. */
  keyEntry({ name, short, colour, dashes }) {
    const box = html("input", { type: "checkbox", "aria-label": name });
    box.checked = !this.hidden.has(short);
    box.addEventListener("change", () => {
      if (box.checked) this.hidden.delete(short);
      else this.hidden.add(short);
      this.show(this.runs, this.isWatched);
    });
    return html("label", {}, box, swatch({ colour, dashes }), name);
  }

  /** Show the settings of the chosen run, as its file has them. */
  showSettings() {
    const told = this.runs.filter(({ settings }) => Object.keys(settings).length);
    byId("runs-settings").hidden = !told.length;
    if (!told.length) return;
    const name = fill("run-name", told.map(run => run.name), told[0].name);
    const { settings } = told.find(run => run.name === name);
    byId("run-values").replaceChildren(...Object.entries(settings).flatMap(([key, text]) => [html("dt", {}, key), html("dd", {}, text)]));
  }
}

/** Fill a list, and return its choice: the earlier one, or `first`. @param {string[]} names */
function fill(id, names, first) {
  const select = byId(id);
  if (String([...select.options].map(option => option.value)) !== String(names)) {
    const chosen = select.value;
    select.replaceChildren(...names.map(name => html("option", { value: name }, name)));
    select.value = names.includes(chosen) ? chosen : first;
  }
  return select.value;
}
