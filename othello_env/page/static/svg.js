// SVG elements.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children; text stays text. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** An HTML element, likewise. */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** A shaded disc in a box of its own. */
export function discIcon(player, index) {
  return svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("circle", { cx: 16, cy: 17.5, r: 14, fill: "#000", "fill-opacity": .25 }),
    svg("circle", { cx: 16, cy: 16, r: 14, fill: `url(#shade-${index})`, stroke: player.light, "stroke-opacity": .35 }));
}
