// The list of what was found: recordings, and in each its sightings in the order of time.
import { baseName, clock, count, element, folderName, hours } from "/format.js";

export class Results {
  constructor(list, choose, forget) {
    this.list = list;
    this.forget = forget;
    this.choose = choose;
    this.clear();
    list.addEventListener("click", (event) => {
      const row = event.target.closest("li.sighting");
      if (row) choose(this.items[Number(row.dataset.index)], true);
    });
  }

  clear() {
    this.items = [];
    this.groups = new Map();
    this.chosen = null;
    this.list.replaceChildren();
  }

  // Adds sightings as they come.
  add(sightings, sources, query) {
    for (const sighting of sightings) {
      const source = sources.get(sighting.source);
      if (!source) continue;
      const group = this.groups.get(source.id) ?? this.begin(source);
      const item = { ...sighting, media: source, key: `${source.id}-${sighting.id}`, index: this.items.length };
      item.row = this.row(item, query);
      this.items.push(item);
      group.items.push(item);
      // Told in the order in which they are over; a person looks for them as they begin.
      const before = group.items.length > 1 && group.items.at(-2).start > item.start
        ? group.items.find((other) => other.start > item.start)?.row : null;
      group.rows.insertBefore(item.row, before ?? null);
    }
    for (const group of this.groups.values()) {
      group.items.sort((a, b) => a.start - b.start || a.id - b.id);
      group.note.textContent = count(group.items.length, "sighting", "sightings");
    }
  }

  begin(source) {
    const rows = element("ol", { class: "sightings" });
    const note = element("span", { class: "count" });
    const folder = folderName(source.source);
    const facts = [source.still ? "picture" : hours(source.seconds), source.trouble].filter(Boolean).join(" · ");
    const head = element("div", { class: "head" },
      element("h2", { title: source.source }, baseName(source.source)), note, this.forgetting(source),
      element("p", { class: "folder" }, element("bdi", {}, folder), element("span", {}, facts)));
    this.list.append(element("li", { class: "recording" }, head, rows));
    const group = { source, rows, note, items: [] };
    this.groups.set(source.id, group);
    return group;
  }

  forgetting(source) {
    const button = element("button", { type: "button", class: "forget", "aria-label": `Forget ${baseName(source.source)} …` }, "Forget …");
    button.addEventListener("click", () => this.forget(source));
    return button;
  }

  row(item, query) {
    const picture = element("img", {
      src: `/api/sightings/${item.key}/picture?${query}&around=1&box=1&width=320`,
      alt: "", loading: "lazy", decoding: "async", width: 160, height: 90,
    });
    picture.addEventListener("error", () => picture.classList.add("missing"), { once: true });
    const time = item.media.still ? "picture" : clock(item.start, 1);
    const sure = Math.round(item.score * 100);
    const button = element("button", { type: "button" },
      element("span", { class: "thumb" }, picture),
      element("span", { class: "text" }, ...marked(item.line, item.text)),
      element("span", { class: "facts" },
        element("span", { class: "time" }, time),
        item.media.still ? null : element("span", {}, lasting(item.end - item.start)),
        element("span", { class: "score", title: "How sure the match is" }, element("span", { class: "hidden" }, "sure "), `${sure} %`)));
    return element("li", { class: "sighting", "data-index": item.index, "data-key": item.key }, button);
  }

  // Marks what is shown in the player.
  mark(item, focus) {
    this.chosen?.row.classList.remove("chosen");
    this.chosen?.row.firstChild.removeAttribute("aria-current");
    this.chosen = item;
    if (!item) return;
    item.row.classList.add("chosen");
    item.row.firstChild.setAttribute("aria-current", "true");
    if (focus) item.row.firstChild.focus({ preventScroll: true });
    item.row.scrollIntoView({ block: "nearest" });
  }

  // The items as they stand on the page.
  get ordered() { return [...this.groups.values()].flatMap((group) => group.items); }

  neighbor(step) {
    const all = this.ordered;
    if (!all.length) return null;
    const at = this.chosen ? all.indexOf(this.chosen) : step > 0 ? -1 : all.length;
    return all[Math.min(all.length - 1, Math.max(0, at + step))];
  }

  inRecording(id) { return this.groups.get(id)?.items ?? []; }
  find(key) { return this.items.find((item) => item.key === key) ?? null; }
}

function lasting(seconds) { return seconds < 10 ? `${seconds.toFixed(1)} s` : hours(seconds); }

// The line with what matched in it marked.
function marked(line, text) {
  const at = line.indexOf(text);
  if (at < 0 || !text) return [line];
  return [line.slice(0, at), element("mark", {}, text), line.slice(at + text.length)];
}
