"use strict";
// Steps: search, filters, and the details of the few rows that are drawn.
const PAGE = 100;

function diffRows(row) {
  const wrong = row.detail && row.detail.mistakes ? row.detail.mistakes : [];
  const left = wrong.map((mistake) => mistake.expected).filter((text) => text !== undefined);
  const right = row.expected.filter((text) => {
    const index = left.indexOf(text);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
  return [...right.map((text) => [text, text, false]), ...wrong.filter((m) => m.expected !== undefined || m.predicted !== undefined).map((m) => [m.expected, m.predicted, true])];
}

function diff(row) {
  const cells = [el("div", { class: "head" }, "expected"), el("div", { class: "head right" }, "predicted")];
  const rows = diffRows(row);
  for (const [expected, predicted, isWrong] of rows.length ? rows : [[undefined, undefined, false]]) {
    cells.push(el("div", { class: isWrong && expected !== undefined ? "missing" : "" }, expected === undefined ? "(nothing)" : expected));
    cells.push(el("div", { class: isWrong && predicted !== undefined ? "unexpected" : "" }, predicted === undefined ? "(nothing)" : predicted));
  }
  return el("div", { class: "diff" }, cells);
}

function talk(lines, message) {
  const split = (line) => { const at = line.indexOf(": "); return at < 0 ? ["", line] : [line.slice(0, at), line.slice(at + 2)]; };
  const items = (lines || []).map((line) => { const [who, text] = split(line); return el("li", {}, el("span", { class: "who" }, who), " ", text); });
  if (message !== null) items.push(el("li", { class: "now" }, el("span", { class: "who" }, "user"), " ", message));
  return el("ul", { class: "talk" }, items);
}

function block(title, text) {
  return text ? [el("h3", {}, title), el("pre", { tabindex: "0" }, text)] : [];
}

function details(row) {
  const found = row.detail || {};
  const state = found.state || {};
  const parts = [el("p", { class: "soft" }, `${row.file}:${row.line} · ${row.case} · step ${row.step}${row.sample > 1 ? ` · sample ${row.sample}` : ""}${row.latency === null ? "" : ` · ${short(row.latency)}`}`)];
  if (found.mistakes) parts.push(el("p", {}, found.mistakes.map((m) => [el("span", { class: "tag" }, m.distance === undefined ? m.kind : `${m.kind}, distance ${number(m.distance)}`), " "]).flat()));
  if (found.error) parts.push(...block("Error", found.error));
  parts.push(el("h3", {}, "Commands"), diff(row));
  parts.push(el("h3", {}, "Conversation"), talk(found.conversation, row.user));
  if (state.flow || state.asked || state.slots) {
    const slots = Object.entries(state.slots || {}).map(([key, value]) => `${key}: ${value}`);
    parts.push(...block("State before the message", [state.flow ? `flow: ${state.flow}` : "", state.asked ? `asked for: ${state.asked}` : "", ...slots].filter(Boolean).join("\n")));
  }
  parts.push(...block("Output that is no command", (found.unparsed || []).join("\n")), ...block("Unknown flows", (found.unknown_flows || []).join(", ")), ...block("Raw answer", found.raw));
  for (const prompt of found.prompts || []) {
    parts.push(...block(`Prompt ${prompt.prompt_name || ""}`, [prompt.system_prompt, prompt.user_prompt].filter(Boolean).join("\n\n")), ...block("Answer of the model", (prompt.choices || []).join("\n")));
  }
  return el("div", { class: "detail" }, parts);
}

function stepRow(row, isOpen = false) {
  const body = el("details", { class: "step" }, el("summary", {},
    el("span", { class: `mark ${row.outcome}`, title: row.outcome, "aria-label": row.outcome }, MARKS[row.outcome]),
    el("span", { class: "said" }, row.user || "(empty message)"),
    row.kinds.map((kind) => el("span", { class: "tag" }, kind)),
    el("span", { class: "soft" }, `${row.file.split("/").pop()}:${row.line}`)));
  const fill = () => { if (body.open && body.children.length === 1) body.append(details(row)); };
  body.addEventListener("toggle", fill);
  if (isOpen) { body.open = true; fill(); }
  return body;
}

function explorer(run) {
  const rows = run.rows;
  for (const row of rows) row.fields = [row.user, row.case, row.file, row.expected.join("\n"), row.predicted.join("\n")].map((text) => text.toLowerCase());
  const state = { text: "", outcome: rows.some((row) => row.outcome !== "passed") ? "failed" : "", kind: "", command: "", shown: PAGE };
  const list = el("div", {}), status = el("p", { class: "soft", role: "status" });
  const more = el("button", { type: "button", on: { click: () => { state.shown += PAGE; draw(); } } }, "show more");
  const buttons = [["", "all"], ["failed", "failed"], ["errored", "errored"], ["passed", "passed"]].map(([key, name]) =>
    el("button", { type: "button", "data-outcome": key, on: { click: () => change({ outcome: key }) } }, name));
  const select = (name, key, values) => values.length ? el("select", { "aria-label": name, "data-key": key, on: { change: (event) => change({ [key]: event.target.value }) } },
    el("option", { value: "" }, `any ${name}`), values.map((value) => el("option", { value }, value))) : null;
  const search = el("input", { type: "search", placeholder: "search messages, cases, files, commands", "aria-label": "search steps", on: { input: (event) => change({ text: event.target.value.toLowerCase() }) } });
  const kinds = select("kind of mistake", "kind", [...new Set(rows.flatMap((row) => row.kinds))].sort());
  const commands = select("command", "command", Object.keys(run.command_metrics).sort());
  function change(values) { Object.assign(state, values, { shown: PAGE }); draw(); }
  function isWanted(row) {
    return (!state.outcome || row.outcome === state.outcome) && (!state.kind || row.kinds.includes(state.kind))
      && (!state.command || row.commands.includes(state.command)) && (!state.text || row.fields.some((field) => field.includes(state.text)));
  }
  function draw() {
    const found = rows.filter(isWanted);
    list.replaceChildren(...found.slice(0, state.shown).map((row) => stepRow(row)));
    status.textContent = `${count(found.length)} of ${count(rows.length)} steps${found.length > state.shown ? `, the first ${state.shown} are shown` : ""}`;
    more.hidden = found.length <= state.shown;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.outcome === state.outcome));
  }
  draw();
  const open = (row) => {
    Object.assign(state, { text: "", outcome: "", kind: "", command: "", shown: PAGE });
    search.value = "";
    for (const box of [kinds, commands]) if (box) box.value = "";
    draw();
    list.replaceChildren(stepRow(row, true));
    status.textContent = "one step, chosen in a picture above; press a filter to see all of them";
    list.firstChild.querySelector("summary").focus();
    list.scrollIntoView({ block: "center" });
  };
  return [section("steps", "Steps", el("div", { class: "filters" }, search, buttons, kinds, commands), status, list, more), open];
}

function heat(run, open) {
  const cases = new Map();
  for (const row of run.rows) {
    const key = JSON.stringify([row.file, row.case, row.twin]);
    if (!cases.has(key)) cases.set(key, []);
    cases.get(key).push(row);
  }
  const bad = (steps) => steps.filter((row) => row.outcome !== "passed").length;
  const ranked = [...cases.values()].sort((a, b) => bad(b) - bad(a));
  const body = el("div", { class: "heat" });
  let shown = 40;
  const more = el("button", { type: "button", on: { click: () => { shown += 200; draw(); } } }, "show more cases");
  function draw() {
    body.replaceChildren(...ranked.slice(0, shown).map((steps) => el("div", {},
      el("span", { class: "name", title: `${steps[0].file} :: ${steps[0].case}` }, steps[0].case),
      el("div", { class: "cells" }, steps.map((row) => el("button", { type: "button", class: row.outcome, title: `${row.outcome}: ${row.user}`, "aria-label": `step ${row.step}, ${row.outcome}`, on: { click: () => open(row) } }, row.outcome === "passed" ? "" : MARKS[row.outcome]))))));
    more.hidden = ranked.length <= shown;
  }
  draw();
  return section("cases", "Cases and their steps", el("p", { class: "soft" }, `${count(ranked.length)} cases, those with the most mistakes first; press a square to read the step.`), body, more);
}
