// The times of the sightings in the recordings: one row per recording, with a slider on the one that plays.
import { baseName, clock, count, element } from "/format.js";

const ROWS = 60;

// The number of recordings in the table.
export const TABLE = 500;

export class Timeline {
  constructor(root, go) {
    this.root = root;
    this.go = go;
    this.rows = [];
  }

  // Shows the rows of a search, beginning with the recording that plays.
  show(rows, source) {
    const first = rows.find((row) => row.id === source.id);
    const others = rows.filter((row) => row.id !== source.id).slice(0, ROWS);
    this.rows = [];
    this.root.replaceChildren();
    if (!source.still) this.add(first ?? { id: source.id, source: source.source, seconds: source.seconds, read: source.read, counts: [], sightings: 0 }, true);
    if (others.length) {
      const list = element("div", { class: "others" });
      this.root.append(element("details", { class: "more" }, element("summary", {}, `${count(others.length, "other recording", "other recordings")} with it`), list));
      for (const row of others) this.add(row, false, list);
    }
    this.root.append(this.table(rows));
    this.move(this.time ?? 0);
  }

  add(row, isCurrent, parent = this.root) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const head = element("span", { class: "head", "aria-hidden": "true" });
    const track = element(isCurrent ? "div" : "button", { class: "track", ...(isCurrent ? {
      role: "slider", tabindex: "0", "aria-label": "Time in the recording", "aria-valuemin": "0",
      "aria-valuemax": row.seconds.toFixed(1), "aria-valuenow": "0",
    } : { type: "button", "aria-label": `${baseName(row.source)}: ${count(row.sightings, "sighting", "sightings")}` }) }, canvas, isCurrent ? head : null);
    const line = element("div", { class: isCurrent ? "row current" : "row" }, track,
      isCurrent ? null : element("span", { class: "label" }, baseName(row.source)));
    parent.append(line);
    const made = { row, track, canvas, head, isCurrent };
    this.rows.push(made);
    new ResizeObserver(() => paint(made)).observe(canvas);
    const at = (event) => {
      const box = track.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * row.seconds;
    };
    if (!isCurrent) {
      // With the keyboard there is no position in the row, so go to its first sighting.
      track.addEventListener("click", (event) => this.go(row.id, event.detail ? at(event) : row.seconds * Math.max(0, row.counts.findIndex(Boolean)) / row.counts.length));
      return;
    }
    track.addEventListener("pointerdown", (event) => {
      track.setPointerCapture(event.pointerId);
      this.go(row.id, at(event));
      const drag = (moved) => this.go(row.id, at(moved));
      track.addEventListener("pointermove", drag);
      track.addEventListener("pointerup", () => track.removeEventListener("pointermove", drag), { once: true });
    });
    track.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -5, ArrowRight: 5, ArrowDown: -5, ArrowUp: 5, PageDown: -60, PageUp: 60 };
      const target = event.key === "Home" ? 0 : event.key === "End" ? row.seconds : event.key in steps ? this.time + steps[event.key] : null;
      if (target === null) return;
      event.preventDefault();
      event.stopPropagation();
      this.go(row.id, Math.min(row.seconds, Math.max(0, target)));
    });
  }

  move(time) {
    this.time = time;
    const current = this.rows.find((each) => each.isCurrent);
    if (!current) return;
    const share = current.row.seconds ? Math.min(1, time / current.row.seconds) : 0;
    current.head.style.insetInlineStart = `${share * 100}%`;
    current.track.setAttribute("aria-valuenow", time.toFixed(1));
    current.track.setAttribute("aria-valuetext", `${clock(time)} of ${clock(current.row.seconds)}`);
  }

  table(rows) {
    const body = element("tbody");
    for (const row of rows.slice(0, TABLE)) {
      const first = row.counts.findIndex(Boolean), last = row.counts.findLastIndex(Boolean);
      const bin = row.counts.length ? row.seconds / row.counts.length : 0;
      body.append(element("tr", {}, element("th", { scope: "row" }, baseName(row.source)), element("td", {}, String(row.sightings)),
        element("td", {}, first < 0 ? "" : clock(first * bin)), element("td", {}, last < 0 ? "" : clock((last + 1) * bin))));
    }
    const head = element("tr", {}, ...["Recording", "Sightings", "From", "To"].map((name) => element("th", { scope: "col" }, name)));
    return element("details", { class: "table" }, element("summary", {}, "As a table"),
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Sightings by recording" }, element("table", {}, element("thead", {}, head), body)));
  }
}

function paint({ row, canvas }) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  const height = canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  const context = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  const most = Math.max(1, ...row.counts);
  context.fillStyle = style.getPropertyValue("--bar");
  row.counts.forEach((number, index) => {
    if (!number) return;
    const x = index / row.counts.length * width;
    const tall = height * (0.35 + 0.65 * number / most);
    context.fillRect(x, height - tall, Math.max(2 * ratio, width / row.counts.length), tall);
  });
  // The parts that were not read.
  const from = row.seconds ? row.read / row.seconds * width : width;
  if (width - from < 2 * ratio) return;
  context.save();
  context.beginPath();
  context.rect(from, 0, width - from, height);
  context.clip();
  context.strokeStyle = style.getPropertyValue("--hatch");
  context.lineWidth = ratio;
  for (let x = from - height; x < width; x += 6 * ratio) {
    context.beginPath();
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
    context.stroke();
  }
  context.restore();
}
