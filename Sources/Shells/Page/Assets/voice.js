// Voice search: the browser records one utterance, and the server recognizes the word.
import { ask } from "/api.js";
import { element } from "/format.js";

const RATE = 16000;
const PAUSE = 0.6, MOST = 8, PATIENCE = 20;

// Detects the end of an utterance: a pause after a sound louder than the room.
class Utterance {
  #pieces = [];
  #room = 0.01;
  #spoken = 0;
  #quiet = 0;
  #waited = 0;
  level = 0;

  // Takes samples; returns "waiting", "speaking", "ended", "endless" or "silence".
  take(samples, rate) {
    const seconds = samples.length / rate;
    this.level = Math.sqrt(samples.reduce((sum, each) => sum + each * each, 0) / samples.length);
    const isLoud = this.level > Math.max(0.008, 3 * this.#room);
    if (!isLoud && !this.#spoken) this.#room = 0.9 * this.#room + 0.1 * this.level;
    this.#pieces.push(samples);
    if (isLoud) { this.#spoken += seconds; this.#quiet = 0; } else this.#quiet += seconds;
    this.#waited += seconds;
    if (this.#spoken < 0.1) {
      // The utterance includes a third of a second before its first sound.
      while (this.#length() / rate > 0.4) this.#pieces.shift();
      return this.#waited > PATIENCE ? "silence" : "waiting";
    }
    if (this.#quiet >= PAUSE) return "ended";
    return this.#length() / rate > MOST ? "endless" : "speaking";
  }

  #length() { return this.#pieces.reduce((sum, each) => sum + each.length, 0); }

  // Returns the speech as 16-bit samples at 16 kHz, each the mean of the samples that it replaces.
  bytes(rate) {
    const all = new Float32Array(this.#length());
    let at = 0;
    for (const piece of this.#pieces) { all.set(piece, at); at += piece.length; }
    const step = rate / RATE, result = new DataView(new ArrayBuffer(2 * Math.min(MOST * RATE, Math.floor(all.length / step))));
    for (let i = 0; 2 * i < result.byteLength; i++) {
      const from = Math.floor(i * step), to = Math.max(from + 1, Math.floor((i + 1) * step));
      let sum = 0;
      for (let j = from; j < to; j++) sum += all[j];
      result.setInt16(2 * i, Math.max(-1, Math.min(1, sum / (to - from))) * 32767, true);
    }
    return result.buffer;
  }
}

export class Voice {
  #parts;
  #search;
  #listening = null;

  // `parts`: button, bar, status, level, others. `search` is called with the words.
  constructor(parts, search) {
    this.#parts = parts;
    this.#search = search;
    parts.button.addEventListener("click", () => this.toggle());
  }

  get isListening() { return this.#listening !== null; }

  toggle() { if (this.isListening) this.end(); else this.#listen().catch((problem) => this.end(this.#reason(problem))); }

  // Releases the microphone.
  end(sentence = "") {
    const listening = this.#listening;
    this.#listening = null;
    listening?.stream?.getTracks().forEach((track) => track.stop());
    listening?.context?.close();
    listening?.asked.abort();
    this.#parts.button.setAttribute("aria-pressed", "false");
    this.#parts.level.hidden = true;
    this.#tell(sentence);
  }

  #tell(sentence, others = []) {
    this.#parts.bar.hidden = !sentence;
    this.#parts.status.textContent = sentence;
    this.#parts.others.replaceChildren(...others.map((text) => {
      const button = element("button", { type: "button", class: "quiet" }, text);
      button.addEventListener("click", () => this.#search(text));
      return button;
    }));
  }

  #reason(problem) {
    switch (problem.name) {
      case "NotAllowedError": return "This browser does not let the page listen; its settings for this site can allow the microphone.";
      case "NotFoundError": return "There is no microphone on this machine, or the browser sees none.";
      case "NotReadableError": return "The microphone is in use by another program, or was unplugged.";
      case "AbortError": return "";
      default: return problem.message ?? String(problem);
    }
  }

  async #listen() {
    if (!navigator.mediaDevices?.getUserMedia || !window.AudioWorkletNode) {
      return this.#tell("Browsers allow the microphone only on pages of this machine (localhost) or over TLS (https); this page is neither.");
    }
    const listening = { asked: new AbortController() };
    this.#listening = listening;
    this.#parts.button.setAttribute("aria-pressed", "true");
    this.#tell("May this page listen? The browser asks.");
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
    if (this.#listening !== listening) return stream.getTracks().forEach((track) => track.stop());
    const context = new AudioContext();
    Object.assign(listening, { stream, context });
    await context.audioWorklet.addModule("/microphone.js");
    if (this.#listening !== listening) return undefined;
    const node = new AudioWorkletNode(context, "microphone", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
    const utterance = new Utterance();
    stream.getAudioTracks()[0].addEventListener("ended", () => { if (this.#listening === listening) this.end("The microphone delivers no more sound."); });
    this.#parts.level.hidden = false;
    this.#tell("Listening … say a word; Escape cancels.");
    node.port.onmessage = ({ data }) => {
      if (this.#listening !== listening) return;
      const state = utterance.take(data, context.sampleRate);
      this.#parts.level.value = utterance.level;
      if (state === "silence") this.end("Nothing was said.");
      if (state === "endless") this.end("The sound never paused, so no word could be recognized (music? conversation?).");
      if (state === "ended") { node.port.onmessage = null; this.#understand(listening, utterance.bytes(context.sampleRate)).catch((problem) => this.end(this.#reason(problem))); }
    };
    context.createMediaStreamSource(stream).connect(node);
    return undefined;
  }

  async #understand(listening, body) {
    listening.stream.getTracks().forEach((track) => track.stop());
    this.#parts.level.hidden = true;
    this.#tell("Recognizing …");
    const answer = await ask("/api/voice", { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body, signal: listening.asked.signal });
    const { heard, text, others } = await answer.json();
    if (this.#listening !== listening) return;
    this.end();
    if (!text) return this.#tell("No word was recognized; say it again, or type it.");
    this.#tell(heard.toLowerCase() === text.toLowerCase() ? `Heard '${heard}'.` : `Heard '${heard}' → ${text}.`, others);
    this.#search(text);
  }
}
