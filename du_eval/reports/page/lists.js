"use strict";
// Lists of rows that open: search, filters, and only the few rows that are looked at are drawn.
const PAGE = 100, WIDEST = 400;

// what is { id, title, noun, rows, fields, head, body, is, buttons, selects, start }.
function explorer(what) {
  const { rows, noun } = what;
  for (const row of rows) row.fields = what.fields(row).map((text) => String(text === null || text === undefined ? "" : text).toLowerCase());
  const state = { text: "", button: what.start || "", shown: PAGE, chosen: what.selects.map(() => "") };
  const list = el("div", { class: "rows" }), status = el("p", { class: "soft", role: "status" });
  const more = el("button", { type: "button", class: "more", on: { click: () => { state.shown += PAGE; draw(); } } }, "show more");
  const buttons = what.buttons.map(([key, name]) => el("button", { type: "button", "data-outcome": key, on: { click: () => change({ button: key }) } }, name));
  const boxes = what.selects.map((box, index) => box.values.length > (box.least || 0) ? el("select", { "aria-label": box.name, "data-name": box.name, on: { change: (event) => { state.chosen[index] = event.target.value; change({}); } } },
    el("option", { value: "" }, `any ${box.name}`), box.values.map((value) => el("option", { value }, box.text ? box.text(value) : value))) : null);
  const search = el("input", { type: "search", placeholder: `search ${what.noun}  ( / )`, "aria-label": `search ${what.noun}`, on: { input: (event) => change({ text: event.target.value.toLowerCase() }) } });
  function change(values) { Object.assign(state, values, { shown: PAGE }); draw(); }
  function isWanted(row) {
    return (!state.button || what.is(row, state.button)) && what.selects.every((box, index) => !state.chosen[index] || box.is(row, state.chosen[index]))
      && (!state.text || row.fields.some((field) => field.includes(state.text)));
  }
  function draw() {
    const found = rows.filter(isWanted);
    list.replaceChildren(...found.slice(0, state.shown).map((row, index) => opening(what, row, index === 0)));
    status.textContent = `${count(found.length)} of ${count(rows.length)} ${noun}${found.length > state.shown ? `, the first ${state.shown} are shown` : ""}`;
    more.hidden = found.length <= state.shown;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.outcome === state.button));
  }
  draw();
  roving(list, "summary.row");
  function cleared() {
    Object.assign(state, { text: "", button: "", shown: PAGE, chosen: what.selects.map(() => "") });
    search.value = "";
    for (const box of boxes) if (box) box.value = "";
  }
  // Shows only the rows of one value of a filter, for those who press that value in a table.
  const choose = (name, value, button = "") => {
    cleared();
    const at = what.selects.findIndex((box) => box.name === name);
    state.chosen[at] = value;
    if (boxes[at]) boxes[at].value = value;
    state.button = button;
    draw();
    (boxes[at] || search).focus({ preventScroll: true });
    search.scrollIntoView({ block: "center" });
  };
  const open = (row) => {
    cleared();
    draw();
    const node = opening(what, row, true);
    node.open = true;
    list.replaceChildren(node);
    more.hidden = true;
    status.textContent = `one of ${count(rows.length)} ${noun}, chosen above; press a filter to see all of them`;
    node.querySelector("summary").focus({ preventScroll: true });
    list.scrollIntoView({ block: "center" });
  };
  return [section(what.id, what.title, el("div", { class: "filters" }, search, buttons, boxes), status, list, more), open, choose];
}

function opening(what, row, isFirst) {
  const body = el("details", { class: "step" }, el("summary", { class: "row", tabindex: isFirst ? "0" : "-1" }, what.head(row)));
  body.addEventListener("toggle", () => { if (body.open && body.children.length === 1) body.append(what.body(row)); });
  return body;
}

const mark = (outcome) => el("span", { class: `mark ${outcome}`, title: outcome, role: "img", "aria-label": outcome }, MARKS[outcome]);
const OUTCOMES = [["", "all"], ["failed", "failed"], ["errored", "errored"], ["passed", "passed"]];

// Lines of squares: lines are { name, title, cells: [{ outcome, title, row }] }; a square opens its row.
function squares(lines, open, options = {}) {
  const body = el("div", { class: "heat", role: "group", "aria-label": options.label || "squares" });
  let shown = 40;
  const more = el("button", { type: "button", class: "more", on: { click: () => { shown += 200; draw(); } } }, "show more");
  const cell = (one, isFirst) => el("button", { type: "button", class: one.outcome, tabindex: isFirst ? "0" : "-1", title: `${one.outcome}: ${one.title}`, "aria-label": `${one.name}, ${one.outcome}`, on: { click: () => open(one.row) } }, one.outcome === "passed" ? "" : MARKS[one.outcome]);
  function draw() {
    body.replaceChildren(...lines.slice(0, shown).map((line, index) => el("div", { class: "line" },
      options.pick ? el("button", { type: "button", class: "name", title: line.title, on: { click: () => options.pick(line) } }, line.name) : el("span", { class: "name", title: line.title }, line.name),
      el("div", { class: "cells" }, line.cells.slice(0, WIDEST).map((one, place) => cell(one, index === 0 && place === 0)), line.cells.length > WIDEST ? el("span", { class: "soft" }, `and ${count(line.cells.length - WIDEST)} more`) : null))));
    more.hidden = lines.length <= shown;
  }
  draw();
  roving(body, ".cells button", ".line");
  return [body, more];
}

// What is said, as bubbles; extra stands below a bubble.
function bubble(who, text, options = {}) {
  const { side = "left", extra = [], now = false, missing = "(nothing was said)" } = options;
  const said = text === null || text === undefined || text === "" ? el("p", { class: "soft" }, missing) : el("p", {}, text);
  return el("li", { class: `bubble ${side}${now ? " now" : ""}` }, el("span", { class: "who" }, who), said, extra);
}

function keys() {
  document.addEventListener("keydown", (event) => {
    const target = event.target, isTyping = target.matches("input, select, textarea");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const box = document.querySelector("main input[type=search]");
      if (box) { event.preventDefault(); box.focus(); box.select(); }
    }
    if (event.key !== "Escape") return;
    if (target.matches("input[type=search]") && target.value) { event.preventDefault(); target.value = ""; target.dispatchEvent(new Event("input")); return; }
    const open = target.closest("details[open]");
    if (open) { event.preventDefault(); open.open = false; open.querySelector("summary").focus(); }
  });
}
