"use strict";
// Steps of command tests: what was expected, predicted, said and asked.

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
  const said = (lines || []).map(split).map(([who, text]) => bubble(who, text, { side: who === "bot" ? "right" : "left" }));
  return el("ol", { class: "chat" }, said, bubble("user", message, { now: true, missing: "(empty message)" }));
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
  parts.push(...block("Output that is no command", (found.unparsed || []).join("\n")), ...block("Where it comes from", found.provenance), ...block("Commands that do not exist", (found.hallucinated || []).join("\n")), ...block("Reasoning", found.reasoning), ...block("Unknown flows", (found.unknown_flows || []).join(", ")), ...block("Raw answer", found.raw));
  for (const prompt of found.prompts || []) {
    parts.push(...block(`Prompt ${prompt.prompt_name || ""}`, [prompt.system_prompt, prompt.user_prompt].filter(Boolean).join("\n\n")), ...block("Answer of the model", (prompt.choices || []).join("\n")));
  }
  return el("div", { class: "detail" }, parts);
}

function stepHead(row) {
  return [mark(row.outcome), el("span", { class: "said" }, row.user || "(empty message)"), row.kinds.map((kind) => el("span", { class: "tag" }, kind)),
    el("span", { class: "soft" }, `${row.file.split("/").pop()}:${row.line}`)].flat();
}

function steps(run) {
  const rows = run.rows;
  return explorer({
    id: "steps", title: "Steps", noun: "steps", rows, head: stepHead, body: details, buttons: OUTCOMES,
    fields: (row) => [row.user, row.case, row.file, row.expected.join("\n"), row.predicted.join("\n")],
    is: (row, outcome) => row.outcome === outcome, start: rows.some((row) => row.outcome === "failed") ? "failed" : rows.some((row) => row.outcome === "errored") ? "errored" : "",
    selects: [
      { name: "kind of mistake", values: [...new Set(rows.flatMap((row) => row.kinds))].sort(), is: (row, kind) => row.kinds.includes(kind) },
      { name: "command", values: Object.keys(run.command_metrics || {}).sort(), is: (row, name) => row.commands.includes(name) },
    ],
  });
}

function heat(run, open) {
  const cases = new Map();
  for (const row of run.rows) {
    const key = JSON.stringify([row.file, row.case, row.twin]);
    if (!cases.has(key)) cases.set(key, []);
    cases.get(key).push(row);
  }
  const bad = (found) => found.filter((row) => row.outcome !== "passed").length;
  const ranked = [...cases.values()].sort((a, b) => bad(b) - bad(a));
  const lines = ranked.map((found) => ({ name: found[0].case, title: `${found[0].file} :: ${found[0].case}`, cells: found.map((row) => ({ outcome: row.outcome, title: row.user, name: `step ${row.step}`, row })) }));
  return section("cases", "Cases and their steps", el("p", { class: "soft" }, `${count(ranked.length)} cases, those with the most mistakes first; press a square to read the step, arrow keys move between them.`), squares(lines, open, { label: "cases and their steps" }));
}

// Accuracy by the level that was really reached, and F1 of each command.
function robustness(run) {
  const found = run.robustness;
  if (!found) return null;
  const kinds = [...new Set(found.levels.map((one) => one.perturbation))];
  const levels = (kind) => found.levels.filter((one) => one.perturbation === kind && one.accuracy !== null);
  const place = (one) => (one.realised === null || one.realised === undefined ? one.level : one.realised);
  const pictures = kinds.filter((kind) => levels(kind).length).map((kind) => {
    const own = levels(kind), breaking = (found.breaking || {})[kind];
    const broken = breaking === null || breaking === undefined ? null : own.find((one) => one.level === breaking);
    const band = (one) => (one.interval && one.unperturbed !== null ? { low: Math.max(0, one.unperturbed + one.interval[0]), high: Math.min(1, one.unperturbed + one.interval[1]) } : {});
    const series = [{ name: "changed", points: own.map((one) => ({ x: place(one), y: one.accuracy, n: one.n, name: plain(place(one)), ...band(one) })) },
      { name: "the same steps unchanged", dashed: true, points: own.map((one) => ({ x: place(one), y: one.unperturbed, n: one.n, name: plain(place(one)) })) }];
    const note = broken ? `accuracy is proven to be lower from level ${plain(breaking)} on` : "no level is proven to lower accuracy";
    const accuracy = curves(`${kind}: accuracy`, series, { x: "share of words that changed", y: "accuracy", note, mark: broken ? { x: place(broken), text: "breaks" } : null });
    return [accuracy, f1Curves(kind, own, place)];
  });
  return section("robustness", "Robustness", charts(pictures.map(([accuracy]) => accuracy), pictures.map(([, f1]) => f1)),
    table([["perturbation", false, (r) => r.perturbation], ["level", true, (r) => number(r.level)], ["realised", true, (r) => number(r.realised)], ["steps", true, (r) => String(r.n)],
      ["accuracy", true, (r) => number(r.accuracy, 3)], ["unchanged", true, (r) => number(r.unperturbed, 3)], ["difference", true, (r) => number(r.difference, 3)], ["verdict", false, (r) => r.verdict]], found.levels));
}

function f1Curves(kind, levels, place) {
  const total = new Map();
  for (const one of levels) for (const [name, value] of Object.entries(one.f1 || {})) total.set(name, (total.get(name) || 0) + (value.n || 0));
  const names = [...total].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([name]) => name);
  if (!names.length) return null;
  const found = (one, name) => (one.f1 || {})[name] || {};
  const at = (one, name) => { const value = found(one, name); return value.value === undefined ? value.perturbed : value.value; };
  const before = (name) => { const one = levels.map((level) => (level.f1 || {})[name]).find((value) => value && typeof value === "object"); return one ? one.unperturbed : null; };
  const series = names.map((name) => ({ name, points: [{ x: 0, y: before(name), name: "unchanged" }, ...levels.map((one) => ({ x: place(one), y: at(one, name), name: plain(place(one)), n: found(one, name).n, low: found(one, name).low, high: found(one, name).high }))].filter((point) => point.y !== null && point.y !== undefined) }));
  return curves(`${kind}: F1 by command`, series, { x: "share of words that changed", y: "F1", note: total.size > names.length ? `the ${names.length} most frequent of ${total.size} commands` : "" });
}
