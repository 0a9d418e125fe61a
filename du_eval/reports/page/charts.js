"use strict";
// Charts: drawn once as SVG, named for those who cannot see them, with their numbers as a table on demand.
function figure(title, picture, options) {
  const { note = "", columns = null, rows = [], legend = [] } = options;
  const parts = [el("figcaption", { class: "name" }, title), picture];
  if (legend.length > 1) parts.push(el("div", { class: "legend" }, legend.map((name, index) => el("span", { class: `s${index % 6}` }, el("i", {}), name))));
  if (note) parts.push(el("div", { class: "soft" }, note));
  if (columns) {
    const numbers = el("details", { class: "numbers" }, el("summary", {}, "numbers"));
    numbers.addEventListener("toggle", () => { if (numbers.open && numbers.children.length === 1) numbers.append(table(columns, rows, 50)); });
    parts.push(numbers);
  }
  return el("figure", { class: "card" }, parts);
}

function canvas(title, description, width, height) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. ${description}` }, svg("desc", {}, description));
}

function ticks(low, high, most = 5) {
  const span = high - low || 1, raw = span / most, unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((one) => one >= raw * 0.999);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step) found.push(Number(value.toPrecision(6)));
  return found;
}
const plain = (value) => (value === null || value === undefined ? "–" : String(Number(value.toPrecision(4))));

// Series are { name, points: [{ x, y, low, high, n, name }], dashed }; a vertical mark is { x, text }.
function curves(title, series, options) {
  const { x = "", y = "", note = "", top = 1, mark = null } = options;
  const [width, height, left, right, above, below] = [400, 230, 38, 12, 12, 40];
  const points = series.flatMap((one) => one.points);
  if (!points.length) return null;
  const xs = points.map((point) => point.x), low = Math.min(0, ...xs), high = Math.max(...xs, mark ? mark.x : -Infinity, low + 1e-9);
  const px = (value) => left + ((value - low) / (high - low || 1)) * (width - left - right - 10) + 5;
  const py = (value) => height - below - (Math.max(0, Math.min(top, value)) / top) * (height - above - below);
  const said = series.map((one) => `${one.name}: ${one.points.map((point) => `${point.name || plain(point.x)} ${number(point.y)}`).join(", ")}`).join("; ");
  const picture = canvas(title, said, width, height);
  for (const value of ticks(0, top, 4)) picture.append(svg("line", { class: "rule", x1: left, x2: width - right, y1: py(value), y2: py(value) }), svg("text", { x: left - 6, y: py(value) + 4, "text-anchor": "end" }, plain(value)));
  for (const value of ticks(low, high, 6)) picture.append(svg("text", { x: px(value), y: height - below + 15, "text-anchor": "middle" }, plain(value)));
  picture.append(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis" }, x));
  if (mark) picture.append(svg("line", { class: "break", x1: px(mark.x), x2: px(mark.x), y1: above, y2: height - below }), svg("text", { x: px(mark.x) + (px(mark.x) > width / 2 ? -5 : 5), y: above + 9, "text-anchor": px(mark.x) > width / 2 ? "end" : "start", class: "break" }, mark.text));
  // Dashed lines come first, so that they do not cover what they are compared with.
  [...series].sort((a, b) => Number(b.dashed || 0) - Number(a.dashed || 0)).forEach((one) => {
    const group = svg("g", { class: `s${series.indexOf(one) % 6}${one.dashed ? " dashed" : ""}` });
    const known = one.points.filter((point) => point.y !== null && point.y !== undefined);
    if (known.length > 1) group.append(svg("polyline", { points: known.map((point) => `${px(point.x).toFixed(1)},${py(point.y).toFixed(1)}`).join(" ") }));
    for (const point of known) {
      if (point.low !== undefined && point.low !== null) group.append(svg("path", { class: "whisker", d: `M${px(point.x) - 3} ${py(point.low)}h6m-3 0V${py(point.high)}m-3 0h6` }));
      if (!one.dashed) group.append(svg("circle", { cx: px(point.x), cy: py(point.y), r: 3.5 }, svg("title", {}, `${one.name}, ${point.name || plain(point.x)}: ${number(point.y)}${point.n === undefined ? "" : `, n=${point.n}`}`)));
    }
    picture.append(group);
  });
  const rows = series.flatMap((one) => one.points.map((point) => ({ ...point, of: one.name })));
  const columns = [["", false, (p) => p.of], [x || "x", true, (p) => p.name || plain(p.x)], [y || "value", true, (p) => number(p.y, 3)],
    ["interval", false, (p) => (p.low === undefined || p.low === null ? "" : `${number(p.low)} – ${number(p.high)}`)], ["n", true, (p) => (p.n === undefined ? "" : String(p.n))]];
  return figure(title, picture, { note, columns, rows, legend: series.map((one) => one.name) });
}

// Values with intervals, a line each: rows are { name, value, interval, n, tone }.
function intervals(title, rows, options = {}) {
  const { domain = null, note = "", digits = 3, names = 120 } = options;
  const known = rows.filter((row) => row.value !== null && row.value !== undefined);
  if (!known.length) return null;
  const [width, line, below] = [400, 20, 20], height = rows.length * line + below;
  const ends = known.flatMap((row) => [row.value, ...(row.interval || [])]);
  let [low, high] = domain || [Math.min(...ends), Math.max(...ends)];
  if (!domain) { const room = (high - low || Math.abs(high) || 1) * 0.06; low = low >= 0 && low - room < 0 ? 0 : low - room; high += room; }
  const px = (value) => names + ((Math.max(low, Math.min(high, value)) - low) / (high - low || 1)) * (width - names - 52);
  const picture = canvas(title, rows.map((row) => `${row.name} ${number(row.value, digits)}`).join(", "), width, height);
  for (const value of ticks(low, high, 4)) picture.append(svg("line", { class: "rule", x1: px(value), x2: px(value), y1: 0, y2: height - below + 4 }), svg("text", { x: px(value), y: height - 4, "text-anchor": "middle" }, plain(value)));
  rows.forEach((row, index) => {
    const y = index * line + line / 2;
    const room = Math.floor(names / 6.2), shown = row.name.length > room ? `${row.name.slice(0, room - 1)}…` : row.name;
    picture.append(svg("text", { x: 0, y: y + 4, class: "label" }, svg("title", {}, row.name), shown));
    if (row.value === null || row.value === undefined) { picture.append(svg("text", { x: names, y: y + 4 }, "–")); return; }
    const group = svg("g", { class: row.tone || "s0" });
    if (row.interval) group.append(svg("rect", { class: "spread", x: px(row.interval[0]), y: y - 3.5, width: Math.max(1, px(row.interval[1]) - px(row.interval[0])), height: 7, rx: 3.5 }));
    group.append(svg("circle", { cx: px(row.value), cy: y, r: 4 }, svg("title", {}, `${row.name}: ${number(row.value, digits)}${row.interval ? ` (${number(row.interval[0], digits)} – ${number(row.interval[1], digits)})` : ""}`)));
    picture.append(group, svg("text", { x: width, y: y + 4, "text-anchor": "end", class: "label" }, number(row.value, digits)));
  });
  const columns = [["", false, (r) => r.name], ["value", true, (r) => number(r.value, digits)], ["interval", false, (r) => (r.interval ? `${number(r.interval[0], digits)} – ${number(r.interval[1], digits)}` : "")], ["n", true, (r) => (r.n === undefined ? "" : String(r.n))]];
  return figure(title, picture, { note, columns, rows });
}

function histogram(title, values, text, options = {}) {
  if (!values || values.bins.length < 1) return null;
  const { threshold = null, note = "" } = options;
  const [width, height, most] = [400, 120, Math.max(...values.bins)];
  const step = width / values.bins.length;
  const edge = (index) => (values.is_wide ? values.low * (values.high / values.low) ** (index / values.bins.length) : values.low + ((values.high - values.low) * index) / values.bins.length);
  const picture = canvas(title, `from ${text(values.low)} to ${text(values.high)}`, width, height + 20);
  values.bins.forEach((n, index) => {
    const size = n ? Math.max(2, (n / most) * (height - 6)) : 0;
    if (n) picture.append(svg("rect", { x: index * step + 1, y: height - size, width: Math.max(1, step - 2), height: size, rx: 1.5 }, svg("title", {}, `${text(edge(index))} to ${text(edge(index + 1))}: ${n}`)));
  });
  picture.append(svg("line", { class: "rule", x1: 0, x2: width, y1: height, y2: height }), svg("text", { x: 0, y: height + 14 }, text(values.low)), svg("text", { x: width, y: height + 14, "text-anchor": "end" }, text(values.high)));
  if (threshold !== null) {
    const x = ((threshold - values.low) / (values.high - values.low || 1)) * width;
    picture.append(svg("line", { class: "break", x1: x, x2: x, y1: 0, y2: height }), svg("text", { class: "break", x: x + (x > width / 2 ? -4 : 4), y: 10, "text-anchor": x > width / 2 ? "end" : "start" }, `threshold ${plain(threshold)}`));
  }
  const shares = Object.entries(values.percentiles || {}).map(([key, value]) => `${key} ${text(value)}`).join("  ");
  const rows = values.bins.map((n, index) => [`${text(edge(index))} to ${text(edge(index + 1))}`, n]).filter(([, n]) => n);
  return figure(title, picture, { note: [shares, note].filter(Boolean).join(" · "), columns: [["from, to", false, (r) => r[0]], ["count", true, (r) => String(r[1])]], rows });
}
const charts = (...children) => { const found = children.flat(Infinity).filter(Boolean); return found.length ? el("div", { class: "charts" }, found) : null; };
