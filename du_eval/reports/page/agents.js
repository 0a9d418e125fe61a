"use strict";
// Agent cases: ratios, samples, checks, transcripts and the ways in which they fail.
function agentsPage(run) {
  const names = ["passed", "failed", "errored"];
  run.rows = run.rows.map(([at, sample, outcome, seconds, error, talk]) => {
    const bad = talk.flatMap((one) => one.checks.filter((check) => check[2]).map(([subject, check]) => `${subject} ${check}`));
    return { case: run.cases[at], at, sample, outcome: names[outcome], seconds, error, talk, kinds: [...new Set(bad)] };
  });
  const flaky = run.cases.filter((one) => one.flaky).length;
  const counts = (found) => ({ passed: 0, failed: 0, errored: 0, ...found });
  const cards = el("div", { class: "cards" }, tally("cases", counts(run.counts)), tally("samples", counts(run.sample_counts)), measure("cases passed", run.numbers.cases), measure("samples passed", run.numbers.samples),
    figureCard("flaky cases", count(flaky), "some samples pass, some do not"), run.numbers.tokens ? figureCard("tokens", count(run.numbers.tokens), run.numbers.cost ? `cost ${plain(run.numbers.cost)}` : "told by the server") : null);
  const [samples, open, choose] = explorer({
    id: "steps", title: "Samples", noun: "samples", rows: run.rows, buttons: OUTCOMES, body: (row) => sampleDetails(row),
    head: (row) => [mark(row.outcome), el("span", { class: "said" }, `${row.case.name} · sample ${row.sample}`), row.kinds.slice(0, 4).map((kind) => el("span", { class: "tag bad" }, kind)), el("span", { class: "soft" }, short(row.seconds))].flat(),
    fields: (row) => [row.case.name, row.case.file, row.case.agent, row.error, ...row.talk.flatMap((one) => [one.user, one.reply, ...one.checks.filter((check) => check[2]).map((check) => check[3])])],
    is: (row, outcome) => row.outcome === outcome, start: run.rows.some((row) => row.outcome === "failed") ? "failed" : run.rows.some((row) => row.outcome === "errored") ? "errored" : "",
    selects: [
      { name: "case", values: run.cases.map((_, index) => String(index)), text: (index) => caseName(run.cases[Number(index)]), is: (row, index) => row.at === Number(index) },
      { name: "failed check", values: [...new Set(run.rows.flatMap((row) => row.kinds))].sort(), is: (row, kind) => row.kinds.includes(kind) },
    ],
  });
  return [section("overview", "Overview", cards), caseTable(run, choose), sampleSquares(run, open), modes(run), checks(run, choose), charts(histogram("time of an answer", run.histograms.seconds, short)) ? section("time", "Time", charts(histogram("time of an answer", run.histograms.seconds, short))) : null, samples];
}
const caseName = (one) => (one.connection ? `${one.name} (${one.connection})` : one.name);

function caseTable(run, choose) {
  const rate = (one) => one.rate || {};
  return section("ratios", "Cases", table([["case", false, (c) => c.name], ["agent", false, (c) => c.agent || ""], ["connection", false, (c) => c.connection || ""],
    ["outcome", false, (c) => c.outcome, (c) => el("span", { class: c.outcome }, `${MARKS[c.outcome]} ${c.outcome}${c.flaky ? ", flaky" : ""}`)], ["needed", false, (c) => c.success_ratio || ""],
    ["pass rate", true, (c) => number(rate(c).value), (c) => rateCell(rate(c).value, rate(c).interval)], ["95 % interval", false, (c) => spreadText(c.rate)], ["n", true, (c) => String(rate(c).n || 0)]],
    [...run.cases].sort((a, b) => (a.rate && a.rate.value !== null ? a.rate.value : -1) - (b.rate && b.rate.value !== null ? b.rate.value : -1)), 30, (one) => choose("case", String(run.cases.indexOf(one)))));
}

function sampleSquares(run, open) {
  const lines = run.cases.map((one) => ({ name: caseName(one), title: one.file || "", cells: [] }));
  for (const row of run.rows) lines[row.at].cells.push({ outcome: row.outcome, title: row.kinds.join(", ") || row.error || `sample ${row.sample}`, name: `sample ${row.sample}`, row });
  const bad = (line) => line.cells.filter((cell) => cell.outcome !== "passed").length / (line.cells.length || 1);
  return section("cases", "Cases and their samples", el("p", { class: "soft" }, "Press a square to read the sample."), squares(lines.sort((a, b) => bad(b) - bad(a)), open, { label: "cases and their samples" }));
}

function modes(run) {
  const rows = run.cases.flatMap((one) => (one.failure_modes || []).map((mode) => ({ ...mode, of: caseName(one) }))).sort((a, b) => b.samples - a.samples);
  return rows.length ? section("modes", "Modes of failure", table([["case", false, (m) => m.of], ["mode", false, (m) => m.name], ["samples", true, (m) => String(m.samples)], ["failures", true, (m) => String(m.count)], ["expected", false, (m) => (m.criteria || []).join("\n")], ["examples", false, (m) => (m.examples || []).slice(0, 3).join("\n")], ["named by", false, (m) => m.named_by || ""]], rows, 20)) : null;
}

function checks(run, choose) {
  return run.checks.length ? section("checks", "Checks", table([["what", false, (c) => c.subject], ["check", false, (c) => c.check], ["passed", true, (c) => String(c.passed)], ["failed", true, (c) => String(c.failed)], ["errored", true, (c) => String(c.errored)]], run.checks, 20, (one) => (one.failed || one.errored) && choose("failed check", `${one.subject} ${one.check}`))) : null;
}

function sampleDetails(row) {
  const json = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));
  const parts = [el("p", { class: "soft" }, [row.case.file, `agent ${row.case.agent || "–"}`, row.case.connection, `sample ${row.sample}`, short(row.seconds)].filter(Boolean).join(" · "))];
  if (row.error) parts.push(...block("Error", row.error));
  const names = ["passed", "failed", "errored"];
  row.talk.forEach((one, index) => {
    const extra = [];
    if (one.structure !== undefined) extra.push(el("pre", { tabindex: "0" }, json(one.structure)));
    if (one.sly_data !== undefined) extra.push(el("div", { class: "soft" }, "sly data"), el("pre", { tabindex: "0" }, json(one.sly_data)));
    if (one.tools) extra.push(el("div", { class: "soft" }, `called: ${one.tools.map((tool) => tool.name).join(", ")}`));
    if (one.messages.length) extra.push(el("details", { class: "numbers" }, el("summary", {}, `${one.messages.length} messages on the way`), one.messages.map(([type, origin, text]) => el("p", { class: "soft" }, `[${type} ${origin}] ${json(text === null ? "" : text)}`))));
    extra.push(el("ul", { class: "checks" }, one.checks.map(([subject, check, outcome, text, judge, place]) => el("li", { class: names[outcome] }, `${MARKS[names[outcome]]} ${subject} ${check}: ${text}`, el("span", { class: "soft" }, ` ${[judge, outcome ? place : ""].filter(Boolean).join(" · ")}`)))));
    parts.push(el("h3", {}, `Interaction ${index + 1}${one.seconds ? `, ${short(one.seconds)}` : ""}`), el("ol", { class: "chat" }, bubble("user", one.user), bubble("agent", one.reply, { side: "right", extra, missing: one.error ? `(no answer: ${one.error})` : "(no text)" })));
  });
  return el("div", { class: "detail" }, parts);
}
