// The cameras: a tile for each, and a list of sightings.
import { all } from "/api.js";
import { clock, count, element, marked, shortName, visible } from "/format.js";
import { bestCodec, readStream, takeSlot } from "/stream.js";
import { Tile } from "/tile.js";

const MOST = 200;

export class Live {
  // `search` is called with a word to search the index for, `heard` with the watched words, `locked` if the page needs
  // its key.
  constructor({ tiles, events, status, empty }, { search, heard, locked }) {
    Object.assign(this, { list: tiles, events, status, empty, search, heard, locked });
    this.tiles = new Map();
    this.rows = new Map();
    this.codec = null;
    this.isShown = false;
    document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.resume()));
    addEventListener("focus", () => { if (this.isShown && !this.running) this.resume(); });
  }

  // Requests the watched sources; none if the server was started without a camera.
  async sources(signal) {
    const objects = await all("/api/watches", signal);
    this.words = objects.find((object) => object.type === "words");
    this.watched = objects.filter((object) => object.type === "watched");
    this.remembers = this.watched.some((each) => each.remembered);
    return this.watched;
  }

  show() {
    if (this.isShown) return;
    this.isShown = true;
    for (const each of this.watched) {
      if (this.tiles.has(each.id)) continue;
      const tile = new Tile(each.id, each.source, (what) => this.troubled(what));
      tile.state(each.state, each.message);
      this.tiles.set(each.id, tile);
      this.list.append(tile.row);
    }
    this.list.dataset.count = String(this.tiles.size);
    this.resume();
  }

  hide() { this.isShown = false; this.pause(); }

  // MARK: The stream

  async resume(steals = false) {
    if (!this.isShown || this.running || document.hidden) return;
    const running = new AbortController();
    this.running = running;
    const release = await takeSlot(() => { if (this.running === running) this.pause("taken"); }, steals);
    if (!release) { this.running = null; return this.say("taken"); }
    running.signal.addEventListener("abort", release);
    // The user left the view while it waited.
    if (running.signal.aborted || this.running !== running) return release();
    this.say("");
    let pause = 500;
    while (!running.signal.aborted) {
      let hasBegun = false;
      try {
        this.codec ??= new URLSearchParams(location.search).get("codec") === "jpeg" ? "jpeg" : await bestCodec();
        this.attempt = new AbortController();
        const signal = AbortSignal.any([running.signal, this.attempt.signal]);
        this.isNew = true;
        await readStream(this.codec, this.size(), signal, (record) => {
          if (!hasBegun) { hasBegun = true; pause = 500; this.say(""); }
          this.take(record);
        });
      } catch (problem) {
        if (running.signal.aborted) break;
        if (problem.status === 401) { this.say(""); this.locked(problem); break; }
      }
      for (const tile of this.tiles.values()) { tile.close(); tile.clearBoxes(); }
      if (running.signal.aborted) break;
      if (this.attempt.signal.aborted) continue;
      this.say("gone");
      await new Promise((done) => setTimeout(done, pause));
      pause = Math.min(5000, pause * 2);
    }
    release();
    if (this.running === running) this.running = null;
  }

  pause(why = "") {
    this.running?.abort();
    this.running = null;
    for (const tile of this.tiles.values()) { tile.close(); tile.clearBoxes(); }
    if (this.isShown) this.say(why);
  }

  // Large pictures for one camera, small ones for many.
  size() { return this.tiles.size > 4 ? 640 : this.tiles.size > 1 ? 960 : 1280; }

  troubled(what) {
    this.troubles = (this.troubles ?? 0) + 1;
    // A decoder that fails repeatedly is not used.
    if (what === "decoder" && this.troubles > 2) this.codec = "jpeg";
    this.attempt?.abort();
  }

  say(what) {
    this.list.dataset.stream = what || "on";
    if (!what) return this.empty.replaceChildren();
    const texts = {
      taken: ["Cameras are shown in other tabs", "A browser shows them in a few tabs at a time."],
      gone: ["The server does not answer", "Is 'framegrep serve' still running? The page keeps trying."],
    };
    const [title, text] = texts[what];
    this.empty.replaceChildren(element("h2", {}, title), element("p", {}, text));
    if (what === "taken") {
      const button = element("button", { type: "button" }, "Show them here");
      button.addEventListener("click", () => this.resume(true));
      this.empty.append(button);
    }
    return undefined;
  }

  take(record) {
    const tile = this.tiles.get(record.source);
    if (record.kind !== "event") return tile?.take(record);
    const event = record.head;
    switch (event.type) {
      case "words":
        // The first event of a stream: later ones repeat everything from the beginning.
        if (this.isNew) { this.isNew = false; this.events.replaceChildren(); this.rows.clear(); this.began = performance.now(); this.told = 0; this.tell(); }
        this.words = event;
        return this.heard(event);
      case "state": return tile?.state(event.state, event.message);
      case "stats": return tile?.stats(event);
      case "warning": return tile?.warn(event);
      case "appeared": return this.appeared(event, record.source, tile);
      case "disappeared": return this.disappeared(event, record.source);
      default: return undefined;
    }
  }

  // MARK: Sightings

  appeared(event, source, tile) {
    // Events at the beginning are about earlier sightings.
    const isNew = performance.now() - this.began > 400;
    const time = new Date(event.wall);
    const length = element("span", { class: "length" }, "in view");
    const text = element("span", { class: "text" }, event.kind === "meaning" ? "≈ " : "", ...marked(event.line, event.text));
    const facts = element("span", { class: "facts" },
      element("time", { datetime: event.wall, title: time.toLocaleString() }, time.toLocaleTimeString()), length,
      this.tiles.size > 1 ? element("span", { class: "where", title: tile?.name }, shortName(tile?.name ?? "")) : null);
    const thumb = element("span", { class: "thumb" });
    const inside = [thumb, text, facts];
    const find = this.remembers ? element("button", { type: "button", class: "quiet", title: `Search for '${visible(event.pattern)}' in everything that was read` }, "Find") : null;
    find?.addEventListener("click", () => this.search(event.pattern));
    if (find) facts.append(find);
    const row = element("li", { class: "seen plain" }, element("div", {}, ...inside));
    if (find) row.addEventListener("click", (clicked) => { if (clicked.target !== find && getSelection().isCollapsed) find.click(); });
    // Earlier events do not show whether it is still in view; only a frame with its box does.
    if (!isNew) { length.textContent = ""; row.classList.add("over"); }
    tile?.watchFor(event.id, (picture) => {
      thumb.append(picture);
      row.classList.remove("plain");
      if (!isNew && this.rows.has(`${source}-${event.id}`)) { length.textContent = "in view"; row.classList.remove("over"); }
    });
    this.events.prepend(row);
    this.rows.set(`${source}-${event.id}`, { row, length, time });
    while (this.events.children.length > MOST) this.events.lastChild.remove();
    while (this.rows.size > MOST) this.rows.delete(this.rows.keys().next().value);
    this.told += 1;
    this.tell(isNew ? `${event.text} appeared` : "");
  }

  disappeared(event, source) {
    const known = this.rows.get(`${source}-${event.id}`);
    if (!known) return;
    this.rows.delete(`${source}-${event.id}`);
    known.row.classList.add("over");
    const seconds = event.end - event.start;
    known.length.textContent = `for ${seconds < 60 ? `${seconds.toFixed(1)} s` : clock(seconds)}`;
  }

  tell(what = "") {
    const words = this.words?.q?.length ? "" : "Type a word to watch for.";
    this.status.textContent = [this.told ? `${count(this.told, "sighting", "sightings")}` : words || "Nothing has appeared yet.", what].filter(Boolean).join(" · ");
  }
}
