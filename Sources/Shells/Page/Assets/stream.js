// The server's stream for all cameras: records, one after the other (docs/PAGE.md), over one connection.

const KINDS = { 1: "h264", 2: "jpeg", 3: "event" };
const HEAD = 12, LONGEST = 16 << 20;

// Returns the codec that this browser shows without delay: H.264 if it returns decoded frames one by one, otherwise
// pictures.
export async function bestCodec() {
  try {
    const config = { codec: "avc1.42C01F", optimizeForLatency: true };
    if (window.VideoDecoder && (await VideoDecoder.isConfigSupported(config)).supported) return "h264";
  } catch { /* Then not. */ }
  return "jpeg";
}

// Reads records until the end; `take` is called with each.
export async function readStream(codec, size, signal, take) {
  const answer = await fetch(`/api/stream?codec=${codec}&size=${size}`, { credentials: "same-origin", signal });
  if (!answer.ok) throw Object.assign(new Error(`The server answered ${answer.status}.`), { status: answer.status, session: answer.headers.get("Framegrep-Session") });
  const reader = answer.body.getReader(), decoder = new TextDecoder();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest = joined(rest, value);
    let at = 0;
    while (rest.length - at >= HEAD) {
      const view = new DataView(rest.buffer, rest.byteOffset + at, HEAD);
      const length = view.getUint32(0), head = view.getUint32(8);
      if (length > LONGEST || head > length) throw new Error("The stream is damaged.");
      if (rest.length - at < 4 + length) break;
      const body = at + HEAD + head;
      take({
        kind: KINDS[view.getUint8(4)], isKey: (view.getUint8(5) & 1) === 1, source: view.getUint16(6),
        head: JSON.parse(decoder.decode(rest.subarray(at + HEAD, body))), body: rest.slice(body, at + 4 + length),
      });
      at += 4 + length;
    }
    rest = rest.subarray(at);
  }
}

function joined(a, b) {
  if (!a.length) return b;
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

// A browser opens at most six connections to a server for all of its tabs, so only a few tabs show cameras, and the
// others can still search.
const SLOTS = 3;

// Returns a function that releases the slot; null if all are taken. With `steals` it is taken from another tab, which
// is notified.
export async function takeSlot(lost, steals = false) {
  if (!navigator.locks) return () => {};
  for (let number = 0; number < (steals ? 1 : SLOTS); number += 1) {
    const release = await new Promise((resolve) => {
      navigator.locks.request(`framegrep-live-${number}`, steals ? { steal: true } : { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(null);
        return new Promise((done) => resolve(done));
      }).catch(() => lost());
    });
    if (release) return release;
  }
  return null;
}
