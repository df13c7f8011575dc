// The tabs of the page. The arrow keys, Home and End change the tab while a tab has the focus.

import { byId } from "./elements.js";

export class Tabs {
  /**
   * `list` contains the tabs (buttons with the role "tab"). Each tab names its panel with aria-controls. `onShow(name)` is
   * called when a tab is shown; the name is the tab's data-tab.
   */
  constructor(list, onShow) {
    /** @type {HTMLElement[]} */
    this.tabs = [...list.querySelectorAll("[role=tab]")];
    this.onShow = onShow;
    for (const tab of this.tabs) tab.addEventListener("click", () => this.show(tab.dataset.tab));
    list.addEventListener("keydown", event => this.keydown(event));
  }

  /** The name of the tab that is shown. */
  get shown() { return this.tabs.find(tab => tab.getAttribute("aria-selected") === "true").dataset.tab; }

  /** Show a tab. If there is no tab with this name, nothing changes. */
  show(name) {
    if (name === this.shown || !this.tabs.some(tab => tab.dataset.tab === name)) return;
    const panelOf = tab => byId(tab.getAttribute("aria-controls")); // several tabs may show the same panel
    const old = panelOf(this.tabs.find(tab => tab.dataset.tab === this.shown));
    if (old !== panelOf(this.tabs.find(tab => tab.dataset.tab === name)) && old.contains(document.activeElement)) this.tabs.find(tab => tab.dataset.tab === name).focus();
    for (const tab of this.tabs) {
      const isShown = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(isShown));
      tab.setAttribute("tabindex", isShown ? "0" : "-1");
      panelOf(tab).hidden = true;
    }
    const shown = this.tabs.find(tab => tab.dataset.tab === name);
    panelOf(shown).hidden = false;
    panelOf(shown).setAttribute("aria-labelledby", shown.id);
    this.onShow(name);
  }

  keydown(event) {
    const place = this.tabs.indexOf(event.target);
    const last = this.tabs.length - 1;
    const next = { ArrowLeft: place ? place - 1 : last, ArrowRight: place < last ? place + 1 : 0, Home: 0, End: last }[event.key];
    if (place < 0 || next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    this.show(this.tabs[next].dataset.tab);
    this.tabs[next].focus();
    event.preventDefault();
    event.stopPropagation(); // otherwise the arrow keys would also step through the game
  }
}
