"use strict";
// Corpus metrics: models side by side, a chart for each metric of a family, differences.
function metricsPage(run) {
  const value = (file, metric) => file.metrics[metric] || null;
  const better = (metric) => (run.files.map((file) => value(file, metric)).find(Boolean) || {}).better || "neither";
  const arrow = { higher: "↑", lower: "↓", neither: "" }, tones = { better: "good", worse: "bad", different: "s4" };
  const sign = { better: "▲", worse: "▼", different: "◆" };
  const verdict = (found) => (found && found.difference ? found.difference.verdict : "");
  const text = (found) => (found === null || found.value === null ? "–" : `${plain(found.value)}${found.half_width ? ` ±${plain(found.half_width)}` : ""}`);
  const columns = [["metric", false, (metric) => metric, (metric) => [metric, " ", el("span", { class: "soft" }, arrow[better(metric)] || "")]],
    ...run.files.map((file) => [file.title, true, (metric) => text(value(file, metric)), (metric) => { const found = value(file, metric), mark = sign[verdict(found)]; return mark ? [text(found), " ", el("span", { class: { better: "passed", worse: "failed", different: "errored" }[verdict(found)], title: verdict(found) }, mark)] : text(found); }])];
  const legend = ["↑ higher is better, ↓ lower is better; ± is half the width of the interval.", run.baseline ? `▲ better, ▼ worse, ◆ different than ${run.baseline}, beyond chance.` : ""].filter(Boolean).join(" ");
  const families = Object.entries(run.families).map(([family, metrics]) => [el("h3", {}, family), charts(metrics.map((metric) => intervals(`${metric} ${arrow[better(metric)] || ""}`.trim(),
    run.files.slice(0, 40).map((file) => { const found = value(file, metric); return { name: file.title, value: found ? found.value : null, interval: found ? found.interval : null, n: found ? found.n : undefined, tone: tones[verdict(found)] || "s0" }; }))))]).flat();
  const missing = run.files.flatMap((file) => Object.entries(file.not_computed || {}).map(([metric, reason]) => [metric, reason, file.title]));
  const grouped = [...missing.reduce((all, [metric, reason, file]) => { const key = JSON.stringify([metric, reason]); return all.set(key, [metric, reason, [...((all.get(key) || [])[2] || []), file]]); }, new Map()).values()];
  const lines = run.files.map((file) => file.lines);
  const cards = el("div", { class: "cards" }, figureCard("files of responses", count(run.files.length), run.files.slice(0, 6).map((file) => file.title).join(", ") + (run.files.length > 6 ? ", …" : "")), figureCard("responses", count(Math.max(0, ...lines)), "lines of the longest file"), figureCard("metrics", count(run.metrics.length), missing.length ? `${count(grouped.length)} not computed` : "all were computed"),
    run.baseline ? figureCard("baseline", run.baseline, "the others are compared with it") : null);
  return [section("overview", "Overview", cards, run.notes.map((note) => el("p", { class: "soft" }, note))), section("table", "Metrics", table(columns, run.metrics, 60), el("p", { class: "soft" }, legend)), section("charts", "Charts", families), differences(run),
    grouped.length ? section("missing", "Not computed", table([["metric", false, (m) => m[0]], ["why", false, (m) => m[1]], ["files", false, (m) => (m[2].length === run.files.length ? "all" : m[2].join(", "))]], grouped, 30)) : null,
    section("signatures", "Signatures", table([["metric", false, (m) => m], ["signature", false, (m) => signatures(run, m)]], run.metrics, 15))];
}
const signatures = (run, metric) => [...new Set(run.files.map((file) => file.metrics[metric]).filter((found) => found && found.signature).map((found) => found.signature))].join(" or ");

function differences(run) {
  const rows = run.files.flatMap((file) => run.metrics.map((metric) => [file.title, metric, (file.metrics[metric] || {}).difference]).filter((row) => row[2]));
  if (!rows.length) return null;
  const order = { worse: 0, better: 1, different: 2 };
  rows.sort((a, b) => (order[a[2].verdict] === undefined ? 3 : order[a[2].verdict]) - (order[b[2].verdict] === undefined ? 3 : order[b[2].verdict]));
  const tone = { better: "passed", worse: "failed", different: "errored" };
  return section("differences", `Differences to ${run.baseline || "the baseline"}`, table([["file", false, (r) => r[0]], ["metric", false, (r) => r[1]], ["difference", true, (r) => `${r[2].value < 0 ? "" : "+"}${plain(r[2].value)}`], ["interval", false, (r) => `${plain(r[2].interval[0])} – ${plain(r[2].interval[1])}`],
    ["p", true, (r) => (r[2].p === null || r[2].p === undefined ? "–" : r[2].p < 0.001 ? "<0.001" : number(r[2].p, 3))], ["verdict", false, (r) => r[2].verdict, (r) => el("span", { class: tone[r[2].verdict] || "" }, r[2].verdict)]], rows, 30));
}
