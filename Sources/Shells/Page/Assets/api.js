// The page's requests to its server.

export class Problem extends Error {
  constructor(status, message, session = null) { super(message); this.status = status; this.session = session; }
}

export const GONE = "The server does not answer. Is 'framegrep serve' still running?";

// Returns the answer to a request; throws a Problem with a sentence if there is none.
export async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, GONE);
  }
  if (answer.ok) return answer;
  let message = `The server answered ${answer.status}.`;
  try { message = (await answer.json()).message ?? message; } catch { /* The status says it. */ }
  throw new Problem(answer.status, message, answer.headers.get("Framegrep-Session"));
}

// Sends a request that changes something.
export async function send(path, object = {}) {
  await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(object) });
}

// Yields the lines of an answer as they arrive.
export async function* lines(path, signal) {
  const answer = await ask(path, { signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => { throw error.name === "AbortError" ? error : new Problem(0, GONE); });
    rest += value ?? "";
    const all = rest.split("\n");
    rest = all.pop();
    const objects = all.filter(Boolean).map((line) => JSON.parse(line));
    if (objects.length) yield objects;
    if (done) return;
  }
}

export async function json(path, signal) { return (await ask(path, { signal })).json(); }

export async function all(path, signal) {
  const result = [];
  for await (const objects of lines(path, signal)) result.push(...objects);
  return result;
}
