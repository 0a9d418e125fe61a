"use strict";
// End-to-end tests: what must happen in each turn beside what happened.
function endtoendPage(run) {
  for (const row of run.rows) {
    const lines = new Set(row.findings.map((one) => one.line));
    row.marks = row.turns.map((turn) => {
      const bad = row.findings.filter((one) => (turn.expected || []).some((wanted) => wanted.line === one.line) || one.line === turn.line);
      return bad.some((one) => !one.could_not_be_judged) ? "failed" : bad.length ? "errored" : "passed";
    });
    if (row.error && row.marks.length) row.marks[row.marks.length - 1] = "errored";
    row.broken = lines;
  }
  const findings = run.rows.flatMap((row) => row.findings.map((one) => ({ ...one, row })));
  const blames = run.rows.flatMap((row) => (row.blame || []).map((one) => ({ ...one, row })));
  const [cases, open] = explorer({
    id: "steps", title: "Dialogues", noun: "cases", rows: run.rows, buttons: OUTCOMES, body: caseDetails,
    head: (row) => [mark(row.outcome), el("span", { class: "said" }, row.test_case), row.findings.length ? el("span", { class: "tag bad" }, `${row.findings.length} not as expected`) : null, el("span", { class: "soft" }, `${row.file.split("/").pop()}:${row.line}`)],
    fields: (row) => [row.test_case, row.file, row.error, ...row.findings.flatMap((one) => [one.expected, one.found]), ...row.turns.flatMap((turn) => [turn.user, ...turn.commands, ...turn.bot.flatMap((said) => [said.text, said.utter])])],
    is: (row, outcome) => row.outcome === outcome, start: run.rows.some((row) => row.outcome === "failed") ? "failed" : run.rows.some((row) => row.outcome === "errored") ? "errored" : "",
    selects: [{ name: "file", least: 1, values: [...new Set(run.rows.map((row) => row.file))], is: (row, file) => row.file === file }, { name: "fault", values: [...new Set(blames.map((one) => one.fault))], is: (row, fault) => (row.blame || []).some((one) => one.fault === fault) }, { name: "flow", values: run.flows.map(([flow]) => flow).sort(), is: (row, flow) => row.turns.some((turn) => (turn.flows || []).includes(flow)) }],
  });
  const bad = (row) => row.marks.filter((state) => state !== "passed").length;
  const lines = [...run.rows].sort((a, b) => bad(b) - bad(a)).map((row) => ({ name: row.test_case, title: `${row.file}:${row.line}`, cells: row.turns.map((turn, index) => ({ outcome: row.marks[index], title: turn.user, name: `turn ${index + 1}`, row })) }));
  return [section("overview", "Overview", el("div", { class: "cards" }, tally("cases", run.counts), measure("cases passed", run.rate), figureCard("turns", count(run.rows.reduce((all, row) => all + row.turns.length, 0)), "messages of the user"), figureCard("not as expected", count(findings.length), "steps and assertions that did not hold")), run.notes.map((text) => el("p", { class: "soft" }, text))),
    blames.length ? section("faults", "Whose fault", el("p", { class: "soft" }, "What would have made each failed turn pass, if those before it had been understood."), table([["fault", false, (b) => b.fault], ["where", false, (b) => `${b.row.file.split("/").pop()}:${b.line}`], ["message", false, (b) => b.user], ["needs", false, (b) => (b.needs ? b.needs.join(", ") || "no command" : "–")], ["got", false, (b) => b.got.join(", ") || "no command"]], blames, 30, (b) => open(b.row))) : null,
    findings.length ? section("findings", "Not as expected", table([["where", false, (f) => `${f.row.file.split("/").pop()}:${f.line}`], ["after the message", false, (f) => f.user], ["expected", false, (f) => f.expected], [ "found", false, (f) => f.found]], findings, 30, (f) => open(f.row))) : null,
    section("cases", "Cases and their turns", el("p", { class: "soft" }, "Press a square to read the dialogue."), squares(lines, open, { label: "cases and their turns" })),
    run.flows.length ? section("flows", "Flows that ran", table([["flow", false, (f) => f[0]], ["cases", true, (f) => String(f[1])], ["of them passed", true, (f) => String(f[2])]], run.flows, 30)) : null,
    cases];
}

function caseDetails(row) {
  const parts = [el("p", { class: "soft" }, `${row.file}:${row.line}`)];
  if (row.error) parts.push(...block("The case could not be run to its end", row.error));
  if (row.traceback) parts.push(...block("Traceback of the action", row.traceback));
  row.turns.forEach((turn, index) => {
    const wanted = turn.expected || [], said = turn.bot.map((one) => (one.generated ? "(a generated answer)" : one.utter ? `${one.utter}: ${one.text}` : one.text));
    const size = Math.max(wanted.length, said.length, 1), cells = [el("div", { class: "head" }, "expected"), el("div", { class: "head right" }, "the bot said")];
    for (let at = 0; at < size; at += 1) {
      const isBroken = wanted[at] && row.broken.has(wanted[at].line);
      cells.push(el("div", { class: isBroken ? "unexpected" : "" }, wanted[at] ? `${isBroken ? "✗ " : "✓ "}${wanted[at].text}` : at === 0 ? "(nothing is expected)" : ""), el("div", {}, said[at] || (at === 0 ? "(nothing)" : "")));
    }
    const found = row.findings.filter((one) => wanted.some((item) => item.line === one.line) || one.line === turn.line);
    parts.push(el("h3", {}, `${index + 1}. user: `, el("span", { class: "quote" }, turn.user)), el("p", { class: "soft" }, `understood as ${turn.commands.join(", ") || "nothing"}`), el("div", { class: "diff" }, cells),
      ...found.map((one) => el("p", { class: one.could_not_be_judged ? "errored" : "failed" }, `line ${one.line}: ${one.could_not_be_judged ? "could not be judged" : "expected"} ${one.expected}, but ${one.found}`)),
      ...(row.blame || []).filter((one) => one.line === turn.line).map((one) => el("p", {}, `whose fault: ${one.reason}`)));
  });
  return el("div", { class: "detail" }, parts);
}
