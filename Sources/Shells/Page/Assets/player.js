// Plays a recording from a moment, with boxes on the words of the frame that is shown.
import { outline } from "/boxes.js";
import { all, json } from "/api.js";

const AHEAD = 4;

export class Player {
  constructor(parts, moved) {
    this.parts = parts;
    this.moved = moved;
    this.source = null;
    this.offset = 0;
    this.sightings = [];
    this.boxes = new Map();
    this.frame = 1 / 30;
    this.shown = -1;
    this.showsBoxes = true;
    // Draws something other than boxes, and returns how much.
    this.cover = null;
    const { video } = parts;
    video.addEventListener("error", () => this.failed());
    video.addEventListener("timeupdate", () => this.tell());
    video.addEventListener("durationchange", () => this.tell());
    for (const name of ["play", "pause", "ended", "seeking", "seeked", "waiting", "playing"]) {
      video.addEventListener(name, () => this.tell());
    }
    video.addEventListener("loadedmetadata", () => this.fit());
    new ResizeObserver(() => this.fit()).observe(parts.screen);
    if (video.requestVideoFrameCallback) {
      const each = (now, frame) => {
        const time = frame.mediaTime + this.offset;
        const step = time - this.shown;
        if (step > 0.005 && step < 0.2) this.frame = this.frame * 0.7 + step * 0.3;
        this.draw(time);
        video.requestVideoFrameCallback(each);
      };
      video.requestVideoFrameCallback(each);
    } else {
      video.addEventListener("timeupdate", () => this.draw(this.time));
    }
  }

  get time() { return this.source?.still ? 0 : this.parts.video.currentTime + this.offset; }
  get length() { return this.source?.seconds ?? 0; }
  get isPlaying() { return !this.parts.video.paused && !this.parts.video.ended; }

  // Shows a recording at a moment. `sightings` are its sightings, `query` is the search.
  show(source, time, sightings, query, plays) {
    const { video, still } = this.parts;
    const isNew = this.source?.id !== source.id || this.query !== query;
    const isOther = this.source?.id !== source.id;
    this.source = source;
    this.query = query;
    this.sightings = sightings;
    if (isNew) { this.boxes.clear(); this.erase(); }
    this.say(null);
    still.hidden = !source.still;
    video.hidden = source.still;
    if (source.still) {
      video.pause();
      video.removeAttribute("src");
      this.erase();
      const first = sightings.find((item) => item.key === this.wanted) ?? sightings[0];
      still.src = first ? `/api/sightings/${first.key}/picture?${query}&box=1&width=2000` : `/media/${source.id}/picture?width=2000`;
      this.tell();
      return;
    }
    if (isOther) {
      this.transcodes = source.media === "application/octet-stream";
      this.shown = -1;
      this.shape = null;
      this.load(time);
    } else {
      this.seek(time);
    }
    this.fetchBoxes(time);
    if (plays) this.play(); else video.pause();
  }

  // Opens the recording at a time, unchanged or converted for the browser.
  load(time) {
    const { video } = this.parts;
    this.offset = this.transcodes ? time : 0;
    if (this.transcodes) {
      this.measure();
      video.src = `/media/${this.source.id}/clip.mp4?from=${time.toFixed(3)}`;
    } else {
      video.src = `/media/${this.source.id}`;
      video.currentTime = time + 0.001;
    }
  }

  // Determines the size of the recording itself: a clip of it may be smaller.
  measure() {
    const id = this.source.id;
    if (this.shape) return;
    json(`/media/${id}/shape`).then((shape) => { if (this.source?.id === id) this.shape = shape; }).catch(() => {});
  }

  seek(time) {
    const { video } = this.parts;
    const target = Math.min(Math.max(0, time), Math.max(0, this.length - 0.05));
    if (!this.source || this.source.still) return;
    if (!this.transcodes) {
      // Times are rounded to microseconds: a slightly later time selects the frame itself rather than the one before.
      video.currentTime = target + 0.001;
    } else {
      const local = target - this.offset;
      const ranges = video.buffered;
      const isThere = local >= 0 && ranges.length && local <= ranges.end(ranges.length - 1);
      const wasPlaying = this.isPlaying;
      if (isThere) { video.currentTime = local + 0.001; } else { this.load(target); if (wasPlaying) this.play(); }
    }
    this.fetchBoxes(target);
  }

  play() {
    this.parts.video.play().catch((error) => {
      // Some browsers require a click first; the button is there.
      if (error.name === "NotAllowedError") { this.parts.video.muted = true; this.parts.video.play().catch(() => {}); }
    });
  }

  toggle() { if (this.source && !this.source.still) { if (this.isPlaying) this.parts.video.pause(); else this.play(); } }

  step(frames) {
    if (!this.source || this.source.still) return;
    this.parts.video.pause();
    const from = this.shown >= 0 ? this.shown : this.time;
    this.seek(from + frames * this.frame + (frames > 0 ? 0.0005 : 0));
  }

  close() {
    const { video, still } = this.parts;
    video.pause();
    video.removeAttribute("src");
    video.load();
    still.removeAttribute("src");
    this.source = null;
    this.erase();
  }

  failed() {
    const { video } = this.parts;
    if (!this.source || this.source.still || !video.getAttribute("src")) return;
    const wasPlaying = !video.paused;
    if (!this.transcodes) {
      // The browser cannot play it unchanged.
      this.transcodes = true;
      this.load(Math.max(0, video.currentTime || this.start || 0));
      if (wasPlaying) this.play();
      return;
    }
    this.say(this.source.trouble ? `It cannot be played: ${this.source.trouble}.` : "It cannot be played: neither this browser nor the server can decode it.");
  }

  say(text) {
    this.parts.trouble.hidden = !text;
    this.parts.trouble.textContent = text ?? "";
  }

  tell() { this.moved(this.time); }

  // MARK: Boxes

  // Requests the boxes of sightings that are in view, or soon will be.
  fetchBoxes(time) {
    for (const item of this.sightings) {
      if (this.boxes.has(item.key) || item.start > time + AHEAD || item.end < time - 1) continue;
      this.boxes.set(item.key, []);
      const query = this.query;
      all(`/api/sightings/${item.key}/boxes?${query}`).then((boxes) => {
        if (this.query !== query) return;
        this.boxes.set(item.key, boxes);
        if (this.shown >= 0) this.draw(this.shown);
      }).catch(() => { this.boxes.delete(item.key); });
      if (this.boxes.size > 400) this.boxes.delete(this.boxes.keys().next().value);
    }
  }

  // Adapts the canvas: the places of sightings refer to the size of the picture as displayed.
  fit() {
    const { video, canvas, screen } = this.parts;
    const { width, height } = screen.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    if (this.shown >= 0) this.draw(this.shown);
    this.parts.screen.style.setProperty("--shape", video.videoWidth && !video.hidden ? `${video.videoWidth} / ${video.videoHeight}` : "16 / 9");
  }

  erase() {
    const { canvas } = this.parts;
    canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    canvas.dataset.boxes = "0";
  }

  draw(time) {
    this.shown = time;
    this.erase();
    this.fetchBoxes(time);
    const { video, canvas } = this.parts;
    if (!(this.showsBoxes || this.cover) || !video.videoWidth || video.hidden) return;
    const context = canvas.getContext("2d");
    const scale = Math.min(canvas.width / video.videoWidth, canvas.height / video.videoHeight);
    // A clip may be smaller than its recording.
    const size = this.transcodes && this.shape ? this.shape.width / video.videoWidth : 1;
    const left = (canvas.width - video.videoWidth * scale) / 2, top = (canvas.height - video.videoHeight * scale) / 2;
    const place = ([x, y]) => [left + x / size * scale, top + y / size * scale];
    canvas.dataset.time = time.toFixed(4);
    // Boxes of places that would be hidden, instead of those of matches.
    if (this.cover) { canvas.dataset.boxes = String(this.cover(context, place, time)); return; }
    let drawn = 0;
    for (const item of this.sightings) {
      if (item.start > time + 0.002 || item.end <= time + 0.0005) continue;
      const quad = placeAt(this.boxes.get(item.key), time);
      if (!quad) continue;
      const corners = quad.map(place);
      outline(context, corners, { isChosen: item.key === this.wanted });
      drawn += 1;
    }
    canvas.dataset.boxes = String(drawn);
  }
}

// Returns the box in the frame that is shown at a time: the last one that began by then.
function placeAt(boxes, time) {
  if (!boxes?.length) return null;
  let low = 0, high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle].t <= time + 0.002) low = middle + 1; else high = middle;
  }
  return low ? boxes[low - 1].quad : null;
}
