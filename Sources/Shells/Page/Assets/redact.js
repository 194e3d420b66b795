// The plan of what would be hidden in the shown recording, the places excluded from it, and the redacted copy.
import { all, ask, json } from "/api.js";
import { clock, count } from "/format.js";

const PAUSE = 700;

export class Redaction {
  // `query` returns the current search.
  constructor(parts, player, query) {
    Object.assign(this, { parts, player, query, id: null, things: [], left: new Set(), place: null });
    parts.begin.addEventListener("click", () => { if (this.id) this.close(); else this.begin().catch((problem) => this.fail(problem)); });
    parts.write.addEventListener("click", () => this.write().catch((problem) => this.fail(problem)));
    parts.end.addEventListener("click", () => this.close());
    // Handle the click before the video does, which would play.
    player.parts.screen.addEventListener("click", (event) => this.pick(event), true);
  }

  async begin() {
    const { player, parts } = this;
    if (!player.source || player.source.still) return;
    if (!this.query()) { this.show("First search for what to hide."); return; }
    player.parts.video.pause();
    parts.begin.setAttribute("aria-pressed", "true");
    this.show("Looking for everything to hide; this reads the whole recording …");
    const begun = this.begun = Symbol("redaction");
    const answer = await this.post("/api/redactions", { source: player.source.id, query: this.query() });
    if (this.begun !== begun) { this.post(`/api/redactions/${answer.id}/end`).catch(() => {}); return; }
    this.id = answer.id;
    if (!await this.settled(begun)) return;
    this.things = things(await all(`/api/redactions/${this.id}/plan`));
    player.cover = (context, place, time) => this.draw(context, place, time);
    this.list();
    this.tell();
    player.draw(player.shown);
  }

  async write() {
    const begun = this.begun;
    this.parts.write.disabled = true;
    this.show(this.left.size ? "Writing the copy …" : "Writing the copy and searching it again …");
    await this.post(`/api/redactions/${this.id}/hide`, { without: [...this.left] });
    if (!await this.settled(begun)) return;
    this.show(this.left.size ? "The copy is ready. It was not searched again, because something in it stays visible." : "Searched again: nothing that this program can read is left.");
    this.parts.write.disabled = false;
    const link = document.createElement("a");
    link.href = `/api/redactions/${this.id}/copy`;
    link.download = "";
    link.click();
  }

  // Waits while work is in progress; returns false if the result is no longer wanted.
  async settled(begun) {
    for (;;) {
      const now = await json(`/api/redactions/${this.id}`);
      if (this.begun !== begun) return false;
      if (now.state === "failed") throw new Error(now.message);
      if (now.state === "planned" || now.state === "ready") return true;
      await new Promise((done) => { setTimeout(done, PAUSE); });
      if (this.begun !== begun) return false;
    }
  }

  async post(path, object = {}) {
    const answer = await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(object) });
    return answer.status === 204 ? {} : answer.json();
  }

  fail(problem) {
    this.show(problem.message);
    this.parts.write.disabled = !this.things.length;
  }

  close() {
    if (this.id) this.post(`/api/redactions/${this.id}/end`).catch(() => {});
    Object.assign(this, { id: null, begun: null, things: [], left: new Set() });
    this.player.cover = null;
    this.parts.begin.setAttribute("aria-pressed", "false");
    this.parts.bar.hidden = true;
    this.parts.list.replaceChildren();
    if (this.player.shown >= 0) this.player.draw(this.player.shown);
  }

  // MARK: What is shown

  show(text) {
    this.parts.bar.hidden = false;
    this.parts.write.hidden = !this.things.length;
    this.parts.status.textContent = text;
  }

  tell() {
    const hidden = this.things.length - this.left.size;
    this.show(this.things.length
      ? `${count(hidden, "place", "places")} would be hidden. Click one to leave it out.`
      : "Nothing to hide was found.");
    this.parts.write.disabled = !hidden;
  }

  list() {
    this.buttons = new Map();
    this.parts.list.replaceChildren(...this.things.map((thing) => {
      const item = document.createElement("li"), button = document.createElement("button");
      this.buttons.set(thing.id, button);
      button.type = "button";
      button.className = "quiet";
      button.textContent = `${clock(thing.start, 1)}–${clock(thing.end, 1)} ${thing.reason}`;
      button.setAttribute("aria-pressed", String(!this.left.has(thing.id)));
      button.addEventListener("click", () => { this.change(thing); this.player.seek(thing.start); });
      item.append(button);
      return item;
    }));
  }

  change(thing) {
    if (this.left.has(thing.id)) this.left.delete(thing.id); else this.left.add(thing.id);
    // A new list would take the focus from the button that was pressed.
    this.buttons.get(thing.id).setAttribute("aria-pressed", String(!this.left.has(thing.id)));
    this.tell();
    this.player.draw(this.player.shown);
  }

  draw(context, place, time) {
    this.place = place;
    this.time = time;
    let drawn = 0;
    for (const thing of this.things) {
      const quads = quadsAt(thing, time);
      for (const quad of quads) {
        context.beginPath();
        quad.map(place).forEach(([x, y], at) => (at ? context.lineTo(x, y) : context.moveTo(x, y)));
        context.closePath();
        if (this.left.has(thing.id)) {
          context.setLineDash([6, 6]);
          context.strokeStyle = "#ffc53d";
          context.lineWidth = 2;
          context.stroke();
          context.setLineDash([]);
        } else {
          context.fillStyle = "#000";
          context.fill();
        }
      }
      if (quads.length && !this.left.has(thing.id)) drawn += 1;
    }
    return drawn;
  }

  pick(event) {
    const { canvas } = this.player.parts;
    if (!this.player.cover || !this.place || event.target.closest("button")) return;
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const x = (event.clientX - left) / width * canvas.width, y = (event.clientY - top) / height * canvas.height;
    const hit = this.things.find((thing) => quadsAt(thing, this.time).some((quad) => holds(quad.map(this.place), x, y)));
    if (!hit) return;
    event.stopPropagation();
    event.preventDefault();
    this.change(hit);
  }
}

// Returns the things of a plan: its lines of the same number are one, with several paths.
function things(lines) {
  const byID = new Map();
  for (const line of lines.filter(({ type }) => type === "hidden")) {
    const known = byID.get(line.id);
    if (!known) { byID.set(line.id, { ...line, paths: [line] }); continue; }
    known.paths.push(line);
    [known.start, known.end] = [Math.min(known.start, line.start), Math.max(known.end, line.end)];
  }
  return [...byID.values()];
}

// Returns the places of a thing that are hidden in the frame shown at a time.
function quadsAt(thing, time) {
  return thing.paths.map((path) => quadAt(path, time)).filter((quad) => quad);
}

// Returns the place of a path in the frame shown at a time; null if there is none.
function quadAt(thing, time) {
  if (time + 0.002 < thing.start || time >= thing.end) return null;
  if (thing.box) {
    const [x, y, width, height] = thing.box;
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]];
  }
  const next = thing.places.findIndex((place) => place.t > time);
  const after = thing.places.at(next), before = next > 0 ? thing.places[next - 1] : after;
  const share = after.t > before.t ? (time - before.t) / (after.t - before.t) : 0;
  return before.quad.map(([x, y], at) => [x + (after.quad[at][0] - x) * share, y + (after.quad[at][1] - y) * share]);
}

function holds(quad, x, y) {
  const sides = quad.map(([ax, ay], at) => {
    const [bx, by] = quad[(at + 1) % 4];
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  });
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0);
}
