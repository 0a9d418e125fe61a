"use strict";
// Steps by arms: who answered what, where arms disagree, and what a better figure costs.
const AGREEMENTS = [["differ", "different"], ["one", "only one right"], ["wrong", "all wrong"], ["right", "all right"], ["", "all"]];

// A cell is the number of an answer, or pairs of such a number and how many samples gave it.
const repliesOf = (cell) => (typeof cell === "number" ? [[cell, 1]] : cell);

function unpackArms(section, number) {
  return section.rows.map(([id, place, at, title, expected, answers, cells, facets], index) => {
    const wrong = cells.map((cell) => repliesOf(cell).some(([one]) => answers[one][1] > 1)), asked = cells.map((cell) => repliesOf(cell).some(([one]) => answers[one][1] > 0));
    const judged = asked.filter(Boolean).length, right = asked.filter((one, arm) => one && !wrong[arm]).length;
    const agreement = !judged || right === 0 ? "wrong" : right === judged ? "right" : right === 1 && judged > 2 ? "one" : "differ";
    return { id, place, case: section.cases[at], title, expected, answers, cells, facets, wrong, agreement, index, number, text: null };
  });
}

const armText = (row) => { row.text = row.text || [row.title, row.case, row.place, row.expected, ...row.answers.map(([one]) => one)].join("\n").toLowerCase(); return row.text; };
const isAgreed = (row, wanted) => !wanted || row.agreement === wanted || (wanted === "differ" && row.agreement === "one");

function armCell(row, arm, names) {
  const replies = repliesOf(row.cells[arm]), total = replies.reduce((sum, [, n]) => sum + n, 0);
  if (!total) return el("td", { class: "arm none" }, el("span", { class: "soft", title: `${names[arm]}: not asked` }, "·"));
  const outcomes = replies.map(([one]) => OUTCOMES[row.answers[one][1]]), worst = ["errored", "failed", "undecided", "passed", ""].find((one) => outcomes.includes(one));
  const right = replies.reduce((sum, [one, n]) => sum + (row.answers[one][1] === 1 ? n : 0), 0), name = total > 1 && right && right < total ? "mixed" : worst;
  const told = `${names[arm]}: ${replies.map(([one, n]) => `${n > 1 || replies.length > 1 ? `${n}× ` : ""}${row.answers[one][0] || "(nothing)"}`).join("\n")}`;
  return el("td", { class: `arm ${name}`, title: told }, total > 1 ? el("span", {}, `${right}/${total}`) : mark(worst));
}

function armBody(section, row, width) {
  const lines = section.arms.map((name, arm) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, repliesOf(row.cells[arm]).map(([one, n]) => {
    const [text, outcome, kinds] = row.answers[one];
    return el("div", { class: "reply" }, mark(OUTCOMES[outcome]), " ", n > 1 ? `${n}× ` : null, text ? code(text) : el("span", { class: "soft" }, "(nothing)"), kinds.map((kind) => el("span", { class: "tag" }, section.kinds[kind])));
  }))));
  const table = el("table", {}, el("tbody", {}, el("tr", {}, el("th", { scope: "row" }, "expected"), el("td", {}, row.expected ? code(row.expected) : el("span", { class: "soft" }, "(nothing)"))), lines));
  return el("tr", { class: "unfolded" }, el("td", { colspan: width }, el("p", { class: "soft" }, `${row.place} · ${row.case}`), details(findDetails(section, row)), table));
}

function arms(section, number) {
  const rows = unpackArms(section, number), tally = new Map(), names = section.arms, width = names.length + 1;
  for (const row of rows) tally.set(row.agreement, (tally.get(row.agreement) || 0) + 1);
  const counts = { differ: (tally.get("differ") || 0) + (tally.get("one") || 0), one: tally.get("one") || 0, wrong: tally.get("wrong") || 0, right: tally.get("right") || 0, "": rows.length };
  const state = { agreement: counts.differ ? "differ" : "", text: "", arm: -1, kind: -1, facets: new Map(), shown: FIRST, unfolded: new Set() };
  const body = el("tbody"), status = el("p", { class: "soft", role: "status" }), chips = el("div", { class: "chips" }), mistakes = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "mistakes by arm" });
  const more = button("", () => { state.shown += MORE; draw(); }, { class: "more" });
  const buttons = AGREEMENTS.filter(([key]) => counts[key] || !key).map(([key, name]) => button([name, " ", el("b", {}, count(counts[key]))], () => change({ agreement: key }), { "data-agreement": key }));
  const search = el("input", { type: "search", placeholder: `search ${section.unit}  ( / )`, "aria-label": `search ${section.unit}`, on: { input: (event) => change({ text: event.target.value.toLowerCase() }) } });
  const pickArm = el("select", { "aria-label": "wrong in", on: { change: (event) => change({ arm: Number(event.target.value) }) } }, el("option", { value: "-1" }, "any arm"), names.map((name, arm) => el("option", { value: arm }, `wrong in ${name} (${count(rows.filter((row) => row.wrong[arm]).length)})`)));
  const isKind = (row, arm) => repliesOf(row.cells[arm]).some(([one]) => row.answers[one][2].includes(state.kind));
  const isWanted = (row) => isAgreed(row, state.agreement) && (state.arm < 0 || row.wrong[state.arm]) && (state.kind < 0 || (state.arm < 0 ? row.answers.some(([, , kinds]) => kinds.includes(state.kind)) : isKind(row, state.arm)))
    && [...state.facets].every(([name, value]) => row.facets.some((one) => section.facets[one][0] === name && section.facets[one][1] === value)) && (!state.text || armText(row).includes(state.text));
  const find = () => rows.filter(isWanted);
  function change(values) { Object.assign(state, values, { shown: FIRST }); draw(); }
  function rowOf(row) {
    const open = button(row.title || "(empty)", () => fold(!state.unfolded.has(row)), { class: "open", "aria-expanded": String(state.unfolded.has(row)) });
    const place = el("a", { class: "place", href: link(row), title: `link to this: ${row.place} · ${row.case}` }, row.place.split("/").pop() || "link");
    const line = el("tr", { class: "step" }, el("th", { scope: "row" }, el("div", { class: "what" }, open, place)), names.map((_, arm) => armCell(row, arm, names)));
    const below = state.unfolded.has(row) ? [armBody(section, row, width)] : [];
    function fold(isOpen) {
      if (isOpen) { state.unfolded.add(row); line.after(armBody(section, row, width)); history.replaceState(null, "", link(row)); } else { state.unfolded.delete(row); line.nextElementSibling.remove(); }
      open.setAttribute("aria-expanded", String(isOpen));
    }
    line.row = row;
    line.setOpen = (isOpen) => { if (state.unfolded.has(row) !== isOpen) fold(isOpen); };
    return [line, ...below];
  }
  // How often each arm makes each kind of mistake, in what is shown now.
  function drawMistakes(found) {
    const tallies = section.kinds.map(() => names.map(() => 0));
    for (const row of found) row.cells.forEach((cell, arm) => { for (const [one, n] of repliesOf(cell)) for (const kind of new Set(row.answers[one][2])) tallies[kind][arm] += n; });
    const kinds = section.kinds.map((_, kind) => kind).filter((kind) => tallies[kind].some(Boolean)).sort((one, other) => Math.max(...tallies[other]) - Math.max(...tallies[one]));
    mistakes.hidden = !kinds.length;
    const most = Math.max(1, ...tallies.flat());
    const cell = (kind, arm) => (tallies[kind][arm] ? el("td", { class: "wrong", style: { "--heat": String(0.12 + (0.3 * tallies[kind][arm]) / most) } }, button(count(tallies[kind][arm]), () => change({ kind, arm }), { class: "pick", "aria-label": `${section.kinds[kind]}, ${names[arm]}: ${tallies[kind][arm]}` })) : el("td", { class: "none" }, ""));
    mistakes.replaceChildren(el("table", { class: "matrix" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "mistakes in these steps"), names.map((name) => el("th", { class: "turned", scope: "col" }, code(name))))), el("tbody", {}, kinds.slice(0, ROWS).map((kind) => el("tr", {}, el("th", { scope: "row" }, button(section.kinds[kind], () => change({ kind, arm: -1 }), { class: "pick" })), names.map((_, arm) => cell(kind, arm)))))));
  }
  function draw(only) {
    const found = only || find();
    body.replaceChildren(...found.slice(0, state.shown).flatMap(rowOf));
    status.textContent = `${count(found.length)} of ${count(rows.length)} ${section.unit}`;
    more.textContent = `show more of ${count(found.length)}`;
    more.hidden = found.length <= state.shown;
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.agreement === state.agreement));
    pickArm.value = String(state.arm);
    const filters = [[state.kind >= 0, () => section.kinds[state.kind], { kind: -1 }], ...[...state.facets].map(([name, value]) => [true, () => `${name}: ${value}`, { facets: new Map([...state.facets].filter(([key]) => key !== name)) }])];
    chips.replaceChildren(...filters.filter(([is]) => is).map(([, text, values]) => button([`${text()} `, el("span", { "aria-hidden": "true" }, "✕")], () => change(values), { class: "chip", "aria-label": `remove the filter ${text()}` })));
    chips.hidden = !chips.children.length;
    drawMistakes(found);
  }
  function choose(name, value) {
    Object.assign(state, { facets: new Map([[name, value]]), agreement: "", text: "", arm: -1, kind: -1, shown: FIRST });
    search.value = "";
    draw();
    root.scrollIntoView({ block: "start" });
  }
  function open(id) {
    const row = rows.find((one) => one.id === id);
    if (!row) return false;
    if (!find().slice(0, state.shown).includes(row)) draw([row]);
    const line = [...body.children].find((one) => one.row === row);
    line.setOpen(true);
    line.querySelector(".open").focus({ preventScroll: true });
    line.scrollIntoView({ block: "center" });
    return true;
  }
  const known = new Set(section.facets.map((facet) => JSON.stringify(facet)));
  const head = el("tr", {}, el("th", { scope: "col" }, section.unit), names.map((name, arm) => el("th", { class: "turned", scope: "col", "data-name": name }, button(code(name), () => change({ arm: state.arm === arm ? -1 : arm }), { class: "pick", title: `show only what is wrong in ${name}` }))));
  const scroll = el("div", { class: "scroll whole", tabindex: "0", role: "group", "aria-label": section.title }, el("table", { class: "arms" }, el("thead", {}, head), body));
  const root = printable(el("div", { class: "explorer" }, el("div", { class: "filters" }, search, buttons, pickArm), chips, status, scroll, more, mistakes), state, draw);
  draw();
  return { root, choose, open, knows: (name, value) => known.has(JSON.stringify([name, value])), title: counts.differ ? `${section.title}: arms differ in ${count(counts.differ)}` : section.title };
}

// What a better figure costs: each arm a point; those that nothing beats are joined.
function trades(section) {
  const [width, height, left, right, above, below] = [560, 300, 48, 16, 16, 44], points = section.rows.filter(([, x, y]) => x !== null && y !== null);
  if (!points.length) return el("p", { class: "soft" }, "Nothing was measured.");
  const [x0, x1] = range(points.map(([, x]) => x), 0), [y0, y1] = section.share ? [Math.max(0, Math.min(...points.map(([, , y, low]) => low ?? y)) - 0.03), Math.min(1, Math.max(...points.map(([, , y, , high]) => high ?? y)) + 0.03)] : range(points.map(([, , y]) => y), null);
  const px = (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right), py = (value) => height - below - ((value - y0) / (y1 - y0)) * (height - above - below);
  const picture = canvas(section.title, points.map(([name, x, , , , shown, best]) => `${name}: ${section.axes[0]} ${plain(x)}, ${section.axes[1]} ${shown}${best ? ", not beaten" : ""}`).join("; "), width, height);
  for (const value of ticks(y0, y1, 4)) picture.append(svg("line", { class: "rule", x1: left, x2: width - right, y1: py(value), y2: py(value) }), svg("text", { x: left - 6, y: py(value) + 4, "text-anchor": "end" }, plain(value)));
  for (const value of ticks(x0, x1, 5)) picture.append(svg("text", { x: px(value), y: height - below + 16, "text-anchor": "middle" }, plain(value)));
  picture.append(svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, section.axes[0]));
  const best = points.filter((one) => one[6]).sort((one, other) => one[1] - other[1] || one[2] - other[2]);
  if (best.length > 1) picture.append(svg("g", { class: "s0" }, svg("polyline", { points: best.map(([, x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" "), "stroke-dasharray": "4 4" })));
  const placed = [];
  // The first place beside a point where its name covers no other name; x is where it ends or begins.
  const place = (x, y, name) => {
    const length = name.length * 6.2, sides = x > width * 0.65 ? [-1, 1] : [1, -1];
    const spots = [-6, 14, -19, 27, 40, 53, -32, 66, -45].flatMap((lift) => sides.map((side) => ({ x: x + 8 * side, y: y + lift, side, low: side < 0 ? x - 8 - length : x + 8 })));
    const isFree = (one) => one.low >= 0 && one.low + length <= width && one.y > 10 && one.y < height - below && !placed.some((other) => Math.abs(other.y - one.y) < 12 && other.low < one.low + length && one.low < other.high);
    const found = spots.find(isFree) || spots[0];
    placed.push({ ...found, high: found.low + length });
    return found;
  };
  for (const [name, x, y, low, high, shown, isBest] of points) {
    const group = svg("g", { class: isBest ? "s0" : "s1" });
    if (low !== null) group.append(svg("path", { class: "whisker", d: `M${px(x) - 3} ${py(low)}h6m-3 0V${py(high)}m-3 0h6` }));
    group.append(svg("circle", { cx: px(x), cy: py(y), r: isBest ? 5 : 3.5 }, svg("title", {}, `${name}: ${plain(x)}, ${shown}`)));
    const label = name.length > 28 ? `${name.slice(0, 27)}…` : name, spot = place(px(x), py(y), label);
    group.append(svg("text", { x: spot.x, y: spot.y, "text-anchor": spot.side < 0 ? "end" : "start" }, label));
    picture.append(group);
  }
  const rows = section.rows.map(([name, x, y, , , shown, isBest]) => [name, [plain(x), x, null], [shown, y, null], isBest ? "not beaten" : ""]);
  return chart(section.title, picture, { legend: [], remark: `${section.axes[1]} over ${section.axes[0]}; large points: no arm is at least as good in every figure and better in one`, columns: [["arm", "text", ""], [section.axes[0], "number", ""], [section.axes[1], "number", ""], ["", "text", ""]], rows });
}
Object.assign(DRAW, { trades });
