"use strict";
// Quality runs.
const spreadText = (found) => (found && found.interval ? `${number(found.interval[0])} – ${number(found.interval[1])}` : "–");
const rateCell = (rate, interval) => (rate === null || rate === undefined ? "–" : el("span", { class: "rate" }, bar(rate, interval), number(rate)));

// Questions with the difficulty minus the controls on the same facts.
function pairedText(found) {
  if (!found) return "";
  const signed = (value) => `${value < 0 ? "" : "+"}${number(value)}`;
  return `${signed(found.difference)} (${signed(found.interval[0])} to ${signed(found.interval[1])}, n=${count(found.pairs)})`;
}

function qualityPage(run) {
  unpackTalks(run);
  const tests = Object.entries(run.tests);
  const rated = tests.filter(([, test]) => test.rate !== null && test.attempts).sort((a, b) => a[1].rate - b[1].rate);
  const time = run.histograms.seconds.percentiles;
  const cards = el("div", { class: "cards" }, outcomeCard("replies", run.outcomes), figureCard("conversations", count(run.talks.length), run.has_texts ? `${count(run.rows.filter((row) => row.mark).length)} injected utterances` : "their texts were not kept"),
    rated.length ? figureCard("weakest test", number(rated[0][1].rate), `${rated[0][0]}, ${rated[0][1].title}; ${spreadText(rated[0][1])}, n=${rated[0][1].attempts}`) : null,
    time && time.p50 !== undefined ? figureCard("response time", short(time.p50), Object.entries(time).map(([key, value]) => `${key} ${short(value)}`).join("  ")) : null);
  const gates = run.missed.map((text) => el("p", { class: "failed" }, `✗ gate missed: ${text}`));
  const words = { test: "test", tests: "tests", injected: "injected", title: (name) => `${name} ${(run.tests[name] || {}).title || ""}`, block: false };
  const [talks, choose] = talkSections(run, words);
  const rates = table([["test", false, ([key]) => key], ["what it asks for", false, ([, test]) => test.title], ["passed", true, ([, test]) => `${test.successes}/${test.attempts}`],
    ["rate", true, ([, test]) => number(test.rate), ([, test]) => rateCell(test.rate, test.interval)], ["95 % interval", false, ([, test]) => spreadText(test)],
    ["control", true, ([, test]) => (test.control ? number(test.control.rate) : ""), ([, test]) => (test.control ? `${number(test.control.rate)} (${test.control.successes}/${test.control.attempts})` : "")], ...(tests.some(([, test]) => test.paired) ? [["against the control", true, ([, test]) => pairedText(test.paired)]] : []), ["unjudged", true, ([, test]) => String(test.unjudged || 0)]], tests, 50, ([name]) => choose("test", name));
  return [section("overview", "Overview", cards, gates), section("tests", "Requirement tests", rates), doses(run), variants(run), scores(run), ...talks,
    section("judges", "Judges", table([["role", false, ([key]) => key], ["judge", false, ([, name]) => name]], Object.entries(run.judges)))];
}

const cellPoint = ([name, cell]) => ({ x: parseFloat(name), name, y: cell.rate, low: cell.interval ? cell.interval[0] : null, high: cell.interval ? cell.interval[1] : null, n: cell.attempts });
const controlLine = (control, points) => (control && control.rate !== null && points.length ? [{ name: `control, n=${control.attempts}`, dashed: true, points: [{ x: Math.min(0, ...points.map((p) => p.x)), y: control.rate, name: "control", n: control.attempts }, { x: Math.max(...points.map((p) => p.x)), y: control.rate, name: "control", n: control.attempts }] }] : []);

function doses(run) {
  const unit = (test) => { const row = run.rows.find((one) => one.mark && one.mark.test === test && one.mark.unit); return row ? row.mark.unit : "level"; };
  const found = Object.entries(run.tests).filter(([, test]) => test.levels).map(([key, test]) => {
    const points = Object.entries(test.levels).map(cellPoint), shared = unit(key) === "share of words";
    return curves(`${key}: ${test.title}`, [{ name: "success", points }, ...controlLine(test.control, points)], { x: shared ? "realised level, % of words" : `realised level, ${unit(key)}`, y: "success", note: "with 95 % intervals" });
  }).filter(Boolean);
  const distances = Object.entries(run.tests).filter(([, test]) => test.distances).map(([key, test]) => {
    const points = Object.entries(test.distances).map(cellPoint);
    return curves(`${key}: ${test.title}`, [{ name: "remembered", points }, ...controlLine(test.control, points)], { x: "turns since it was told", y: "success", note: test.control ? "control: asked about something that was never told" : "with 95 % intervals" });
  }).filter(Boolean);
  const note = "How often the bot is right: by how hard the message was really made, where the dashed line is the same question without the difficulty; and by how many turns it has to remember.";
  return found.length || distances.length ? section("doses", "Dose, distance and response", el("p", { class: "soft" }, note), charts(found, distances)) : null;
}

function variants(run) {
  const groups = (key) => Object.entries(run.tests).filter(([, test]) => test[key]).map(([name, test]) => intervals(`${name}: ${test.title}`, Object.entries(test[key]).map(([label, cell]) => ({ name: label, value: cell.rate, interval: cell.interval, n: cell.attempts })), { domain: [0, 1], digits: 2, note: key === "labels" ? "share of replies below the threshold" : "" }));
  const found = charts(groups("variants"), groups("labels"));
  return found ? section("kinds", "By kind", found) : null;
}

function scores(run) {
  const isFlat = (one) => one.bins[0] === one.n && one.low === 0;
  const named = (one) => [one.test, (run.tests[one.test] || {}).title, one.label].filter(Boolean).join(", ");
  const flat = run.scores.filter(isFlat);
  const found = run.scores.filter((one) => !isFlat(one)).map((one) => histogram(named(one), one, plain, { threshold: one.threshold, note: `n=${count(one.n)}` }));
  const time = histogram("response time", run.histograms.seconds, short);
  const note = flat.length ? el("p", { class: "soft" }, `All close to 0, so not drawn: ${flat.map((one) => `${named(one)} (n=${count(one.n)}, threshold ${plain(one.threshold)})`).join("; ")}.`) : null;
  return run.scores.length || time ? section("scores", "Scores of every reply", charts(found, time), note) : null;
}
