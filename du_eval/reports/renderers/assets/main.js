"use strict";
// The whole page: who was tested, the verdict, the figures, what did not pass; then everything else.
let current = -1, lists = [];
const LISTS = { entries, arms };

// The first list comes last, so that it is the one that is scrolled to.
function choose(name, value) { for (const list of lists.filter((one) => one.knows(name, value)).reverse()) list.choose(name, value); }

// Only what some entry has can be chosen; lists are drawn before the tables that filter them.
choose.isKnown = (name, value) => lists.some((list) => list.knows(name, value));

// The first screen holds what people look for: notes and figures, then the list; what only few look for comes last.
// A view that decides something has its own order.
function arrange(sections, kind) {
  if (kind === "experiment" || kind === "comparison") return [...sections.filter((one) => !one.minor), ...sections.filter((one) => one.minor)];
  const first = sections.findIndex((one) => one.is === "figures");
  const isLeading = (one, at) => one.is === "figures" ? at === first : one.is === "note" && at < first;
  const leading = sections.filter(isLeading), own = sections.filter((one) => LISTS[one.is]);
  const rest = sections.filter((one) => !leading.includes(one) && !own.includes(one));
  return [...leading, ...own, ...rest.filter((one) => !one.minor), ...rest.filter((one) => one.minor)];
}

function part(section, at, number) {
  if (section.is === "note") return note(section);
  if (LISTS[section.is]) {
    const list = LISTS[section.is](section, number);
    lists.push(list);
    return frame(lists.length === 1 ? "entries" : `part-${at}`, list.title, "", list.root);
  }
  if (section.minor) return closed(section.title, "h2", () => DRAW[section.is](section, choose), { id: `part-${at}` });
  if (section.is === "figures") return el("section", {}, section.title ? el("h2", {}, section.title) : null, figures(section));
  return frame(`part-${at}`, section.title, "beside", DRAW[section.is](section, choose));
}

const frame = (id, title, name, ...children) => el("section", { id, class: name || null }, title ? el("h2", {}, title) : null, ...children);

function show(number) {
  const view = findView(number);
  current = number;
  lists = [];
  const parts = arrange(view.sections, view.kind).map((section, at) => part(section, at, number));
  const verdict = el("p", { class: `verdict ${view.headline.tone}${view.headline.text.length > 90 ? " long" : ""}`, role: "status" }, el("span", { class: "mark", "aria-hidden": "true" }, MARKS[view.headline.tone]), el("span", {}, view.headline.text));
  const notes = view.notes.length ? el("ul", { class: "notes" }, view.notes.map((one) => el("li", {}, one))) : null;
  document.querySelector("main").replaceChildren(...[verdict, notes, ...parts].filter(Boolean));
  document.querySelector("h1").textContent = view.title;
  document.title = `${view.title} · du-eval report`;
  document.getElementById("about").replaceChildren(...view.about.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  document.getElementById("links").replaceChildren(...parts.filter((one) => one.id && one.querySelector("h2")?.textContent).map((one) => el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent.split(": ")[0])));
  document.querySelector(".skip").hidden = !lists.length;
  document.querySelector("footer").replaceChildren(el("p", {}, view.signature), el("p", { class: "keys" }, "Keys: / search · arrow keys or j, k move in the list · Enter opens · Esc closes or clears · the place below a message is its link"));
  for (const [at, tab] of [...document.getElementById("tabs").children].entries()) tab.setAttribute("aria-pressed", String(at === number));
  for (const add of HOOKS.shown) add(view, lists);
}

// The address names an entry: `#id`, or `#2!id` in the second view.
function follow() {
  const hash = location.hash.slice(1);
  if (!hash || document.getElementById(hash)) return;
  const [, number, id] = /^(?:(\d+)!)?([^]*)$/.exec(hash);
  let name = id;
  try { name = decodeURIComponent(id); } catch (error) { return; }
  const wanted = number ? [Number(number) - 1] : HEADS.keys();
  for (const at of wanted) {
    const view = findView(at);
    if (!view || !view.sections.some((one) => LISTS[one.is] && one.rows.some((row) => row[0] === name))) continue;
    if (at !== current) show(at);
    lists.some((list) => list.open(name));
    return;
  }
}

function pressKey(event) {
  const target = event.target, isTyping = target.matches("input, select, textarea");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const box = document.querySelector("main input[type=search]");
    if (box) { event.preventDefault(); box.focus(); box.select(); }
  }
  if (event.key !== "Escape") return;
  if (target.matches("input[type=search]") && target.value) { event.preventDefault(); target.value = ""; target.dispatchEvent(new Event("input")); return; }
  const item = target.closest("li.entry.is-open");
  if (item) { event.preventDefault(); item.setOpen(false); item.querySelector(".open").focus(); }
}

function start() {
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  const tabs = document.getElementById("tabs");
  tabs.hidden = HEADS.length < 2;
  if (HEADS.length > 1) tabs.append(...HEADS.map(([title, headline], at) => button([el("b", {}, title), el("span", { class: `soft ${headline.tone}` }, `${MARKS[headline.tone]} ${headline.text}`)], () => { history.replaceState(null, "", "#"); show(at); })));
  document.addEventListener("keydown", pressKey);
  addEventListener("hashchange", follow);
  const print = (isPrinting) => { for (const one of document.querySelectorAll(".printable")) one.print(isPrinting); };
  addEventListener("beforeprint", () => { for (const box of document.querySelectorAll("main > details.minor")) box.setOpen(); print(true); });
  addEventListener("afterprint", () => print(false));
  for (const add of HOOKS.start) add();
  if (!HEADS.length) return;
  show(0);
  follow();
}
start();
