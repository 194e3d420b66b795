// Times, names and numbers as a person reads them.

export function clock(seconds, digits = 0) {
  const total = Math.max(0, digits ? seconds : Math.floor(seconds));
  const h = Math.floor(total / 3600), m = Math.floor(total / 60) % 60, s = total % 60;
  const rest = (digits ? s.toFixed(digits) : String(Math.floor(s))).padStart(digits ? 3 + digits : 2, "0");
  return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
}

// 90, 1:30, 1:02:03.5 in seconds; null for what is no time.
export function seconds(text) {
  const parts = text.trim().split(":");
  if (!parts.length || parts.length > 3 || !parts.every((part) => /^\d+(\.\d*)?$/.test(part))) return null;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

export function baseName(path) { return path.split("/").filter(Boolean).pop() ?? path; }
export function folderName(path) { return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : ""; }
// What a camera is called where there is little room: the end of a path, an address without its scheme.
export function shortName(name) {
  if (name.length <= 24) return name;
  return name.includes("://") ? name.slice(name.indexOf("://") + 3) : baseName(name);
}

export function count(number, one, many) { return `${number.toLocaleString("en")} ${number === 1 ? one : many}`; }

export function hours(total) {
  if (total < 90) return `${Math.round(total)} s`;
  if (total < 5400) return `${Math.round(total / 60)} min`;
  return `${(total / 3600).toFixed(total < 36000 ? 1 : 0)} h`;
}

// An element with text: what is shown is never markup.
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
