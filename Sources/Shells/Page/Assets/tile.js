// One camera on the page: its picture with the boxes of the same frame, and its state.
import { outline } from "/boxes.js";
import { element, shortName, visible } from "/format.js";

const STATES = {
  opening: "Connecting", running: "Live", stalled: "No picture", reconnecting: "Lost, trying again", paused: "Paused",
  ended: "Over", failed: "Cannot be watched",
};

export class Tile {
  constructor(number, name, trouble) {
    this.trouble = trouble;
    this.name = visible(name);
    this.picture = element("canvas", { class: "picture", width: 16, height: 9 });
    this.boxes = element("canvas", { class: "boxes", "aria-hidden": "true" });
    this.sign = element("span", { class: "sign" });
    this.note = element("p", { class: "why" });
    this.facts = element("span", { class: "facts" });
    this.button = element("button", { type: "button", class: "enlarge", "aria-pressed": "false", "aria-label": `Enlarge ${this.name}` }, this.picture, this.boxes);
    this.row = element("li", { class: "tile", "data-state": "opening", "data-source": number }, this.button,
      element("div", { class: "about" }, this.sign, element("h2", { title: this.name }, element("bdi", {}, shortName(name))), this.facts), this.note);
    this.picture.setAttribute("role", "img");
    this.button.addEventListener("click", () => this.enlarge(this.button.getAttribute("aria-pressed") !== "true"));
    this.waiting = new Map();
    this.wanted = new Map();
    this.count = 0;
    this.frames = 0;
    this.state("opening", "");
  }

  enlarge(isLarge) {
    this.button.setAttribute("aria-pressed", String(isLarge));
    this.row.classList.toggle("large", isLarge);
  }

  state(state, message) {
    if (this.row.dataset.state !== state && state !== "running") this.clearBoxes();
    this.row.dataset.state = state;
    this.sign.textContent = STATES[state] ?? state;
    this.note.textContent = state === "running" ? "" : message;
    if (state !== "running") this.facts.textContent = "";
    this.picture.setAttribute("aria-label", `${this.name}: ${STATES[state] ?? state}`);
  }

  stats(event) {
    if (this.row.dataset.state === "running") this.facts.textContent = `${Math.round(event.fps_in)} fps · ${event.fps_read.toFixed(1)} read/s`;
  }

  warn(event) {
    this.note.textContent = event.code === "picture-clear" ? "" : event.message;
  }

  // MARK: Frames

  take(record) {
    this.row.dataset.kind = record.kind;
    if (record.kind === "jpeg") return this.takePicture(record);
    if (record.isKey && !this.configure(record.body)) return undefined;
    if (this.decoder?.state !== "configured") return undefined;
    // A machine that cannot keep up starts again with a key frame.
    if (this.decoder.decodeQueueSize > 12) return this.trouble("slow");
    const timestamp = this.count;
    this.count += 40000;
    this.waiting.set(timestamp, record.head);
    if (this.waiting.size > 60) this.waiting.delete(this.waiting.keys().next().value);
    this.decoder.decode(new EncodedVideoChunk({ type: record.isKey ? "key" : "delta", timestamp, data: record.body }));
    return undefined;
  }

  configure(bytes) {
    const codec = codecOf(bytes);
    if (!codec) return false;
    if (this.decoder?.state === "configured" && this.codec === codec) return true;
    this.closeDecoder();
    this.codec = codec;
    this.decoder = new VideoDecoder({
      output: (frame) => {
        const head = this.waiting.get(frame.timestamp);
        this.waiting.delete(frame.timestamp);
        if (head) this.show(frame, frame.displayWidth, frame.displayHeight, head);
        frame.close();
      },
      error: () => this.trouble("decoder"),
    });
    this.decoder.configure({ codec, optimizeForLatency: true });
    return true;
  }

  async takePicture(record) {
    // One at a time: a slow browser shows fewer pictures.
    if (this.isDecoding) { this.next = record; return; }
    this.isDecoding = true;
    try {
      const picture = await createImageBitmap(new Blob([record.body], { type: "image/jpeg" }));
      this.show(picture, picture.width, picture.height, record.head);
      picture.close();
    } catch { /* The next one may be whole. */ }
    this.isDecoding = false;
    const next = this.next;
    this.next = null;
    if (next) this.takePicture(next);
  }

  show(picture, width, height, head) {
    const canvas = this.picture;
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.row.style.setProperty("--shape", `${width} / ${height}`);
    }
    canvas.getContext("2d", { alpha: false }).drawImage(picture, 0, 0, width, height);
    this.drawBoxes(head);
    this.head = head;
    this.frames += 1;
    if (this.wanted.size) for (const box of head.boxes) this.cutFor(box.id);
    const data = this.row.dataset;
    data.frames = String(this.frames);
    data.t = String(head.t);
    data.boxes = String(head.boxes.length);
    data.late = (performance.timeOrigin + performance.now() - head.arrived).toFixed(1);
  }

  drawBoxes(head) {
    const canvas = this.boxes, ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    const scale = Math.min(width / head.width, height / head.height);
    const left = (width - head.width * scale) / 2, top = (height - head.height * scale) / 2;
    const isNamed = new Set(head.boxes.map((box) => box.pattern)).size > 1;
    for (const box of head.boxes) {
      outline(context, box.quad.map(([x, y]) => [left + x * scale, top + y * scale]),
        { index: box.index, alpha: 1 - 0.75 * box.age, label: isNamed ? box.pattern : "" });
    }
  }

  clearBoxes() {
    this.boxes.getContext("2d").clearRect(0, 0, this.boxes.width, this.boxes.height);
    this.row.dataset.boxes = "0";
  }

  // Provides a small picture of a sighting, from the first frame with its box. (Its event comes before that frame.)
  watchFor(id, take) {
    this.wanted.set(id, take);
    if (this.wanted.size > 40) this.wanted.delete(this.wanted.keys().next().value);
    this.cutFor(id);
  }

  cutFor(id) {
    const take = this.wanted.get(id), box = this.head?.boxes.find((each) => each.id === id);
    if (!take || !box || !this.frames) return;
    this.wanted.delete(id);
    take(this.cut(box.quad));
  }

  // Returns the surroundings of a place in the shown picture, as a small picture.
  cut(quad) {
    const scale = this.picture.width / this.head.width;
    const xs = quad.map(([x]) => x * scale), ys = quad.map(([, y]) => y * scale);
    const width = Math.min(this.picture.width, Math.max((Math.max(...xs) - Math.min(...xs)) * 2, this.picture.width * 0.25));
    const height = Math.min(this.picture.height, width * 9 / 16);
    const x = clamp((Math.min(...xs) + Math.max(...xs) - width) / 2, this.picture.width - width);
    const y = clamp((Math.min(...ys) + Math.max(...ys) - height) / 2, this.picture.height - height);
    const canvas = element("canvas", { width: 240, height: 135, "aria-hidden": "true" });
    const context = canvas.getContext("2d");
    context.drawImage(this.picture, x, y, width, height, 0, 0, 240, 135);
    outline(context, xs.map((each, at) => [(each - x) * 240 / width, (ys[at] - y) * 135 / height]), { ratio: 1.5 });
    return canvas;
  }

  // Ends the stream; the next one begins with a key frame.
  close() {
    this.closeDecoder();
    this.wanted.clear();
  }

  closeDecoder() {
    if (this.decoder && this.decoder.state !== "closed") this.decoder.close();
    this.decoder = null;
    this.waiting.clear();
  }
}

function clamp(value, most) { return Math.min(Math.max(0, value), Math.max(0, most)); }

// Returns avc1.PPCCLL, from the sequence parameters at the beginning of the stream.
function codecOf(bytes) {
  for (let at = 0; at + 7 < bytes.length && at < 4096; at += 1) {
    if (bytes[at] === 0 && bytes[at + 1] === 0 && bytes[at + 2] === 1 && (bytes[at + 3] & 31) === 7) {
      return `avc1.${[...bytes.subarray(at + 4, at + 7)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    }
  }
  return null;
}
