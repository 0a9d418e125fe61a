"use strict";
// Sections of a report: notes, figures, tables, matrices, conversations, differences.
const ROWS = 12;

function note(section) {
  return el("p", { class: `note ${section.tone}` }, section.tone === "plain" ? null : el("span", { class: "mark", "aria-hidden": "true" }, MARKS[section.tone]), section.text);
}

function figures(section) {
  const card = (one) => el("div", { class: "card", title: one.method || null }, el("div", { class: "name" }, one.name), el("div", { class: "figure" }, one.shown),
    el("div", { class: "soft" }, one.spread, one.better === "lower" ? " · lower is better" : null), one.share ? spread(one.share[0], one.share[1]) : null);
  return el("div", { class: "cards" }, section.figures.map(card));
}

const isNumber = (look) => look === "number" || look === "share";
const isOutcome = (cell, look) => look === "outcome" && MARKS[cell] !== undefined;

function cellContent(cell, look) {
  if (cell === null) return el("span", { class: "soft" }, "–");
  if (isOutcome(cell, look)) return [mark(cell), " ", el("span", { class: cell }, cell)];
  if (typeof cell === "string") return look === "code" ? code(cell) : cell;
  const [shown, value, ends] = cell, [first, ...rest] = shown.split(" (");
  return rest.length || ends ? el("span", { class: "rate" }, ends ? spread(value, ends) : null, el("span", {}, first, rest.length ? el("span", { class: "soft" }, ` (${rest.join(" (")}`) : null)) : shown;
}

const sortKey = (cell) => (Array.isArray(cell) ? cell[1] : cell);
function compare(one, other) {
  const [a, b] = [sortKey(one), sortKey(other)];
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number" && typeof b === "number" ? b - a : String(a).localeCompare(String(b));
}

// A table whose columns can be sorted; a cell of a column with a facet filters the list.
function table(section, choose) {
  const isDense = section.columns.filter(([, look]) => isNumber(look)).length > 3;
  const state = { shown: ROWS };
  let rows = section.rows, sorted = -1, isBack = false;
  const body = el("tbody"), more = button("", () => { state.shown += 200; draw(); }, { class: "more" });
  const cell = (content, [, look, facet], tag) => {
    const value = typeof content === "string" ? content : null;
    const inner = facet && choose && value !== null && choose.isKnown(facet, value) ? button(cellContent(content, look), () => choose(facet, value), { class: "pick", title: `show only ${facet}: ${value}` }) : cellContent(isDense && Array.isArray(content) ? [content[0].replace(/, n=\d+\)$/, ")"), ...content.slice(1)] : content, look);
    return el(tag, { class: isNumber(look) ? "n" : look, scope: tag === "th" ? "row" : null, title: isDense && Array.isArray(content) ? content[0] : null }, inner);
  };
  const draw = () => {
    body.replaceChildren(...rows.slice(0, state.shown).map((row) => el("tr", {}, row.map((one, at) => cell(one, section.columns[at], at === 0 && !isNumber(section.columns[0][1]) ? "th" : "td")))));
    more.textContent = `show more of ${count(rows.length)} rows`;
    more.hidden = rows.length <= state.shown;
  };
  const heads = section.columns.map(([name, look], at) => el("th", { class: isNumber(look) ? "n" : null, scope: "col", "data-name": section.rows.length > 2 ? name : null }, section.rows.length > 2 ? button(name || "·", () => sort(at), { class: "sort" }) : name));
  function sort(at) {
    isBack = sorted === at ? !isBack : false;
    sorted = at;
    rows = [...section.rows].sort((one, other) => compare(one[at], other[at]) * (isBack ? -1 : 1));
    heads.forEach((head, number) => { if (number === at) head.setAttribute("aria-sort", isBack === isNumber(section.columns[at][1]) ? "ascending" : "descending"); else head.removeAttribute("aria-sort"); });
    draw();
  }
  draw();
  const scroll = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": section.title || "table" }, el("table", { class: isDense ? "dense" : null }, el("thead", {}, el("tr", {}, heads)), body));
  return [printable(scroll, state, draw), more, section.remark ? el("p", { class: "soft" }, section.remark) : null];
}

// Counts of pairs: what is equal on both sides is right, everything else is wrong.
function matrix(section, choose) {
  const most = Math.max(1, ...section.counts.flat());
  const cell = (n, row, column) => {
    if (!n) return el("td", { class: "none" }, "");
    const isRight = row === column, name = `${row} → ${column}`;
    const inner = section.facet && choose && choose.isKnown(section.facet, name) ? button(count(n), () => choose(section.facet, name), { class: "pick", "aria-label": `${name}: ${n}` }) : count(n);
    return el("td", { class: isRight ? "right" : "wrong", title: `${name}: ${n}`, style: { "--heat": String(0.12 + (0.3 * n) / most) } }, inner);
  };
  const head = el("tr", {}, el("th", { scope: "col" }, `${section.axes[0]} ↓ ${section.axes[1]} →`), section.columns.map((name) => el("th", { class: "turned", scope: "col" }, code(name))));
  const rows = section.rows.map((name, at) => el("tr", {}, el("th", { scope: "row" }, code(name)), section.columns.map((column, place) => cell(section.counts[at][place], name, column))));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": section.title }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, rows)));
}

function diff(section) {
  const nothing = () => el("span", { class: "soft" }, "(nothing)");
  const cells = section.rows.map(([expected, actual, agrees]) => [el("div", { class: agrees ? "" : expected ? "missing" : "" }, expected ? code(expected) : nothing()), el("div", { class: agrees ? "" : actual ? "unexpected" : "" }, actual ? code(actual) : nothing())]);
  const empty = section.rows.length ? [] : [el("div", {}, nothing()), el("div", {}, nothing())];
  return el("div", { class: "diff", tabindex: "0", role: "group", "aria-label": section.titles.join(" and ") }, section.titles.map((title) => el("div", { class: "head" }, title)), cells, empty);
}

function talk(section) {
  const said = section.lines.map(([who, text, remark, outcome, isCode]) => el("li", { class: `bubble ${["user", "tester"].includes(who) ? "" : "right"} ${outcome || ""}` }, el("span", { class: "who" }, outcome ? mark(outcome) : null, who),
    text ? el("p", {}, isCode ? code(text) : text) : el("p", { class: "soft" }, "(nothing was said)"), remark ? el("p", { class: "soft remark" }, remark.split(/(?<=\/)/).map((part) => [part, el("wbr")])) : null));
  return el("ol", { class: "chat" }, said);
}

const facts = (section) => el("dl", { class: "facts" }, section.rows.map(([name, value]) => [el("dt", {}, name || "·"), el("dd", {}, value)]));
const text = (section) => el("pre", { tabindex: "0", role: "group", "aria-label": section.title || "text" }, section.text || "(empty)");

const DRAW = { note, figures, table, matrix, diff, talk, facts, text };
const TITLES = { diff: "Expected and actual", talk: "Conversation" };

// What only those want who look for it: drawn when it is opened.
function closed(title, tag, draw, options) {
  const box = el("details", { class: "minor", ...options }, el("summary", {}, el(tag, {}, title)));
  const unfold = () => { if (box.open && box.children.length === 1) box.append(...[draw()].flat().filter(Boolean)); };
  box.addEventListener("toggle", unfold);
  box.setOpen = () => { box.open = true; unfold(); };
  return box;
}

// What opens below an entry.
function details(parts) {
  return parts.map((part) => {
    const title = part.title || TITLES[part.is] || "";
    if (part.minor) return closed(title, "h3", () => DRAW[part.is](part, null));
    return [title && part.is !== "diff" ? el("h3", {}, title) : null, DRAW[part.is](part, null)];
  });
}
