// Access to the page: granted by the printed address or a password, given up by signing out.
import { ask, Problem, send } from "/api.js";
import { element } from "/format.js";

// Written when a user signs out, so that all windows show it.
const OVER = "framegrep-signed-out";

// Sends the key after # to the server, once, and removes it from the address.
export async function openSession() {
  if (!location.hash.startsWith("#key=")) return null;
  const text = location.hash;
  history.replaceState(null, "", location.pathname + location.search);
  return unlock(text);
}

// Takes the user's input: the printed address or its key, else a password. Returns true, or what went wrong.
async function unlock(text, isPassword = false) {
  // A password may look like a key.
  const key = (isPassword ? /#key=([0-9a-f]{64})$/ : /(?:^|#key=)([0-9a-f]{64})$/).exec(text.trim())?.[1];
  try {
    if (!key && !isPassword) throw new Problem(403, "This is not the whole address: it ends in #key= and 64 letters and digits.");
    await send("/api/session", key ? { key } : { password: text });
    return true;
  } catch (problem) {
    return problem;
  }
}

// Shows the field for the address from the terminal, or for the password. `opened` is called once that is right.
export function unlocking(asksPassword, opened) {
  const field = element("input", asksPassword
    ? { type: "password", id: "password", autocomplete: "current-password", "aria-label": "Password", required: true }
    : { type: "text", id: "address", autocomplete: "off", spellcheck: "false", "aria-label": "The address from the terminal", placeholder: "http://127.0.0.1:8437/#key=…", required: true });
  const wrong = element("p", { class: "wrong", role: "alert" });
  const form = element("form", { id: "login" }, field, element("button", {}, "Open"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const done = await unlock(field.value, asksPassword);
    if (done === true) return opened();
    wrong.textContent = done.message;
    field.select();
    return undefined;
  });
  return [form, wrong];
}

// Ends the session, in all windows of this browser.
export async function signOut() {
  await ask("/api/session/end", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
  localStorage.clear();
  localStorage.setItem(OVER, String(Date.now()));
  location.assign("/");
}

addEventListener("storage", (event) => { if (event.key === OVER && event.newValue) location.reload(); });
