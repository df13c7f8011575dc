// Choosing an agent, and setting the numbers in its spec, such as depth, time, temperature or simulations.

import { html } from "./elements.js";

const UNITS = { depth: "plies", ms: "milliseconds a move", exact: "empty squares", epsilon: "share of random moves" };

/** The spec of an offer with the numbers in `values`. The numbers are texts; "" stands for the agent's default. */
export function specOf(offer, values) {
  if (offer.settings.every(({ name, value }) => (values[name] ?? "") === value)) return offer.spec;
  const numbers = offer.settings.filter(({ name }) => values[name]).map(({ name }) => `${name}=${values[name]}`);
  const parts = [...offer.fixed, ...numbers];
  return offer.head + (parts.length ? `:${parts.join(",")}` : "");
}

/** The numbers in a spec; null if the offer does not allow this spec. */
export function numbersOf(offer, spec) {
  if (spec === offer.spec) return Object.fromEntries(offer.settings.map(({ name, value }) => [name, value]));
  const bare = [offer.head, ...(offer.fixed.length ? [offer.fixed.join(",")] : [])].join(":");
  if (spec === bare) return {};
  const start = bare + (offer.fixed.length ? "," : ":");
  if (!spec.startsWith(start)) return null;
  const pairs = spec.slice(start.length).split(",").map(part => part.split("="));
  const names = offer.settings.map(({ name }) => name);
  return pairs.every(([name, value]) => names.includes(name) && value) ? Object.fromEntries(pairs) : null;
}

/** The offer that allows a spec; undefined if no offer does. */
export function offerOf(agents, spec) {
  const exact = agents.find(agent => agent.spec === spec);
  return exact ?? agents.find(agent => numbersOf(agent, spec) !== null);
}

/** What is known of an agent's strength in a game: a word, and its rating on the packaged ladder. `more` is a further word. */
export function strengthOf({ label, elo }, game, more = "") {
  const told = [label, game in elo ? `${elo[game]} Elo` : "", more].filter(Boolean).join(", ");
  return told ? ` (${told})` : "";
}

/** Choose a spec in a list of specs. A spec with changed numbers may not be in the list. Then add it. */
export function choose(select, spec) {
  if (![...select.options].some(option => option.value === spec)) {
    select.querySelector("[data-own]")?.remove();
    select.append(html("option", { value: spec, "data-own": "" }, spec));
  }
  select.value = spec;
}

/**
 * A part of the page that can be opened, with inputs for the numbers of the agent that is chosen in a list. When a person
 * changes a number, the new spec is chosen in the list, and `onSpec()` is called. The options in `left` have no input.
 */
export function settingsFor(select, agents, onSpec = () => {}, left = []) {
  const fold = html("details", { class: "settings" });
  const fill = () => {
    const offer = offerOf(agents, select.value);
    const settings = (offer?.settings ?? []).filter(({ name }) => !left.includes(name));
    fold.hidden = !settings.length;
    if (fold.hidden) { fold.replaceChildren(); return; }
    const values = numbersOf(offer, select.value);
    const inputs = settings.map(({ name, least, most, isInteger }) => html("label", {}, UNITS[name] ? `${name} (${UNITS[name]})` : name,
      html("input", {
        type: "number", name: `${select.name || select.id}-${name}`, min: least, max: most, step: isInteger ? 1 : "any",
        value: values[name] ?? "", placeholder: "default", "data-setting": name,
      })));
    fold.replaceChildren(html("summary", {}, `set up ${offer.head}`), html("div", { class: "numbers" }, ...inputs));
  };
  fold.addEventListener("change", event => {
    event.stopPropagation();
    const inputs = [...fold.querySelectorAll("input")];
    if (inputs.some(input => !input.reportValidity())) return;
    const offer = offerOf(agents, select.value);
    const spec = specOf(offer, Object.fromEntries(inputs.map(input => [input.dataset.setting, input.value])));
    choose(select, spec);
    onSpec();
  });
  select.addEventListener("change", fill);
  fold.fill = fill;
  fill();
  return fold;
}
