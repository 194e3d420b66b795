// The page before the first search: the last searches, and the recordings with a picture each.
import { baseName, element, hours, visible } from "/format.js";

const STORE = "framegrep-searches", SEARCHES = 8;

// The largest number of recordings that are shown.
export const RECORDINGS = 60;
const FLAGS = { meaning: "by meaning", words: "whole words", case: "match case", exact: "exact", regex: "regular expression", all: "all at once" };

// Returns the last searches of this browser, the newest first, in the form of requests.
function searches() {
  try {
    const all = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return all.filter((each) => typeof each === "string").slice(0, SEARCHES);
  } catch { return []; }
}

// Stores a search that the user meant: one that was entered, or of which a result was opened.
export function rememberSearch(query) {
  if (!query) return;
  const all = [query, ...searches().filter((each) => each !== query)].slice(0, SEARCHES);
  try { localStorage.setItem(STORE, JSON.stringify(all)); } catch { /* Then not. */ }
}

// Fills the first page with the first recordings. `search` is called with a search, `play` with a recording.
export function showStart(root, sources, { search, play }) {
  root.replaceChildren(...lastSearches(root, search), ...recordings(sources, play));
  root.hidden = !root.children.length;
}

function lastSearches(root, search) {
  const all = searches();
  if (!all.length) return [];
  const list = element("ul", { class: "last" }, ...all.map((query) => {
    const parts = new URLSearchParams(query);
    const button = element("button", { type: "button" }, parts.getAll("q").map(visible).join(" OR "),
      ...Object.keys(FLAGS).filter((flag) => parts.get(flag) === "1").map((flag) => element("small", {}, FLAGS[flag])));
    button.addEventListener("click", () => search(query));
    return element("li", {}, button);
  }));
  const clear = element("button", { type: "button", class: "quiet" }, "Clear");
  const section = element("section", { "aria-labelledby": "last-title" }, element("h2", { id: "last-title" }, "Last searches"), clear, list);
  clear.addEventListener("click", () => { localStorage.removeItem(STORE); section.remove(); root.hidden = !root.children.length; });
  return [section];
}

function recordings(sources, play) {
  if (!sources.length) return [];
  const list = element("ul", { class: "library" }, ...sources.slice(0, RECORDINGS).map((source) => {
    // Do not use the first picture, which is often black.
    const moment = source.still ? "" : `t=${(source.seconds * 0.1).toFixed(2)}&`;
    const picture = element("img", { src: `/media/${source.id}/picture?${moment}width=320`, alt: "", loading: "lazy", decoding: "async", width: 160, height: 90 });
    picture.addEventListener("error", () => picture.classList.add("missing"), { once: true });
    const button = element("button", { type: "button", title: visible(source.source) }, element("span", { class: "thumb" }, picture),
      element("span", { class: "text" }, element("bdi", {}, baseName(source.source))),
      element("span", { class: "facts" }, source.still ? "picture" : hours(source.seconds)));
    button.addEventListener("click", () => play(source));
    return element("li", {}, button);
  }));
  return [element("section", { "aria-labelledby": "library-title" }, element("h2", { id: "library-title" }, "Recordings"), list,
    sources.length > RECORDINGS ? element("p", { class: "hint" }, "and more, which a search finds") : null)];
}
