// Draws boxes on pictures of recordings and cameras.

const COLORS = ["#ffe08a", "#8fdcff", "#b9f2a1", "#ffb8d6", "#d3c2ff", "#ffcba4"];

// Draws around four corners, in pixels of the canvas; `ratio` of these are one pixel of the screen.
export function outline(context, corners, { isChosen = false, ratio = window.devicePixelRatio || 1, index = 0, alpha = 1, label = "" } = {}) {
  // Leave a little room on each side, so that the letters are not touched.
  const room = 4.5 * ratio, [p, q, r, o] = corners;
  const unit = ([x, y]) => { const length = Math.hypot(x, y) || 1; return [x / length * room, y / length * room]; };
  const [ax, ay] = unit([q[0] - p[0] + r[0] - o[0], q[1] - p[1] + r[1] - o[1]]);
  const [dx, dy] = unit([o[0] - p[0] + r[0] - q[0], o[1] - p[1] + r[1] - q[1]]);
  const grown = [[p[0] - ax - dx, p[1] - ay - dy], [q[0] + ax - dx, q[1] + ay - dy], [r[0] + ax + dx, r[1] + ay + dy], [o[0] - ax + dx, o[1] - ay + dy]];
  const color = isChosen ? "#ffc53d" : COLORS[index % COLORS.length];
  context.globalAlpha = alpha;
  context.beginPath();
  grown.forEach(([x, y], at) => (at ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.lineJoin = "round";
  context.strokeStyle = "rgba(0, 0, 0, 0.75)";
  context.lineWidth = (isChosen ? 6 : 5) * ratio;
  context.stroke();
  context.strokeStyle = color;
  context.lineWidth = (isChosen ? 3 : 2) * ratio;
  context.stroke();
  if (label) name(context, grown, label, color, ratio);
  context.globalAlpha = 1;
}

function name(context, corners, text, color, ratio) {
  const height = 18 * ratio, left = Math.min(...corners.map(([x]) => x)), top = Math.min(...corners.map(([, y]) => y));
  context.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  const shown = text.length > 24 ? `${text.slice(0, 23)}…` : text;
  const width = context.measureText(shown).width + 10 * ratio, y = Math.max(0, top - height - 2 * ratio);
  context.fillStyle = color;
  context.fillRect(left, y, width, height);
  context.fillStyle = "#16181d";
  context.fillText(shown, left + 5 * ratio, y + height / 2);
}
