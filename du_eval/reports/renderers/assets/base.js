"use strict";
// All foreign text reaches the page as text nodes: nothing of it is ever read as markup.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const HEADS = read("data"), VIEWS = new Map();
// Whoever shows the page may add to it: below an entry that is opened, to a view that is shown, and at the start.
const HOOKS = { entry: [], shown: [], start: [] };

// A view is read when it is shown for the first time.
function findView(number) {
  if (!VIEWS.has(number) && HEADS[number]) VIEWS.set(number, read(`view-${number}`));
  return VIEWS.get(number);
}

const OUTCOMES = ["", "passed", "failed", "undecided", "errored"];
const MARKS = { passed: "✓", failed: "✗", undecided: "?", errored: "!", good: "✓", bad: "✗", open: "!", plain: "", "": "·" };
const SVG = "http://www.w3.org/2000/svg";

function el(name, options, ...children) { return fill(document.createElement(name), options, children); }
function svg(name, options, ...children) { return fill(document.createElementNS(SVG, name), options, children); }

function fill(node, options, children) {
  for (const [key, value] of Object.entries(options || {})) {
    if (key === "on") for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else if (key === "style") for (const [name, text] of Object.entries(value)) node.style.setProperty(name, text);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== "") node.append(child);
  return node;
}

const count = (value) => value.toLocaleString("en");
const plain = (value) => (value === null || value === undefined ? "–" : String(Number(value.toPrecision(4))));
const mark = (outcome) => el("span", { class: `mark ${outcome}`, title: outcome || "not judged", role: "img", "aria-label": outcome || "not judged" }, MARKS[outcome]);
const button = (text, click, options) => el("button", { type: "button", ...options, on: { click } }, text);

// A text in a fixed-width face: it may be cut after brackets and commas, never inside a name; long paths after a slash or colons.
function code(text, options) {
  const parts = [];
  for (const line of text.split("\n")) {
    if (parts.length) parts.push(el("br"));
    for (const piece of line.split(/(?<=[(,])/)) {
      parts.push(piece.split(/(\s+)/).map((word) => (word.length > 50 ? word.split(/(?<=\/|::)/).map((name) => [name, el("wbr")]) : /[-/]/.test(word) ? el("span", { class: "whole" }, word) : word)), el("wbr"));
    }
    parts.pop();
  }
  return el("code", options, parts);
}

// On paper, a list or table shows more of its rows than on the screen.
const MOST_PRINTED = 500;
function printable(root, state, draw) {
  root.classList.add("printable");
  root.print = (isPrinting) => { const before = state.shown; if (isPrinting) state.shown = Math.max(before, MOST_PRINTED); draw(); state.shown = before; };
  return root;
}

// The interval of a share, drawn from 0 to 1.
function spread(value, ends) {
  const [low, high] = ends || [value, value];
  return el("span", { class: "bar", "aria-hidden": "true" }, el("i", { style: { left: `${low * 100}%`, right: `${(1 - high) * 100}%` } }), el("b", { style: { left: `calc(${value * 100}% - 1px)` } }));
}

// One stop for the Tab key in a list; the arrow keys move inside it.
function rove(box, selector) {
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key], isEnd = { Home: 0, End: -1 }[event.key];
    if ((step === undefined && isEnd === undefined) || !event.target.matches(selector) || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...box.querySelectorAll(selector)], at = all.indexOf(event.target);
    const next = step === undefined ? all.at(isEnd) : all[at + step];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}
