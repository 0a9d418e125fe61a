"use strict";
// All text of test cases reaches the page as text nodes: nothing of it is ever read as markup.
const DATA = JSON.parse(document.getElementById("data").textContent);
const MARKS = { passed: "✓", failed: "✗", errored: "!", unjudged: "?", none: "" };
const SVG = "http://www.w3.org/2000/svg";

function el(name, options, ...children) { return filled(document.createElement(name), options, children); }
function svg(name, options, ...children) { return filled(document.createElementNS(SVG, name), options, children); }

function filled(node, options, children) {
  for (const [key, value] of Object.entries(options || {})) {
    if (key === "class") node.setAttribute("class", value);
    else if (key === "on") for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (key === "style") for (const [name, text] of Object.entries(value)) node.style.setProperty(name, text);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const number = (value, digits = 2) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const count = (value) => value.toLocaleString("en");
const short = (value) => (value === null || value === undefined ? "–" : value < 1 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(2)} s`);

function section(id, title, ...children) {
  const found = children.flat(Infinity).filter((child) => child !== null);
  if (!found.length) return null;
  return el("section", { id, "aria-label": title }, el("h2", {}, title), ...found);
}

function measure(name, found) {
  if (!found) return null;
  const spread = found.interval ? `${number(found.interval[0])} – ${number(found.interval[1])}` : "no interval";
  const card = el("div", { class: "card" }, el("div", { class: "name" }, name), el("div", { class: "figure" }, number(found.value, 3)));
  card.append(el("div", { class: "soft" }, found.n === undefined ? spread : `${spread}, n=${count(found.n)}`));
  if (found.value !== null && found.interval) card.append(bar(found.value, found.interval));
  return card;
}

function bar(value, interval) {
  const percent = (share) => `${(100 * Math.max(0, Math.min(1, share))).toFixed(1)}%`;
  return el("div", { class: "bar", "aria-hidden": "true" },
    interval ? el("i", { style: { left: percent(interval[0]), width: percent(interval[1] - interval[0]) } }) : null,
    el("b", { style: { left: percent(value) } }));
}

function tally(name, counts) {
  const total = counts.passed + counts.failed + counts.errored;
  const parts = ["passed", "failed", "errored"].filter((key) => counts[key]);
  return el("div", { class: "card" }, el("div", { class: "name" }, name),
    el("div", { class: "figure" }, `${count(counts.passed)} / ${count(total)}`),
    el("div", { class: "soft" }, parts.map((key, index) => [index ? ", " : "", el("span", { class: key }, `${MARKS[key]} ${count(counts[key])} ${key}`)]).flat()),
    el("div", { class: "stack", "aria-hidden": "true" }, parts.map((key) => el("i", { class: key, style: { flex: String(counts[key]) } }))));
}

// A table whose columns sort when their heading is pressed: columns are [heading, is number, text of a row, node of a row].
// It is one tab stop: arrow keys move between its rows, Enter opens one where there is something to open.
function table(columns, rows, limit = 50, open = null) {
  const body = el("tbody", { class: open ? "opens" : "" });
  let shown = limit, order = null, turned = false;
  const more = el("button", { type: "button", class: "more", on: { click: () => { shown = Math.min(rows.length, shown + 500); draw(); } } });
  const line = (row, index) => {
    const act = open ? { click: () => open(row), keydown: (event) => { if (event.key === "Enter") open(row); } } : {};
    return el("tr", { tabindex: index ? "-1" : "0", on: act }, columns.map(([, right, text, node]) => el("td", { class: right ? "n" : "" }, node ? node(row) : text(row))));
  };
  function draw() {
    const sorted = order === null ? rows : [...rows].sort((a, b) => {
      const [x, y] = [columns[order][2](a), columns[order][2](b)];
      const [p, q] = [parseFloat(x), parseFloat(y)];
      const result = columns[order][1] && !(isNaN(p) && isNaN(q)) ? (isNaN(p) ? -1 : p) - (isNaN(q) ? -1 : q) : String(x).localeCompare(String(y));
      return turned ? -result : result;
    });
    body.replaceChildren(...sorted.slice(0, shown).map(line));
    more.hidden = rows.length <= shown;
    more.textContent = `show more of ${count(rows.length)}`;
    heads.forEach((head, index) => head.setAttribute("aria-sort", order !== index ? "none" : turned ? "descending" : "ascending"));
  }
  const heads = columns.map(([name, right], index) => el("th", { class: right ? "n" : "", scope: "col" },
    el("button", { type: "button", title: `sort by ${name}`, on: { click: () => { turned = order === index ? !turned : right; order = index; draw(); } } }, name)));
  draw();
  roving(body, "tr");
  return el("div", {}, el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body)), more);
}

// A group of things is one tab stop; arrow keys move inside it, in a grid also between its lines.
function roving(group, item, line = null) {
  group.addEventListener("focusin", (event) => {
    const now = event.target.closest(item);
    if (!now) return;
    for (const other of group.querySelectorAll(`${item}[tabindex="0"]`)) other.setAttribute("tabindex", "-1");
    now.setAttribute("tabindex", "0");
  });
  group.addEventListener("keydown", (event) => {
    const now = event.target.closest(item);
    if (!now || event.target !== now) return;
    const all = [...group.querySelectorAll(item)], at = all.indexOf(now);
    const next = { Home: all[0], End: all[all.length - 1] }[event.key] || (line ? inGrid(event.key, now, all, at) : { ArrowDown: all[at + 1], ArrowUp: all[at - 1] }[event.key]);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  function inGrid(key, now, all, at) {
    if (key === "ArrowRight" || key === "ArrowLeft") return all[at + (key === "ArrowRight" ? 1 : -1)];
    if (key !== "ArrowDown" && key !== "ArrowUp") return null;
    const lines = [...group.querySelectorAll(line)], mine = lines.indexOf(now.closest(line));
    const target = lines[mine + (key === "ArrowDown" ? 1 : -1)];
    if (!target) return null;
    const cells = [...target.querySelectorAll(item)], place = [...now.closest(line).querySelectorAll(item)].indexOf(now);
    return cells[Math.min(place, cells.length - 1)];
  }
}

function metricTable(name, metrics, open = null) {
  const rows = Object.entries(metrics || {});
  if (!rows.length) return null;
  const value = (found) => (found !== null && typeof found === "object" ? found.value : found);
  const spread = (found) => (found !== null && typeof found === "object" && found.interval ? `${number(found.interval[0])} – ${number(found.interval[1])}` : "");
  const columns = [
    [name, false, ([key]) => key],
    ["expected", true, ([, m]) => String(m.tp + m.fn)],
    ["right", true, ([, m]) => String(m.tp)],
    ["wrongly predicted", true, ([, m]) => String(m.fp)],
    ["missed", true, ([, m]) => String(m.fn)],
    ["precision", true, ([, m]) => number(value(m.precision))],
    ["recall", true, ([, m]) => number(value(m.recall))],
    ["F1", true, ([, m]) => number(value(m.f1_score))],
  ];
  if (rows.some(([, m]) => spread(m.f1_score))) columns.push(["F1, 95 % interval", false, ([, m]) => spread(m.f1_score), ([, m]) => (spread(m.f1_score) ? el("span", { class: "rate" }, bar(m.f1_score.value, m.f1_score.interval), spread(m.f1_score)) : "")]);
  const wrong = ([, m]) => m.fp + m.fn;
  return table(columns, rows.sort((a, b) => wrong(b) - wrong(a)), 15, open);
}

function matrix(pairs, limit = 30) {
  const total = new Map();
  for (const [expected, predicted, n] of pairs) if (expected !== predicted) for (const key of [expected, predicted]) total.set(key, (total.get(key) || 0) + n);
  if (!total.size) return null;
  const ranked = [...total].sort((a, b) => b[1] - a[1]).slice(0, limit).map(([key]) => key);
  const rows = ranked.filter((key) => pairs.some(([expected]) => expected === key)).sort();
  const columns = ranked.filter((key) => pairs.some(([, predicted]) => predicted === key)).sort();
  const cells = new Map(pairs.map(([expected, predicted, n]) => [JSON.stringify([expected, predicted]), n]));
  const head = el("tr", {}, el("th", { scope: "col" }, "expected ↓  predicted →"), columns.map((key) => el("th", { class: "turned", scope: "col" }, key)));
  const body = rows.map((row) => {
    const sum = pairs.filter(([expected]) => expected === row).reduce((all, [, , n]) => all + n, 0);
    return el("tr", {}, el("th", { scope: "row" }, row), columns.map((column) => {
      const n = cells.get(JSON.stringify([row, column])) || 0;
      const wrong = row !== column;
      const colour = `rgb(var(${wrong ? "--bad-heat" : "--heat"}) / ${n ? (0.12 + 0.6 * n / sum).toFixed(2) : 0})`;
      return el("td", { class: wrong && n ? "wrong" : "", style: { background: colour }, title: `${row} → ${column}: ${n}` }, n ? String(n) : "");
    }));
  });
  const note = total.size > ranked.length ? el("p", { class: "soft" }, `the ${ranked.length} most confused of ${total.size}`) : null;
  return el("div", {}, el("div", { class: "scroll" }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, body))), note);
}

function confusedWith(title, lists) {
  const rows = Object.entries(lists || {});
  if (!rows.length) return null;
  const sum = (list) => list.reduce((all, [, n]) => all + n, 0);
  rows.sort((a, b) => sum(b[1]) - sum(a[1]));
  return table([[title, false, ([key]) => key], ["mistakes", true, ([, list]) => String(sum(list))], ["became", false, ([, list]) => list.map(([key, n]) => `${key} (${n})`).join(", ")]], rows, 15);
}
