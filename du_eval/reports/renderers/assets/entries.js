"use strict";
// The list of everything that was judged: search, filters, links; only the rows that are looked at are drawn.
const FIRST = 12, MORE = 100, WIDEST_CHOICE = 200;
const HIDDEN_TAGS = new Set(["case", "sample"]);

function unpack(section, number) {
  return section.rows.map(([id, outcome, place, at, title, expected, actual, facets, message, excused], index) => ({
    id, outcome: OUTCOMES[outcome], place, case: section.cases[at], title, expected, actual: actual === 0 ? expected : actual, message,
    facets: facets.map((one) => section.facets[one]), isFailure: outcome > 1 && !excused, isExcused: Boolean(excused), index, number, text: null,
  }));
}

// Details are read when an entry is opened for the first time.
const PIECES = new Map();
function findDetails(section, row) {
  const key = `details-${row.number}-${section.first + Math.floor(row.index / section.chunk)}`;
  if (!PIECES.has(key)) PIECES.set(key, read(key));
  return PIECES.get(key)[row.index % section.chunk] || [];
}

const searchText = (row) => { row.text = row.text || [row.title, row.case, row.place, row.expected, row.actual, row.message, ...row.facets.map(([, value]) => value)].join("\n").toLowerCase(); return row.text; };
const has = (row, name, value) => row.facets.some(([key, one]) => key === name && one === value);
const link = (row) => `#${row.number ? `${row.number + 1}!` : ""}${encodeURIComponent(row.id)}`;

// What was expected and what came, without the lines that agree.
function pair(row, hasExpected) {
  if (!hasExpected || (!row.expected && !row.actual)) return el("div", { class: "pair prose" }, [row.actual, row.message].filter(Boolean).join("\n"));
  if (row.outcome === "passed" && row.expected) return el("div", { class: "pair" }, code(row.expected));
  const came = row.actual ? row.actual.split("\n") : [], missing = [];
  for (const line of row.expected ? row.expected.split("\n") : []) {
    const at = came.indexOf(line);
    if (at < 0) missing.push(line); else came.splice(at, 1);
  }
  const side = (lines, whole, name) => (lines.length ? code(lines.slice(0, 4).join("\n") + (lines.length > 4 ? `\n… and ${lines.length - 4} more` : ""), { class: name }) : el("span", { class: "soft" }, whole ? "(nothing else)" : "(nothing)"));
  return el("div", { class: "pair" }, side(missing, row.expected, "missing"), el("span", { class: "came" }, el("span", { class: "arrow", role: "img", "aria-label": "became" }, "→"), row.message && !row.actual ? el("span", { class: "prose" }, row.message) : side(came, row.actual, "unexpected")));
}

function entryRow(row, context) {
  const tags = row.facets.filter(([name]) => context.tags.includes(name)).slice(0, 4).map(([name, value]) => button(value, () => context.choose(name, value), { class: "tag", title: `show only ${name}: ${value}` }));
  if (row.isExcused) tags.unshift(el("span", { class: "tag note", title: "its case passed all the same, as the success ratio allows" }, "excused"));
  const open = button(row.title || "(empty)", () => set(!item.classList.contains("is-open")), { class: "open", "aria-expanded": "false", tabindex: "-1" });
  const place = el("a", { class: "place", href: link(row), title: `link to this: ${row.place} · ${row.case}` }, row.place.split("/").pop() || "link");
  const item = el("li", { class: `entry ${row.outcome}` }, el("div", { class: "head" }, mark(row.outcome), el("div", { class: "what" }, open, place), pair(row, context.hasExpected), el("div", { class: "tags" }, tags)));
  function unfold(isOpen) {
    item.classList.toggle("is-open", isOpen);
    open.setAttribute("aria-expanded", String(isOpen));
    if (isOpen && !item.querySelector(".body")) item.append(body(row, context));
    else if (!isOpen && item.querySelector(".body")) item.querySelector(".body").remove();
  }
  function set(isOpen) {
    unfold(isOpen);
    if (isOpen) { context.unfolded.add(row); history.replaceState(null, "", link(row)); } else context.unfolded.delete(row);
  }
  if (context.unfolded.has(row)) unfold(true);
  item.setOpen = set;
  return item;
}

function body(row, context) {
  const parts = findDetails(context.section, row);
  const told = el("p", { class: "soft" }, [row.place, row.case, ...row.facets.filter(([name]) => name !== "case").map(([name, value]) => `${name}: ${value}`)].join(" · "));
  const whole = parts.some((part) => part.is === "diff") || !(row.expected || row.actual) ? null : diff({ titles: ["expected", "actual"], rows: wholePair(row) });
  return el("div", { class: "body" }, told, row.message ? el("p", { class: "message" }, row.message) : null, whole, details(parts), HOOKS.entry.map((add) => add(row)));
}

function wholePair(row) {
  const [left, right] = [row.expected.split("\n"), row.actual.split("\n")];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [left[at] || "", right[at] || "", (left[at] || "") === (right[at] || "")]);
}

function entries(section, number) {
  const rows = unpack(section, number), tally = new Map();
  const names = [...new Set([...rows.filter((row) => row.isFailure).slice(0, 200).flatMap((row) => row.facets), ...section.facets].map(([name]) => name))];
  for (const row of rows) tally.set(row.outcome, (tally.get(row.outcome) || 0) + 1);
  const failures = rows.filter((row) => row.isFailure).length;
  const state = { outcome: failures ? "bad" : "", text: "", facets: new Map(), shown: FIRST };
  const context = { section, unfolded: new Set(), tags: section.tags.length ? section.tags : names.filter((name) => !HIDDEN_TAGS.has(name)).slice(0, 2), choose, hasExpected: rows.some((row) => row.expected) };
  const list = el("ol", { class: "entries" }), status = el("p", { class: "soft", role: "status" }), chips = el("div", { class: "chips" });
  const more = button("", () => { state.shown += MORE; draw(); }, { class: "more" });
  const kinds = [["bad", "did not pass", failures], ...["failed", "errored", "undecided", "passed"].map((one) => [one, one, tally.get(one) || 0]), ["", "all", rows.length]].filter(([key, , n]) => n || !key);
  const buttons = kinds.map(([key, name, n]) => el("button", { type: "button", "data-outcome": key, on: { click: () => change({ outcome: key }) } }, name, " ", el("b", {}, count(n))));
  const search = el("input", { type: "search", placeholder: `search ${section.unit}  ( / )`, "aria-label": `search ${section.unit}`, on: { input: (event) => change({ text: event.target.value.toLowerCase() }) } });
  const boxes = new Map(names.map((name) => [name, choice(name)]).filter(([, box]) => box));
  function choice(name) {
    const found = new Map();
    for (const row of rows) for (const value of new Set(row.facets.filter(([key]) => key === name).map(([, one]) => one))) found.set(value, (found.get(value) || 0) + 1);
    if (found.size < 2 || found.size > WIDEST_CHOICE) return null;
    const options = [...found].sort((one, other) => other[1] - one[1]).map(([value, n]) => el("option", { value }, `${value} (${n})`));
    return el("select", { "aria-label": name, "data-name": name, on: { change: (event) => { if (event.target.value) state.facets.set(name, event.target.value); else state.facets.delete(name); change({}); } } }, el("option", { value: "" }, `any ${name}`), options);
  }
  const isOutcome = (row) => !state.outcome || (state.outcome === "bad" ? row.isFailure : row.outcome === state.outcome);
  const isRest = (row) => [...state.facets].every(([name, value]) => has(row, name, value)) && (!state.text || searchText(row).includes(state.text));
  const find = () => rows.filter((row) => isOutcome(row) && isRest(row));
  function change(values) { Object.assign(state, values, { shown: FIRST }); draw(); }
  function draw(only) {
    const found = only || find();
    list.replaceChildren(...found.slice(0, state.shown).map((row) => entryRow(row, context)));
    const first = list.querySelector(".open");
    if (first) first.tabIndex = 0;
    status.textContent = only ? `one of ${count(rows.length)} ${section.unit}; press a filter to see others` : `${count(found.length)} of ${count(rows.length)} ${section.unit}`;
    more.textContent = `show ${count(Math.min(MORE, found.length - state.shown))} more of ${count(found.length)}`;
    more.hidden = found.length <= state.shown;
    for (const one of buttons) one.setAttribute("aria-pressed", String(!only && one.dataset.outcome === state.outcome));
    for (const [name, box] of boxes) box.value = state.facets.get(name) || "";
    chips.replaceChildren(...[...state.facets].map(([name, value]) => button([`${name}: ${value} `, el("span", { "aria-hidden": "true" }, "✕")], () => { state.facets.delete(name); change({}); }, { class: "chip", "aria-label": `remove the filter ${name}: ${value}` })));
    chips.hidden = !state.facets.size;
  }
  // Shows only what has one value of a facet, for those who press that value in a table, a matrix or a row.
  function choose(name, value) {
    state.facets = new Map([...state.facets, [name, value]]);
    Object.assign(state, { text: "", shown: FIRST });
    search.value = "";
    if (!find().length) state.outcome = "";
    if (!find().length) state.facets = new Map([[name, value]]);
    draw();
    (root.querySelector(".chip") || search).focus({ preventScroll: true });
    root.scrollIntoView({ block: "start" });
  }
  function open(id) {
    const row = rows.find((one) => one.id === id);
    if (!row) return false;
    if (!find().slice(0, state.shown).includes(row)) { Object.assign(state, { text: "", facets: new Map() }); search.value = ""; draw([row]); }
    const item = [...list.children].find((one) => one.querySelector(".place").getAttribute("href") === link(row));
    item.setOpen(true);
    item.querySelector(".open").focus({ preventScroll: true });
    item.scrollIntoView({ block: "center" });
    return true;
  }
  list.addEventListener("click", (event) => {
    const item = event.target.closest(".head") && event.target.closest("li.entry");
    if (item && !event.target.closest("button, a") && !String(getSelection())) item.setOpen(!item.classList.contains("is-open"));
  });
  rove(list, ".open");
  draw();
  const root = printable(el("div", { class: "explorer" }, el("div", { class: "filters" }, search, buttons, [...boxes.values()]), chips, status, list, more), state, draw);
  const known = new Set(section.facets.map((facet) => JSON.stringify(facet)));
  const knows = (name, value) => known.has(JSON.stringify([name, value]));
  return { root, knows, choose, open, title: failures ? `${section.title}: ${count(failures)} did not pass` : section.title };
}
