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

function provenance(run) {
  const rows = Object.entries((run.provenance || {}).counts || {});
  if (!rows.length) return null;
  const share = run.provenance.accuracy_if_format_were_perfect;
  return section("provenance", "Where failures come from",
    table([["cause", false, ([key]) => key], ["steps", true, ([, n]) => String(n)]], rows, 20),
    share === null ? null : el("p", { class: "soft" }, `accuracy if the format were perfect: ${number(share)} (n=${run.provenance.n})`));
}

function mistakes(run, choose) {
  const rows = Object.entries(run.mistakes || {});
  if (!rows.length) return null;
  const values = (run.confusion.values || []);
  return section("mistakes", "Mistakes",
    table([["kind", false, ([key]) => key], ["mistakes", true, ([, m]) => String(m.count)], ["steps", true, ([, m]) => String(m.steps)]], rows, 50, ([kind]) => choose("kind of mistake", kind)),
    run.confusion.flows.some(([a, b]) => a !== b) ? [el("h3", {}, "Flows: which became which"), matrix(run.confusion.flows), confusedWith("flow", run.confused_with.flows)] : null,
    run.confusion.commands.length ? [el("h3", {}, "Commands: which became which"), el("p", { class: "soft" }, "Mistakes only: on the diagonal, the command is right and its arguments are not."), matrix(run.confusion.commands), confusedWith("command", run.confused_with.commands)] : null,
    run.confusion.slots.some(([a, b]) => a !== b) ? [el("h3", {}, "Right value, wrong slot"), table([["expected", false, (r) => r[0]], ["predicted", false, (r) => r[1]], ["count", true, (r) => String(r[2])]], run.confusion.slots.filter(([a, b]) => a !== b))] : null,
    values.length ? [el("h3", {}, "Right slot, wrong value"), table([["slot", false, (r) => r[0]], ["expected", false, (r) => r[1]], ["predicted", false, (r) => r[2]], ["count", true, (r) => String(r[3])], ["distance", true, (r) => number(r[4])]], values, 20)] : null);
}

// Reports of unknown kinds: their tables, each with its own search.
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

const KINDS = { test: "command tests", e2e: "end-to-end tests", quality: "quality", metrics: "corpus metrics", other: "report" };
const PAGES = { test: testPage, quality: qualityPage, metrics: metricsPage, other: (run) => run.tables.map(searchable) };

function show(run) {
  const own = DATA.comparisons.filter((one) => [one.before.name, one.after.name].includes(run.title));
  // Each page is drawn from its own copy, so that a run can be shown again.
  const parts = PAGES[run.kind]({ ...run }).filter(Boolean);
  const changed = own.length ? section("changes", "What changed", own.map(changes).flat()) : null;
  if (changed) parts.splice(run.kind === "other" ? 0 : 1, 0, changed);
  frame(run, parts);
}

function testPage(run) {
  unpack(run);
  const [list, open, choose] = steps(run);
  const flaky = (run.repeats && run.repeats.flaky_steps) || [];
  const unparsed = run.rows.filter((row) => row.detail && row.detail.unparsed);
  const tokens = (value) => value.toFixed(0);
  const measured = charts(histogram("latency of steps", run.histograms.latency, short), histogram("prompt tokens", run.histograms.prompt_tokens, tokens), histogram("completion tokens", run.histograms.completion_tokens, tokens));
  return [
    overview(run),
    section("commands", "Commands", metricTable("command", run.command_metrics, ([name]) => choose("command", name))),
    mistakes(run, choose), provenance(run), robustness(run),
    section("flows", "Flows", metricTable("flow", run.flow_metrics)),
    section("slots", "Slots", metricTable("slot", run.slot_metrics)),
    heat(run, open),
    measured ? section("time", "Time and tokens", measured) : null,
    flaky.length ? section("flaky", "Flaky steps", table([["where", false, (s) => `${s.file}:${s.line}`], ["message", false, (s) => s.user], ["passed", true, (s) => String(s.passed)], ["failed", true, (s) => String(s.failed)], ["pass rate", true, (s) => number(s.pass_rate)]], flaky, 20)) : null,
    unparsed.length ? section("unparsed", "Output that is no command", table([["where", false, (r) => `${r.file}:${r.line}`], ["message", false, (r) => r.user], ["output", false, (r) => r.detail.unparsed.join("\n")]], unparsed, 20, open)) : null,
    (run.bot_steps || []).length ? section("bot", "Bot steps that differ", table([["where", false, (b) => b.place], ["after the message", false, (b) => b.user], ["finding", false, (b) => b.text]], run.bot_steps, 20)) : null,
    list,
  ];
}

function frame(run, parts) {
  document.querySelector("main").replaceChildren(...parts);
  document.querySelector("footer").replaceChildren(el("p", {}, run.signature), el("p", {}, "Keys: / search · Tab between parts · arrow keys inside tables, lists and squares · Enter opens · Esc closes or clears"));
  document.querySelector("h1").textContent = run.title;
  document.title = `${run.title} · du-eval report`;
  document.getElementById("about").textContent = run.about;
  document.querySelector(".skip").hidden = !parts.some((part) => part.id === "steps");
  document.getElementById("links").replaceChildren(...parts.map((part) => el("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)));
}

function unpack(run) {
  const names = ["passed", "failed", "errored"];
  run.rows = run.rows.map(([at, step, line, user, outcome, expected, predicted, more]) => {
    const [file, name, twin] = run.places[at];
    const detail = more.detail || null;
    return { file, case: name, twin, step, line, user, outcome: names[outcome], expected, predicted, detail, sample: more.sample || 1,
      latency: more.latency === undefined ? null : more.latency, commands: (more.commands || []).map((index) => run.names[index]), kinds: detail && detail.mistakes ? [...new Set(detail.mistakes.map((m) => m.kind))] : [] };
  });
}

// Several runs: a button each, grouped by what they are.
function headline(run) {
  const rate = (found) => (found && found.value !== null && found.value !== undefined ? number(found.value, 3) : "–");
  if (run.kind === "test") return `accuracy ${rate(run.accuracy.user_utterances)}`;
  if (run.kind === "quality") return `${Object.keys(run.tests).length} tests, ${run.rows.length} replies`;
  return run.kind === "metrics" ? `${run.files.length} files` : "";
}

function chooser() {
  const kinds = [...new Set(DATA.runs.map((run) => run.kind))], buttons = [];
  const group = (kind) => el("div", { class: "runs", role: "group", "aria-label": KINDS[kind] }, el("div", { class: "soft" }, KINDS[kind]), el("div", { class: "picks" }, DATA.runs.filter((run) => run.kind === kind).map((run) => {
    const button = el("button", { type: "button", on: { click: () => pick(run) } }, el("b", {}, run.title), el("span", { class: "soft" }, headline(run)));
    buttons.push([run, button]);
    return button;
  })));
  function pick(run) {
    show(run);
    for (const [one, button] of buttons) button.setAttribute("aria-pressed", String(one === run));
  }
  document.getElementById("chooser").append(...kinds.map(group));
  pick(DATA.runs[0]);
}

function start() {
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  keys();
  if (DATA.runs.length > 1) chooser();
  else show(DATA.runs[0]);
}
start();
