// The page: the search, the list, the player and the address bar, and the connections between them.
import { all, GONE, json, lines, Problem, send } from "/api.js";
import { clock, count, element, baseName, hours, seconds, marked, visible } from "/format.js";
import { Live } from "/live.js";
import { Player } from "/player.js";
import { Redaction } from "/redact.js";
import { Results } from "/results.js";
import { openSession, signOut, unlocking } from "/session.js";
import { RECORDINGS, rememberSearch, showStart } from "/start.js";
import { TABLE, Timeline } from "/timeline.js";
import { Voice } from "/voice.js";

const get = (id) => document.getElementById(id);
const FLAGS = ["meaning", "words", "case", "exact", "regex", "all"];
const WAYS = ["meaning", "exact", "regex"];
const LIMIT = 600;
const SCREEN = 24;

const form = get("search"), words = get("words");
const results = new Results(get("recordings"), { choose: (item, plays) => open(item, plays), play: (source) => playFrom(source), forget: (source) => forget(source) });
const live = new Live(
  { tiles: get("tiles"), events: get("events"), status: get("told"), empty: get("trouble-live") },
  { search: (word) => lookUp(word), heard: (event) => heard(event), locked: (problem) => get("trouble-live").replaceChildren(...lock(problem)) });
const player = new Player(
  { video: get("video"), still: get("still"), canvas: get("boxes"), screen: get("screen"), trouble: get("trouble") },
  (time) => moved(time));
const timeline = new Timeline(get("timeline"), (id, time) => jump(id, time));

const redaction = new Redaction(
  { begin: get("hide"), bar: get("hiding"), status: get("hiding-status"), write: get("hiding-write"), end: get("hiding-end"), list: get("hiding-list") },
  player, () => query);

const voice = new Voice(
  { button: get("say"), bar: get("voice"), status: get("voice-status"), level: get("voice-level"), others: get("voice-others") },
  (text) => { words.value = text; isTyped = true; rememberSearch(isLive() ? "" : asked()); changed(true); });

// The recordings of the results, and of the first screen, by name.
let sources = new Map();
let running = null;
let query = "";
// The answer with the times of the sightings, of the first recordings only.
let times = { rows: [], sightings: 0, recordings: 0 };
let limit = LIMIT;

// MARK: Searching

// Returns the search of the form as a request: "A OR B" are two words.
function asked() {
  const parts = new URLSearchParams();
  for (const word of words.value.split(/\s+OR\s+/).map((each) => each.trim()).filter(Boolean)) parts.append("q", word);
  if (!parts.has("q")) return "";
  for (const flag of FLAGS) if (box(flag).checked) parts.append(flag, "1");
  return parts.toString();
}

// Returns whether the search is by meaning: by the switch, or by the mark that patterns use everywhere.
function isMeant() { return box("meaning").checked || /^~\s/.test(words.value.trim()); }

function state(name) { document.body.dataset.state = name; }

async function search({ wanted = null, time = null, keep = false } = {}) {
  const next = asked();
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  query = next;
  // The shown sightings stay, and those after them are added.
  if (!keep) { limit = LIMIT; results.clear(); }
  times = { rows: [], sightings: 0, recordings: 0 };
  get("more").hidden = true;
  get("gaps").hidden = true;
  if (!query) { if (!wanted) closePlayer(); return begin(signal, wanted, time); }
  get("start").hidden = true;
  state("searching");
  get("status").textContent = "Searching …";
  get("message").replaceChildren();
  const began = performance.now();
  try {
    let coverage = null;
    for await (const objects of lines(`/api/search?${query}&limit=${limit}&soon=1&sources=1`, signal)) {
      const failure = objects.find((object) => object.type === "error");
      if (failure) throw new Problem(503, failure.message);
      coverage = objects.find((object) => object.type === "coverage") ?? coverage;
      for (const each of objects) if (each.type === "source") {
        // Its group keeps why it cannot be played.
        const known = results.groups.get(each.id)?.source;
        sources.set(each.source, known ? Object.assign(known, each) : each);
      }
      const found = objects.filter((object) => object.type === "sighting");
      if (!found.length) continue;
      for (const some of pieces(found)) {
        results.add(some, sources, query);
        state("found");
        get("status").textContent = `${count(results.items.length, "sighting", "sightings")} so far …`;
        if (wanted && !results.chosen && results.find(wanted)) restore(wanted, time);
        await shown(signal);
      }
    }
    const took = (performance.now() - began) / 1000;
    if (!coverage) throw new Problem(0, GONE);
    results.report(coverage.missing ?? []);
    if (results.items.length) times = await json(`/api/timeline?${query}&bins=240&rows=${TABLE}`, signal);
    done(times.sightings, times.recordings, coverage, took);
    if (wanted && !results.chosen) await restore(wanted, time, signal);
    if (player.source) showTimes(player.source);
  } catch (problem) {
    if (problem.name !== "AbortError") trouble(problem);
  }
}

// Yields a screenful first, then the rest.
function* pieces(found) {
  const first = results.items.length < SCREEN ? SCREEN : found.length;
  if (first < found.length) yield found.slice(0, first);
  yield first < found.length ? found.slice(first) : found;
}

// Lets the browser show the additions, unless the search has changed meanwhile.
async function shown(signal) {
  await new Promise((go) => { setTimeout(go); });
  signal.throwIfAborted();
}

// Shows the times of the sightings, first those of the recording that plays.
async function showTimes(source) {
  timeline.show(times.rows, source);
  const { rows } = times;
  const isKnown = () => rows.some((row) => row.id === source.id);
  // A search by meaning finds other texts in one recording than in all.
  if (isMeant() || rows.length === times.recordings || isKnown()) return;
  try {
    const more = (await json(`/api/timeline?${query}&bins=240&source=${source.id}`)).rows;
    if (!isKnown()) rows.push(...more);
    if (player.source === source && times.rows === rows) timeline.show(times.rows, source);
  } catch { /* Then without its bars. */ }
}

function done(total, recordings, coverage, took) {
  refusal = "";
  get("status").textContent = total
    ? `${count(total, "sighting", "sightings")} in ${count(recordings, "recording", "recordings")} · ${took.toFixed(2)} s`
    : "";
  gaps(coverage);
  const rest = total - results.items.length;
  get("more").hidden = rest <= 0;
  get("more").textContent = rest > 0 ? `Show more (${rest.toLocaleString("en")} are not shown)` : "";
  if (total) return state("found");
  state("nothing");
  message("Nothing found", `${isMeant() ? `Nothing that means '${words.value.replace(/^~\s+/, "")}'` : `'${words.value}'`} was ${isMeant() ? "" : "not "}read in ${count(coverage?.sources ?? 0, "recording", "recordings")}${coverage ? ` (${hours(coverage.seconds)})` : ""}.`,
    FLAGS.some((flag) => query.includes(`${flag}=1`)) ? "Try it again without the options that are on." : "Try a shorter part of it, which may have been read better.");
}

// Reports what the search has not covered.
function gaps(coverage) {
  const missing = coverage?.missing ?? [];
  const box = get("gaps");
  box.hidden = !missing.length;
  if (!missing.length) return;
  box.querySelector("summary").textContent = `${count(missing.length, "recording is", "recordings are")} not indexed, or out of date`;
  box.querySelector("ul").replaceChildren(...missing.slice(0, 100).map((each) => element("li", {}, element("b", { title: visible(each.source) }, baseName(each.source)), ` ${each.reason}`)),
    element("li", { class: "hint" }, missing.every((each) => each.reason.includes("by meaning")) ? "framegrep index --meaning prepares them." : "framegrep index with their names reads them."));
}

// Shows the page before the first search.
async function begin(signal, wanted = null, time = null) {
  state("begin");
  get("status").textContent = "";
  // With a keyboard, the user can type at once; on a touch screen, a keyboard would cover half of the page.
  if (document.activeElement === document.body && matchMedia("(hover: hover)").matches) awaitWords();
  try {
    const coverage = await json("/api/coverage", signal);
    refusal = "";
    gaps(coverage);
    if (!coverage.sources) {
      state("empty");
      return message("Nothing is indexed yet", "framegrep reads recordings once, and then finds any word in them.", "framegrep index recordings/");
    }
    message("What was on screen, and when?", `${count(coverage.sources, "recording", "recordings")}, ${hours(coverage.seconds)} read. Type a word that was on screen.`);
    const first = await all(`/api/sources?file=1&limit=${RECORDINGS + 1}`, signal);
    for (const each of first) sources.set(each.source, each);
    showStart(get("start"), first, { search: (text) => { location.search === `?${text}` || history.pushState(null, "", `/?${text}`); read(); }, play: playFrom });
    if (wanted) await restore(wanted, time, signal);
  } catch (problem) {
    if (problem.name !== "AbortError") trouble(problem);
  }
}

function message(title, text, hint) {
  get("message").replaceChildren(element("h2", {}, title), element("p", {}, text), ...(hint ? [element("p", { class: "hint" }, hint)] : []));
}

// Asks for the password or the key in a browser without a session.
function lock(problem) {
  const hasPassword = problem.session === "password";
  const [title, text] = hasPassword ? ["This page has a password", "It shows text that was on screen."]
    : ["This page needs its key", "Open the address that framegrep serve printed last in the terminal, or paste it here. It works once, and opens the page in this browser."];
  return [element("h2", {}, title), refusal ? element("p", { class: "wrong", role: "alert" }, refusal) : null, element("p", {}, text),
    ...unlocking(hasPassword, () => location.reload())].filter(Boolean);
}

// The reason the key in the address was rejected.
let refusal = "";

function trouble(problem) {
  get("status").textContent = "";
  get("start").hidden = true;
  if (problem instanceof Problem && problem.status === 401) {
    state("locked");
    get("message").replaceChildren(...lock(problem));
    get("login").querySelector("input").focus();
    return undefined;
  }
  state("trouble");
  message(problem.status === 400 ? "This cannot be searched for" : "That did not work", problem.message ?? String(problem));
  if (problem.status !== 400) {
    const again = element("button", { type: "button" }, "Try again");
    again.addEventListener("click", () => search());
    get("message").append(again);
  }
}

// Removes a recording from the index after the user has confirmed it.
function forget(source) {
  const dialog = get("forget");
  get("forget-text").textContent = `${visible(source.source)} is removed from the index for good, and not found until it is indexed again. The file itself stays as it is.`;
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "yes") return;
    try {
      await send(`/api/sources/${source.id}/forget`);
      sources.delete(source.source);
      if (player.source?.id === source.id) closePlayer();
      search();
    } catch (problem) {
      trouble(problem);
    }
  }, { once: true });
}

// MARK: Cameras

// Whether the words in the field have not been entered yet.
let isTyped = false;

function isLive() { return document.body.dataset.view === "live"; }

// Shows the cameras, or the index.
function view(name) {
  document.body.dataset.view = name;
  get("live").hidden = name !== "live";
  get("found").hidden = name === "live";
  for (const [id, own] of [["to-live", "live"], ["to-search", "search"]]) {
    if (name === own) get(id).setAttribute("aria-current", "page"); else get(id).removeAttribute("aria-current");
  }
  words.placeholder = name === "live" ? "Watch for a word, on all cameras" : "Search what was on screen";
  words.setAttribute("aria-label", name === "live" ? "Words to watch for" : "Words to search for");
  if (name === "live") {
    running?.abort();
    closePlayer();
    query = "";
    isTyped = false;
    heard(live.words);
    document.title = "Live · framegrep";
    live.show();
  } else live.hide();
}

function goLive() {
  if (location.search !== "?view=live") history.pushState(null, "", "/?view=live");
  view("live");
}

// Searches the index for a word.
function lookUp(word) {
  words.value = word;
  history.pushState(null, "", word ? `/?${asked()}` : "/?view=search");
  view("search");
  query = asked();
  search();
}

// Handles a change of the watched words, here or in another window.
function heard(event) {
  live.words = event;
  if (!isLive() || isTyped) return;
  unwatched();
  words.value = event.q.join(" OR ");
  for (const flag of FLAGS) box(flag).checked = event[flag];
}

// Clears earlier errors and words that were not entered.
function unwatched() {
  isTyped = false;
  get("told").classList.remove("bad");
  live.tell();
}

// Makes all cameras search for the words in the field. This affects every viewer, so it is done only when they are
// entered.
async function watch() {
  const q = words.value.split(/\s+OR\s+/).map((each) => each.trim()).filter(Boolean);
  try {
    await send("/api/watches", { q, ...Object.fromEntries(FLAGS.map((flag) => [flag, box(flag).checked])) });
    unwatched();
  } catch (problem) {
    get("told").textContent = problem.message;
    get("told").classList.add("bad");
  }
}

// MARK: The player

function open(item, plays, { focus = false, record = true, time = null } = {}) {
  if (!item) return;
  rememberSearch(query);
  const wasShown = !get("stage").hidden, before = player.source?.id;
  if (before !== item.media.id) redaction.close();
  showStage();
  results.mark(item, focus);
  player.wanted = item.key;
  player.start = time ?? item.start;
  // Show it where it is seen best, but play it from its beginning.
  player.show(item.media, time ?? (plays ? item.start : item.peak.t), results.inRecording(item.media.id), query, plays);
  describe(item);
  if (!wasShown || before !== item.media.id) showTimes(item.media);
  if (record) remember(item.key, null, !wasShown);
}

let openedAt = 0;

function showStage() {
  openedAt = performance.now();
  get("stage").hidden = false;
  document.body.classList.add("playing");
  // If there is no room for it to stay in view, scroll to it.
  requestAnimationFrame(() => {
    const { top, bottom } = get("screen").getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) get("stage").scrollIntoView({ block: "start" });
  });
}

// Plays a recording without a search, or without a chosen sighting.
function playFrom(source) {
  showStage();
  results.mark(null);
  go(source, 0);
  if (!source.still) player.play();
}

function describe(item) {
  get("title").textContent = baseName(player.source.source);
  get("title").title = visible(player.source.source);
  get("quote").replaceChildren(...(item ? marked(item.line, item.text) : []));
  get("copy").hidden = !item;
  get("hide").hidden = Boolean(player.source.still);
  get("length").textContent = player.source.still ? "" : `/ ${clock(player.length)}`;
}

// Goes to a time in a recording of which the page may know only the number.
async function jump(id, time) {
  try {
    // The user may have gone elsewhere meanwhile.
    const before = player.source, source = await recording(id);
    if (source && player.source === before) go(source, time);
  } catch (problem) { trouble(problem); }
}

// Returns a recording by its number; undefined if there is none.
async function recording(id, signal) {
  const known = player.source?.id === id ? player.source : [...sources.values()].find((each) => each.id === id);
  if (known) return known;
  try {
    const [source] = await all(`/api/sources?id=${encodeURIComponent(id)}`, signal);
    if (source) sources.set(source.source, source);
    return source;
  } catch (problem) {
    // It is not a number.
    if (problem.status === 404) return undefined;
    throw problem;
  }
}

// Goes to a time in a recording, with or without a sighting there.
function go(source, time) {
  const { id } = source, items = results.inRecording(id);
  if (player.source?.id === id) player.seek(time);
  else {
    redaction.close();
    player.start = time;
    player.show(source, time, items, query, player.isPlaying);
    showTimes(source);
  }
  const near = items.findLast((item) => item.start <= time + 0.05) ?? items[0];
  if (near && near !== results.chosen) { results.mark(near); player.wanted = near.key; describe(near); } else describe(results.chosen);
  remember(near?.key ?? `${id}-0`, time, false);
}

function closePlayer() {
  if (get("stage").hidden) return;
  if (document.fullscreenElement) document.exitFullscreen();
  redaction.close();
  player.close();
  get("stage").hidden = true;
  document.body.classList.remove("playing");
  const row = results.chosen?.row;
  results.mark(null);
  row?.querySelector("button").focus({ preventScroll: true });
  remember(null, null, false);
}

function moved(time) {
  document.body.classList.toggle("runs", player.isPlaying);
  get("play").setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
  const field = get("time");
  if (document.activeElement !== field) field.value = clock(time, 1);
  timeline.move(time);
}

function sightingBeside(step) {
  if (!player.source) return;
  const items = results.inRecording(player.source.id), time = player.time;
  const at = results.chosen && items.includes(results.chosen) ? items.indexOf(results.chosen) + step
    : step > 0 ? items.findIndex((item) => item.start > time) : items.findLastIndex((item) => item.start < time);
  open(items[Math.min(items.length - 1, Math.max(0, at))], player.isPlaying);
}

// MARK: The address bar holds the search and the moment

function remember(key, time, isStep) {
  const parts = new URLSearchParams(query);
  if (key) parts.set("at", key);
  if (time !== null) parts.set("t", time.toFixed(2));
  const text = parts.toString();
  const address = text ? `/?${text}` : "/";
  if (address === location.pathname + location.search) return;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
  document.title = query ? `${words.value} · framegrep` : "framegrep";
}

async function restore(key, time, signal) {
  const item = key && results.find(key);
  if (item) return open(item, false, { record: false, time });
  const id = key?.split("-")[0], before = player.source;
  const source = id && time !== null ? await recording(id, signal) : undefined;
  if (source && player.source === before) { showStage(); go(source, time); }
}

function read() {
  const parts = new URLSearchParams(location.search);
  const wantsLive = parts.get("view") === "live" || !parts.has("q") && !parts.has("at") && parts.get("view") !== "search";
  if (live.watched?.length && wantsLive) return view("live");
  view("search");
  words.value = parts.getAll("q").join(" OR ");
  for (const flag of FLAGS) box(flag).checked = parts.get(flag) === "1";
  const wanted = parts.get("at"), time = parts.has("t") ? Number(parts.get("t")) : null;
  if (!wanted) closePlayer();
  search({ wanted, time: Number.isFinite(time) ? time : null });
}

function box(flag) { return form.querySelector(`input[type=checkbox][name=${flag}]`); }

// MARK: The user's input

// Whether the page itself has put the cursor into the empty field: the first "/" is then the key that goes there, and a
// second one is typed.
let isAwaited = false;

function awaitWords() {
  words.focus({ preventScroll: true });
  isAwaited = true;
}

for (const event of ["input", "pointerdown", "blur"]) words.addEventListener(event, () => { isAwaited = false; });

let typing = 0;
words.addEventListener("input", () => {
  isTyped = true;
  clearTimeout(typing);
  if (isLive()) { get("told").textContent = "Enter searches all cameras for it, in every window."; return; }
  const length = words.value.trim().length;
  if (length === 1) return;
  typing = setTimeout(() => changed(), length ? 350 : 0);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(typing);
  rememberSearch(isLive() ? "" : asked());
  changed(true);
  // The page's keys work again.
  if (words.value.trim()) get(isLive() ? "side" : "found").focus({ preventScroll: true });
});
form.addEventListener("change", (event) => {
  // These ways to search exclude each other.
  if (WAYS.includes(event.target.name) && event.target.checked) for (const way of WAYS) if (way !== event.target.name) box(way).checked = false;
  // In the cameras' view, typed words must be entered first.
  if (event.target !== words && !(isLive() && isTyped)) changed(true);
});

// Searches if the search has changed.
function changed(isStep = false) {
  if (isLive()) return watch();
  if (asked() === query && document.body.dataset.state === "found") return;
  closePlayer();
  const before = query;
  query = asked();
  remember(null, null, isStep || !before);
  search();
}

get("home").addEventListener("click", (event) => {
  event.preventDefault();
  if (live.watched?.length) return goLive();
  words.value = "";
  changed(true);
  awaitWords();
});
get("to-live").addEventListener("click", (event) => { event.preventDefault(); goLive(); });
get("to-search").addEventListener("click", (event) => { event.preventDefault(); lookUp(isLive() ? "" : words.value); awaitWords(); });
get("more").addEventListener("click", () => { limit *= 10; search({ keep: true }); });
get("copy").addEventListener("click", copy);
get("sign-out").addEventListener("click", () => signOut().catch(trouble));
get("play").addEventListener("click", () => player.toggle());
get("video").addEventListener("click", () => player.toggle());
get("back").addEventListener("click", () => player.step(-1));
get("on").addEventListener("click", () => player.step(1));
get("previous").addEventListener("click", () => sightingBeside(-1));
get("next").addEventListener("click", () => sightingBeside(1));
get("close").addEventListener("click", closePlayer);
get("sound").addEventListener("click", () => toggle("sound"));
get("show").addEventListener("click", () => toggle("show"));
get("large").addEventListener("click", large);
get("help").addEventListener("click", () => get("keys").showModal());
get("go").addEventListener("submit", (event) => {
  event.preventDefault();
  const time = seconds(get("time").value);
  if (time === null || !player.source) return;
  go(player.source, time);
  get("time").blur();
});

function toggle(name) {
  const button = get(name), isOn = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(isOn));
  if (name === "sound") get("video").muted = !isOn;
  else { player.showsBoxes = isOn; player.draw(player.shown); }
}

function large() {
  if (document.fullscreenElement) document.exitFullscreen();
  else get("screen").requestFullscreen?.().catch(() => {});
}

// Copies the line of the playing sighting to the clipboard.
async function copy() {
  const item = results.chosen;
  if (!item || get("copy").hidden) return;
  await navigator.clipboard.writeText(item.line);
  get("copied").textContent = "Copied";
  setTimeout(() => { get("copied").textContent = ""; }, 2000);
}

const KEYS = {
  "/": () => { words.focus(); words.select(); },
  j: () => open(results.neighbor(1), false, { focus: true }),
  k: () => open(results.neighbor(-1), false, { focus: true }),
  "[": () => sightingBeside(-1),
  "]": () => sightingBeside(1),
  ",": () => player.step(-1),
  ".": () => player.step(1),
  " ": () => player.toggle(),
  ArrowLeft: () => player.seek(player.time - 5),
  ArrowRight: () => player.seek(player.time + 5),
  b: () => toggle("show"),
  c: () => copy(),
  m: () => toggle("sound"),
  f: large,
  v: () => voice.toggle(),
  l: () => { if (live.watched?.length) return isLive() ? lookUp("") : goLive(); },
  "?": () => get("keys").showModal(),
  Escape: () => { if (voice.isListening) voice.end(); else closePlayer(); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || get("keys").open || get("forget").open) return;
  const target = event.target;
  const isTyping = target.matches("input:not([type=checkbox])");
  if (isTyping) {
    if (event.key === "Escape" && voice.isListening) voice.end();
    else if (event.key === "Escape") {
      // Words that were not entered are not watched.
      if (isLive() && target === words) { unwatched(); heard(live.words); }
      target.blur();
      event.preventDefault();
    }
    if (event.key === "ArrowDown" && target === words) { KEYS.j(); event.preventDefault(); }
    if (event.key === "/" && target === words && isAwaited) {
      isAwaited = false;
      if (!words.value) event.preventDefault();
    }
    return;
  }
  // A button keeps its own keys, except for the button of a result: space plays the shown recording.
  if (event.key === " " && target.matches("button, summary, input") && !target.closest("li.sighting")) return;
  const action = KEYS[event.key];
  if (!action || (event.key === " " && !player.source)) return;
  event.preventDefault();
  action();
});

addEventListener("popstate", read);
// Elements that stick below the header need its height.
new ResizeObserver(([entry]) => document.body.style.setProperty("--head", `${Math.round(entry.borderBoxSize[0].blockSize)}px`)).observe(document.querySelector("header"));

// The height that covers the top of the page, so that rows are not scrolled below it.
new ResizeObserver(([entry]) => {
  document.body.style.setProperty("--stage", `${Math.round(entry.borderBoxSize[0].blockSize)}px`);
  // Only for a row that was just chosen; later the user may have scrolled elsewhere.
  if (performance.now() - openedAt < 1500) results.chosen?.row.scrollIntoView({ block: "nearest" });
}).observe(get("stage"));

// Another address of this page was pasted while it is open: only the part after # is new.
addEventListener("hashchange", async () => {
  const opened = await openSession();
  if (opened === true) return location.reload();
  // The key was already used, which is harmless if the page is open.
  if (opened && get("login")) {
    refusal = opened.message;
    if (isLive()) live.resume(); else read();
  }
  return undefined;
});

const opened = await openSession();
if (opened instanceof Problem) refusal = opened.message;
try { get("views").hidden = !(await live.sources()).length; } catch { /* What follows says why. */ }
if (opened instanceof Problem && opened.status !== 403) trouble(opened); else read();
