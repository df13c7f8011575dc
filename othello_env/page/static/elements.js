// Functions that make HTML and SVG elements.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {HTMLElement & {value: string, checked: boolean, disabled: boolean, options: HTMLOptionsCollection, showModal(): void, close(): void}} Control */

/** The element of the page with this id. Most of these elements are controls. @returns {Control} */
export const byId = id => /** @type {Control} */ (document.getElementById(id));

/** An HTML element with attributes and children. A child that is text is shown as plain text, never read as HTML. */
export const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/** A button with a text. `onClick()` is called for a click. */
export function button(text, onClick, attributes = {}) {
  const made = html("button", attributes, text);
  made.addEventListener("click", onClick);
  return made;
}

/** A cell in the head of a table. */
export const headCell = (text, attributes = {}) => html("th", { scope: "col", ...attributes }, text);

/** A table of the cells of its head and its rows. */
export const tableOf = (head, rows, attributes = {}) => html("table", attributes, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows));

/** An SVG element with attributes and children. */
export const svg = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

/** The SVG element from the text of an SVG document, without a width and height of its own. @returns {SVGSVGElement} */
export function svgOf(text) {
  const parsed = /** @type {unknown} */ (new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
  const root = document.adoptNode(/** @type {SVGSVGElement} */ (parsed));
  root.removeAttribute("width");
  root.removeAttribute("height");
  return root;
}

/**
 * Add attributes and children to an element, and return it. An attribute that is null or undefined is left out.
 * @template {Element} T
 * @param {T} element
 * @param {Object<string, string | number | null | undefined>} attributes
 * @param {(Node | string)[]} children
 * @returns {T}
 */
function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** A region that scrolls to the side if its content is wider than the page. */
export const wide = (label, ...children) => html("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label }, ...children);

/**
 * Replace the children of an element. A child that had the focus, and regions that were scrolled, are found again by their
 * labels, so that a person notices only what is new.
 */
export function renew(parent, ...children) {
  const labelled = () => [.../** @type {NodeListOf<HTMLElement>} */ (parent.querySelectorAll("[aria-label]"))];
  const name = element => element.getAttribute("aria-label");
  const focused = labelled().find(element => element === document.activeElement);
  const scrolled = new Map(labelled().filter(({ scrollLeft }) => scrollLeft).map(element => [name(element), element.scrollLeft]));
  parent.replaceChildren(...children);
  for (const element of labelled()) {
    if (scrolled.has(name(element))) element.scrollLeft = scrolled.get(name(element));
  }
  if (focused) labelled().find(element => name(element) === name(focused))?.focus({ preventScroll: true });
}

/**
 * Replace only those children of an element that are different now. The others stay, so that a press of the mouse on them
 * becomes a click even if the list is drawn again before the button is released.
 */
export function renewChanged(parent, ...children) {
  children.forEach((child, index) => {
    const old = parent.children[index];
    if (!old) parent.append(child);
    else if (!old.isEqualNode(child)) old.replaceWith(child);
  });
  while (parent.children.length > children.length) parent.lastElementChild.remove();
}

/** A small picture of a player's disc. */
export function discIcon(player) {
  return svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("circle", { cx: 16, cy: 17.5, r: 14, fill: "#000", "fill-opacity": .25 }),
    svg("circle", { cx: 16, cy: 16, r: 14, fill: `url(#${player.gradient})`, stroke: player.light, "stroke-opacity": .35 }));
}
