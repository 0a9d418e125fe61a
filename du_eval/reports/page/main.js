"use strict";
// The page: one run at a time, the first one first.
function verdictCard(found) {
  const words = { improved: "▲ improved", regressed: "▼ regressed", equivalent: "= equivalent", undecided: "? undecided" };
  return el("div", { class: `card verdict ${found.verdict}` }, el("div", { class: "name" }, `${found.before.name} → ${found.after.name}`),
    el("div", { class: "figure" }, words[found.verdict]), el("p", {}, found.reason), found.remarks.map((text) => el("p", { class: "soft" }, text)));
}

function changes(found) {
  const signed = (value) => (value === null ? "–" : `${value < 0 ? "" : "+"}${number(value, 3)}`);
  const p = (value) => (value === null ? "–" : value < 0.001 ? "<0.001" : number(value, 3));
  const list = (title, steps) => steps.length ? [el("h3", {}, `${title} (${count(steps.length)})`), table([
    ["where", false, (s) => s.place.split("/").pop()], ["message", false, (s) => s.user],
    ["expected", false, (s) => s.expected.join("\n") || "(nothing)"], ["before", false, (s) => s.before.join("\n") || "(nothing)"], ["after", false, (s) => s.after.join("\n") || "(nothing)"]], steps, 20)] : [];
  return [verdictCard(found),
    ...(found.commands.length ? [el("h3", {}, "F1 by command"), table([
      ["command", false, (c) => c.name], ["n", true, (c) => String(c.n)], ["before", true, (c) => number(c.before, 3)], ["after", true, (c) => number(c.after, 3)],
      ["difference", true, (c) => signed(c.difference)], ["95 % interval", false, (c) => (c.interval ? `${signed(c.interval[0])} to ${signed(c.interval[1])}` : "")],
      ["p (Holm)", true, (c) => p(c.adjusted_p)], ["verdict", false, (c) => c.verdict]], found.commands)] : []),
    ...measureTable(found), ...list("Newly failing", found.newly_failing), ...list("Newly passing", found.newly_passing),
    el("p", { class: "soft" }, found.method)];
}

function overview(run) {
  const accuracy = run.accuracy, f1 = run.f1_score;
  const cards = [tally("test cases", run.cases), tally("user steps", run.steps), measure("step accuracy", accuracy.user_utterances), measure("case accuracy", accuracy.test_cases),
    measure("F1, macro", { value: f1.macro, interval: (f1.intervals || {}).macro }), measure("F1, micro", { value: f1.micro, interval: (f1.intervals || {}).micro })];
  const notes = (run.notes || []).map((text) => el("p", { class: "soft" }, text));
  return section("overview", "Overview", el("div", { class: "cards" }, cards), notes);
}

function mistakes(run) {
  const rows = Object.entries(run.mistakes || {});
  if (!rows.length) return null;
  const values = (run.confusion.values || []);
  return section("mistakes", "Mistakes",
    table([["kind", false, ([key]) => key], ["mistakes", true, ([, m]) => String(m.count)], ["steps", true, ([, m]) => String(m.steps)]], rows),
    run.confusion.flows.some(([a, b]) => a !== b) ? [el("h3", {}, "Flows: which became which"), matrix(run.confusion.flows), confusedWith("flow", run.confused_with.flows)] : null,
    run.confusion.commands.length ? [el("h3", {}, "Commands: which became which"), el("p", { class: "soft" }, "Mistakes only: on the diagonal, the command is right and its arguments are not."), matrix(run.confusion.commands), confusedWith("command", run.confused_with.commands)] : null,
    run.confusion.slots.some(([a, b]) => a !== b) ? [el("h3", {}, "Right value, wrong slot"), table([["expected", false, (r) => r[0]], ["predicted", false, (r) => r[1]], ["count", true, (r) => String(r[2])]], run.confusion.slots.filter(([a, b]) => a !== b))] : null,
    values.length ? [el("h3", {}, "Right slot, wrong value"), table([["slot", false, (r) => r[0]], ["expected", false, (r) => r[1]], ["predicted", false, (r) => r[2]], ["count", true, (r) => String(r[3])], ["distance", true, (r) => number(r[4])]], values, 20)] : null);
}

function robustness(run) {
  const found = run.robustness;
  if (!found) return null;
  return section("robustness", "Robustness",
    table([["perturbation", false, (r) => r.perturbation], ["level", true, (r) => number(r.level)], ["realised", true, (r) => number(r.realised)], ["steps", true, (r) => String(r.n)],
      ["accuracy", true, (r) => number(r.accuracy, 3)], ["unperturbed", true, (r) => number(r.unperturbed, 3)], ["difference", true, (r) => number(r.difference, 3)], ["verdict", false, (r) => r.verdict]], found.levels),
    el("p", { class: "soft" }, Object.entries(found.breaking).map(([name, level]) => `${name}: ${level === null ? "does not break" : `breaks at ${level}`}`).join("; ")));
}

// Reports of other activities: their tables, each with its own search.
function searchable(found) {
  const cell = (value) => (value === null ? "" : typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : String(value));
  const columns = found.columns.map((name, index) => [name, found.rows.every((row) => row[index] === null || typeof row[index] === "number"), (row) => cell(row[index])]);
  const body = el("div", {}, table(columns, found.rows, 20));
  const search = el("input", { type: "search", placeholder: `search ${found.name}`, "aria-label": `search ${found.name}`, on: { input: (event) => {
    const text = event.target.value.toLowerCase();
    body.replaceChildren(table(columns, found.rows.filter((row) => row.some((value) => cell(value).toLowerCase().includes(text))), 20));
  } } });
  return section(`table-${found.name}`, found.name, found.rows.length > 8 ? el("div", { class: "filters" }, search) : [], body);
}

function show(run) {
  if (run.tables) return frame(run, [DATA.comparisons.length ? section("changes", "What changed", DATA.comparisons.map(changes).flat()) : null, ...run.tables.map(searchable)].filter(Boolean));
  const [steps, open] = explorer(run);
  const flaky = (run.repeats && run.repeats.flaky_steps) || [];
  const unparsed = run.rows.filter((row) => row.detail && row.detail.unparsed);
  const measured = [histogram("latency of steps", run.histograms.latency, short), histogram("prompt tokens", run.histograms.prompt_tokens, (v) => v.toFixed(0)), histogram("completion tokens", run.histograms.completion_tokens, (v) => v.toFixed(0))].filter(Boolean);
  const parts = [
    overview(run),
    DATA.comparisons.length ? section("changes", "What changed", DATA.comparisons.map(changes).flat()) : null,
    section("commands", "Commands", metricTable("command", run.command_metrics)),
    mistakes(run), robustness(run),
    Object.keys(run.flow_metrics).length ? section("flows", "Flows", metricTable("flow", run.flow_metrics)) : null,
    Object.keys(run.slot_metrics).length ? section("slots", "Slots", metricTable("slot", run.slot_metrics)) : null,
    heat(run, open),
    measured.length ? section("time", "Time and tokens", el("div", { class: "charts" }, measured)) : null,
    flaky.length ? section("flaky", "Flaky steps", table([["where", false, (s) => `${s.file}:${s.line}`], ["message", false, (s) => s.user], ["passed", true, (s) => String(s.passed)], ["failed", true, (s) => String(s.failed)], ["pass rate", true, (s) => number(s.pass_rate)]], flaky, 20)) : null,
    unparsed.length ? section("unparsed", "Output that is no command", table([["where", false, (r) => `${r.file}:${r.line}`], ["message", false, (r) => r.user], ["output", false, (r) => r.detail.unparsed.join("\n")]], unparsed, 20)) : null,
    (run.bot_steps || []).length ? section("bot", "Bot steps that differ", table([["where", false, (b) => b.place], ["after the message", false, (b) => b.user], ["finding", false, (b) => b.text]], run.bot_steps, 20)) : null,
    steps,
  ].filter(Boolean);
  frame(run, parts);
}

function frame(run, parts) {
  document.querySelector("main").replaceChildren(...parts);
  document.querySelector("footer").textContent = run.signature;
  document.querySelector("h1").textContent = run.title;
  document.getElementById("about").textContent = run.about;
  document.getElementById("links").replaceChildren(...parts.map((part) => el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
}

function unpack(run) {
  if (run.tables) return;
  const names = ["passed", "failed", "errored"];
  run.rows = run.rows.map(([at, step, line, user, outcome, expected, predicted, more]) => {
    const [file, name, twin] = run.places[at];
    const detail = more.detail || null;
    return { file, case: name, twin, step, line, user, outcome: names[outcome], expected, predicted, detail, sample: more.sample || 1,
      latency: more.latency === undefined ? null : more.latency, commands: (more.commands || []).map((index) => run.names[index]), kinds: detail && detail.mistakes ? [...new Set(detail.mistakes.map((m) => m.kind))] : [] };
  });
}

function start() {
  DATA.runs.forEach(unpack);
  const chooser = document.getElementById("chooser");
  if (DATA.runs.length > 1) {
    chooser.append(el("label", {}, "run ", el("select", { on: { change: (event) => show(DATA.runs[Number(event.target.value)]) } }, DATA.runs.map((run, index) => el("option", { value: String(index) }, run.title)))));
  }
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  show(DATA.runs[0]);
}
start();
