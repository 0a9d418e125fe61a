"use strict";
// Charts: drawn once as SVG, named for those who cannot see them, with their numbers as a table on demand.
function chart(title, picture, options) {
  const numbers = el("details", { class: "numbers" }, el("summary", {}, "numbers"));
  numbers.addEventListener("toggle", () => { if (numbers.open && numbers.children.length === 1) numbers.append(...table({ title, columns: options.columns, rows: options.rows }, null).filter(Boolean)); });
  const legend = options.legend && options.legend.length > 1 ? el("div", { class: "legend" }, options.legend.map((name, at) => el("span", { class: `s${at % 6}` }, el("i"), name))) : null;
  return el("figure", { class: "card" }, picture, legend, options.remark ? el("div", { class: "soft" }, options.remark) : null, numbers);
}

const canvas = (title, description, width, height) => svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. ${description}` });

function ticks(low, high, most) {
  const raw = (high - low || 1) / most, unit = 10 ** Math.floor(Math.log10(raw)), found = [];
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((one) => one >= raw * 0.999);
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step) found.push(Number(value.toPrecision(6)));
  return found;
}

function range(values, least) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return least === null ? [low - room, high + room] : [Math.min(least, low), high + room];
}

// Measured points over a quantity, with whiskers for their intervals.
function curve(section) {
  const [width, height, left, right, above, below] = [560, 260, 44, 14, 12, 42];
  const points = section.series.flatMap(([, own]) => own).filter((point) => point[1] !== null);
  if (!points.length) return el("p", { class: "soft" }, "Nothing was measured.");
  const [x0, x1] = range(points.map((point) => point[0]), null);
  const [y0, y1] = section.share ? [0, 1] : range(points.flatMap(([, value, low, high]) => [value, low ?? value, high ?? value]), 0);
  const px = (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right);
  const py = (value) => height - below - ((Math.max(y0, Math.min(y1, value)) - y0) / (y1 - y0)) * (height - above - below);
  const said = section.series.map(([name, own]) => `${name}: ${own.map(([x, , , , label, shown]) => `${label || plain(x)} ${shown}`).join(", ")}`).join("; ");
  const picture = canvas(section.title, said, width, height);
  for (const value of ticks(y0, y1, 4)) picture.append(svg("line", { class: "rule", x1: left, x2: width - right, y1: py(value), y2: py(value) }), svg("text", { x: left - 6, y: py(value) + 4, "text-anchor": "end" }, plain(value)));
  const named = new Map(points.filter((point) => point[4]).map((point) => [point[0], point[4]]));
  let end = -Infinity; // names that would cover the one before are left out; the numbers below have them
  for (const value of (named.size ? [...named.keys()] : ticks(x0, x1, 6)).sort((one, other) => one - other)) {
    const name = named.get(value) || plain(value), half = name.length * 3.2;
    if (px(value) - half > end) { picture.append(svg("text", { x: px(value), y: height - below + 16, "text-anchor": "middle" }, name)); end = px(value) + half; }
  }
  picture.append(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, section.axes[0]));
  section.series.forEach(([name, own], at) => picture.append(line(name, own.filter((point) => point[1] !== null), at, px, py)));
  const rows = section.series.flatMap(([name, own]) => own.map(([x, value, low, high, label, shown]) => [name, [label || plain(x), x, null], [shown, value, null]]));
  const columns = [["series", "text", ""], [section.axes[0], "number", ""], [section.axes[1], "number", ""]];
  return chart(section.title, picture, { legend: section.series.map(([name]) => name), columns, rows });
}

function line(name, points, at, px, py) {
  const group = svg("g", { class: `s${at % 6}` });
  if (points.length > 1) group.append(svg("polyline", { points: points.map(([x, value]) => `${px(x).toFixed(1)},${py(value).toFixed(1)}`).join(" ") }));
  for (const [x, value, low, high, label, shown] of points) {
    if (low !== null) group.append(svg("path", { class: "whisker", d: `M${px(x) - 3} ${py(low)}h6m-3 0V${py(high)}m-3 0h6` }));
    group.append(svg("circle", { cx: px(x), cy: py(value), r: 3.5 }, svg("title", {}, `${name}, ${label || plain(x)}: ${shown}`)));
  }
  return group;
}

// Counts by name, or how often values fall into bins.
function bars(section) {
  const [width, height, below] = [560, 150, 22], n = section.labels.length;
  if (!n) return el("p", { class: "soft" }, "Nothing was counted.");
  const most = Math.max(1, ...section.counts), step = width / n, every = Math.ceil(n / 7);
  const picture = canvas(section.title, section.labels.map((label, at) => `${label}: ${section.counts[at]}`).join(", "), width, height);
  section.counts.forEach((value, at) => {
    const size = value ? Math.max(2, (value / most) * (height - below - 14)) : 0, x = at * step;
    if (value) picture.append(svg("rect", { x: x + 1.5, y: height - below - size, width: Math.max(1, step - 3), height: size, rx: 2 }, svg("title", {}, `${section.labels[at]}: ${value}`)));
    if (value && n <= 14) picture.append(svg("text", { x: x + step / 2, y: height - below - size - 4, "text-anchor": "middle" }, count(value)));
    if (at % every === 0) picture.append(svg("text", { x: x + step / 2, y: height - 6, "text-anchor": "middle" }, section.labels[at].length * 6.5 > step * every ? `${section.labels[at].slice(0, Math.max(1, Math.floor((step * every) / 6.5) - 1))}…` : section.labels[at]));
  });
  picture.append(svg("line", { class: "rule", x1: 0, x2: width, y1: height - below, y2: height - below }));
  const rows = section.labels.map((label, at) => [label, [count(section.counts[at]), section.counts[at], null]]);
  return chart(section.title, picture, { remark: section.remark, columns: [[section.unit || "value", "text", ""], ["count", "number", ""]], rows });
}
Object.assign(DRAW, { curve, bars });
