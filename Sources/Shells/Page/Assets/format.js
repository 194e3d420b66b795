// Formats times, names and numbers for users.

export function clock(seconds, digits = 0) {
  const total = Math.max(0, digits ? seconds : Math.floor(seconds));
  const h = Math.floor(total / 3600), m = Math.floor(total / 60) % 60, s = total % 60;
  const rest = (digits ? s.toFixed(digits) : String(Math.floor(s))).padStart(digits ? 3 + digits : 2, "0");
  return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
}

// Returns the seconds of 90, 1:30 or 1:02:03.5; null for other texts.
export function seconds(text) {
  const parts = text.trim().split(":");
  if (!parts.length || parts.length > 3 || !parts.every((part) => /^\d+(\.\d*)?$/.test(part))) return null;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

// Shows invisible characters, which can make one name look like another (U+202E reverses the text after it), by their
// code points. Joiners belong to the letters of some scripts, but not to ASCII.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e007f}]|(?<=[ -~])[\u200c\u200d]|[\u200c\u200d](?=[ -~])/gu;
export function visible(name) { return name.replace(UNSEEN, (each) => `⟨U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`); }

export function baseName(path) { return visible(path.split("/").filter(Boolean).pop() ?? path); }
export function folderName(path) { return path.includes("/") ? visible(path.slice(0, path.lastIndexOf("/")) || "/") : ""; }
// Returns the short name of a camera: the end of a path, or an address without its scheme.
export function shortName(name) {
  if (name.length <= 24) return visible(name);
  return name.includes("://") ? visible(name.slice(name.indexOf("://") + 3)) : baseName(name);
}

export function count(number, one, many) { return `${number.toLocaleString("en")} ${number === 1 ? one : many}`; }

export function hours(total) {
  if (total < 90) return `${Math.round(total)} s`;
  if (total < 5400) return `${Math.round(total / 60)} min`;
  return `${(total / 3600).toFixed(total < 36000 ? 1 : 0)} h`;
}

// Creates an element with text, which is never interpreted as markup.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Returns a line with the match marked. With `most`, a long beginning is cut, so that the match is visible in two
// lines.
export function marked(line, text, most = Infinity) {
  const at = text ? line.indexOf(text) : -1;
  if (at < 0) return [line];
  const from = at <= most ? 0 : line.indexOf(" ", at - most) + 1 || at;
  return [from > 0 && from <= at ? "… " : "", line.slice(Math.min(from, at), at), element("mark", {}, text), line.slice(at + text.length)];
}
