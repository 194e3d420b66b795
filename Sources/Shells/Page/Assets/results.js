// The list of results: recordings, and the sightings of each in the order of time.
import { baseName, clock, count, element, folderName, hours, marked, visible } from "/format.js";

export class Results {
  // `choose` is called with a sighting to show, `play` and `forget` with a recording.
  constructor(list, { choose, play, forget }) {
    Object.assign(this, { list, play, forget });
    this.clear();
    list.addEventListener("click", (event) => {
      const row = event.target.closest("li.sighting");
      // The user is selecting text to copy it.
      if (row && (event.target.closest("button") || getSelection().isCollapsed)) choose(this.items[Number(row.dataset.index)], true);
    });
    // A click elsewhere closes open menus.
    document.addEventListener("click", (event) => {
      for (const menu of list.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
    });
    list.addEventListener("keydown", (event) => {
      const menu = event.key === "Escape" && event.target.closest("details.menu[open]");
      if (!menu) return;
      event.stopPropagation();
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }

  clear() {
    this.items = [];
    this.byKey = new Map();
    this.groups = new Map();
    this.chosen = null;
    this.list.replaceChildren();
  }

  // Adds sightings as they arrive, and keeps the existing ones.
  add(sightings, sources, query) {
    for (const sighting of sightings) {
      const source = sources.get(sighting.source);
      if (!source || this.find(`${source.id}-${sighting.id}`)) continue;
      const group = this.groups.get(source.id) ?? this.begin(source);
      const item = { ...sighting, media: group.source, key: `${source.id}-${sighting.id}`, index: this.items.length };
      item.row = this.row(item, query);
      this.items.push(item);
      this.byKey.set(item.key, item);
      group.items.push(item);
      // They arrive in the order of their ends, but users look for them in the order of their beginnings.
      const before = group.items.length > 1 && group.items.at(-2).start > item.start
        ? group.items.find((other) => other.start > item.start)?.row : null;
      group.rows.insertBefore(item.row, before ?? null);
    }
    for (const group of this.groups.values()) {
      group.items.sort((a, b) => a.start - b.start || a.id - b.id);
      group.note.textContent = count(group.items.length, "sighting", "sightings");
      // Recordings with few sightings share a row.
      group.place.dataset.cards = group.items.length > 3 ? "many" : String(group.items.length);
    }
  }

  begin(source) {
    const rows = element("ol", { class: "sightings" });
    const note = element("span", { class: "count" });
    const folder = folderName(source.source);
    const facts = element("span", {}, factsOf(source));
    const head = element("div", { class: "head" },
      element("h2", { title: visible(source.source) }, element("bdi", {}, baseName(source.source))), note,
      element("p", { class: "folder" }, element("bdi", {}, folder), facts), this.menu(source));
    const place = element("li", { class: "recording" }, head, rows);
    this.list.append(place);
    const group = { source, place, rows, note, facts, items: [] };
    this.groups.set(source.id, group);
    return group;
  }

  // Reports which recordings are not in the index as they are now.
  report(missing) {
    const reasons = new Map(missing.map(({ source, reason }) => [source, reason]));
    for (const { source, facts } of this.groups.values()) {
      source.trouble = reasons.get(source.source);
      facts.textContent = factsOf(source);
    }
  }

  // The actions for a recording.
  menu(source) {
    const play = element("button", { type: "button" }, "Play from the beginning");
    const forget = element("button", { type: "button", class: "forget" }, "Forget this recording …");
    const menu = element("details", { class: "menu" }, element("summary", { "aria-label": `More about ${baseName(source.source)}`, title: "More" }, "⋯"),
      element("div", {}, source.file && !source.still ? play : null, forget));
    for (const [button, act] of [[play, this.play], [forget, this.forget]]) {
      button.addEventListener("click", () => {
        menu.open = false;
        // The button is gone with the menu: without this the focus would be nowhere when a dialog closes.
        menu.querySelector("summary").focus();
        act(source);
      });
    }
    return menu;
  }

  row(item, query) {
    const picture = item.media.file && element("img", {
      src: `/api/sightings/${item.key}/picture?${query}&around=1&box=1&width=320`,
      alt: "", loading: "lazy", decoding: "async", width: 160, height: 90,
    });
    if (picture) picture.addEventListener("error", () => picture.classList.add("missing"), { once: true });
    const time = item.media.still ? "picture" : clock(item.start, 1);
    const sure = Math.round(item.score * 100);
    // It has the meaning of the question, and need not contain its words.
    const isMeant = item.kind === "meaning";
    // The text is beside the button, so that it can be selected and copied.
    const button = element("button", { type: "button", class: "thumb", "aria-label": `${item.media.still ? "Show" : "Play"} ${visible(item.text)}, ${time}` }, picture || "No picture");
    const card = element("div", { class: picture ? "card" : "card plain" }, button,
      element("p", { class: "text", title: item.line.length > 60 ? item.line : null }, isMeant ? "≈ " : "", ...marked(item.line, item.text, 40)),
      element("p", { class: "facts" },
        element("span", { class: "time" }, time),
        item.media.still ? null : element("span", {}, lasting(item.end - item.start)),
        // Certain matches need no note.
        sure < 100 ? element("span", { class: "score", title: isMeant ? "So many of the lines this close to the question mean it" : "How well the text fits the search" }, `${sure} % sure`) : null));
    return element("li", { class: "sighting", "data-index": item.index, "data-key": item.key }, card);
  }

  // Marks the sighting that the player shows.
  mark(item, focus) {
    this.chosen?.row.classList.remove("chosen");
    this.chosen?.row.querySelector("button").removeAttribute("aria-current");
    this.chosen = item;
    if (!item) return;
    item.row.classList.add("chosen");
    item.row.querySelector("button").setAttribute("aria-current", "true");
    if (focus) item.row.querySelector("button").focus({ preventScroll: true });
    item.row.scrollIntoView({ block: "nearest" });
    // Rows that come into view may be higher than estimated.
    requestAnimationFrame(() => { if (this.chosen === item) item.row.scrollIntoView({ block: "nearest" }); });
  }

  // The items in their order on the page.
  get ordered() { return [...this.groups.values()].flatMap((group) => group.items); }

  neighbor(step) {
    const all = this.ordered;
    if (!all.length) return null;
    const at = this.chosen ? all.indexOf(this.chosen) : step > 0 ? -1 : all.length;
    return all[Math.min(all.length - 1, Math.max(0, at + step))];
  }

  inRecording(id) { return this.groups.get(id)?.items ?? []; }
  find(key) { return this.byKey.get(key) ?? null; }
}

function factsOf(source) { return [source.still ? "picture" : hours(source.seconds), source.trouble].filter(Boolean).join(" · "); }

function lasting(seconds) { return seconds < 10 ? `${seconds.toFixed(1)} s` : hours(seconds); }
