"use strict";
// Dialogues of a tester and a bot: each reply with its verdicts, the injected tests marked.
function unpackTalks(run) {
  const verdicts = ["passed", "failed", "unjudged"];
  run.rows = run.rows.map(([dialogue, turn, prompt, reply, outcome, found, more]) => {
    const row = { dialogue, turn, prompt, reply, outcome, more, mark: more.mark || null };
    row.verdicts = found.map(([test, verdict, value, extra]) => ({ test: run.names[test], verdict: verdicts[verdict], value, ...(extra || {}) }));
    row.failed = [...new Set(row.verdicts.filter((one) => one.verdict === "failed").map((one) => one.test))];
    row.state = outcome !== "answered" ? "errored" : row.failed.length ? "failed" : row.verdicts.length ? "passed" : "none";
    return row;
  });
  run.talks = run.dialogues.map((name) => ({ name, rows: [] }));
  for (const row of run.rows) run.talks[row.dialogue].rows.push(row);
}

const stateFor = (row, test) => {
  if (!test) return row.state;
  const found = row.verdicts.filter((one) => one.test === test);
  if (!found.length) return "none";
  return found.some((one) => one.verdict === "failed") ? "failed" : found.every((one) => one.verdict === "unjudged") ? "unjudged" : "passed";
};

function markText(found) {
  const share = found.unit === "share of words";
  const unit = found.level === 1 ? (found.unit || "").replace(/s$/, "") : found.unit;
  const level = found.level === undefined || !unit ? "" : share ? `${(100 * found.level).toFixed(0)} % of words` : `${plain(found.level)} ${unit}`;
  return [found.test, found.role, level, found.variant, found.distance === undefined ? "" : `told ${found.distance} ${found.distance === 1 ? "turn" : "turns"} ago`].filter(Boolean).join(" · ");
}

function verdictTags(row) {
  const good = row.verdicts.filter((one) => one.verdict === "passed" && !one.label);
  const bad = row.verdicts.filter((one) => one.verdict === "failed");
  const open = row.verdicts.filter((one) => one.verdict === "unjudged");
  const name = (one) => (one.label ? `${one.test} ${one.label}` : one.test);
  return el("div", { class: "tags" }, bad.map((one) => el("span", { class: "tag bad", title: one.reason || "" }, `✗ ${name(one)}`)), open.map((one) => el("span", { class: "tag", title: one.reason || "" }, `? ${name(one)}`)),
    row.mark && good.some((one) => one.test === row.mark.test) ? el("span", { class: "tag good" }, `✓ ${row.mark.test}`) : null,
    good.length ? el("span", { class: "soft", title: good.map((one) => one.test).join(", ") }, `✓ ${good.length} passed`) : null);
}

function turnBubbles(run, row, isNow) {
  const injected = row.mark ? [el("div", { class: "tags" }, el("span", { class: "tag note" }, `▸ ${markText(row.mark)}`))] : [];
  const missing = !run.has_texts ? "(the conversation was not kept)" : row.outcome === "answered" ? "(nothing was said)" : `(no reply: ${row.outcome}${row.more.detail ? `, ${row.more.detail}` : ""})`;
  return [bubble("tester", row.prompt, { extra: injected, now: isNow, missing: run.has_texts ? "(nothing was said)" : missing }), bubble("bot", row.reply, { side: "right", extra: [verdictTags(row)], now: isNow, missing })];
}

function wholeTalk(run, talk, row = null) {
  const at = row ? talk.rows.indexOf(row) : 0, from = Math.max(0, at - 100);
  const shown = talk.rows.slice(from, from + 300);
  const note = shown.length < talk.rows.length ? el("p", { class: "soft" }, `turns ${from + 1} to ${from + shown.length} of ${talk.rows.length}`) : null;
  return el("div", {}, note, el("ol", { class: "chat" }, shown.map((one) => turnBubbles(run, one, one === row)).flat()));
}

function verdictTable(row) {
  if (!row.verdicts.length) return el("p", { class: "soft" }, "No test asks about this reply.");
  const order = { failed: 0, unjudged: 1, passed: 2 };
  return table([["test", false, (v) => (v.label ? `${v.test}, ${v.label}` : v.test) + (v.control ? " (control)" : "")], ["verdict", false, (v) => v.verdict, (v) => el("span", { class: v.verdict === "unjudged" ? "errored" : v.verdict }, `${MARKS[v.verdict]} ${v.verdict}`)],
    ["value", true, (v) => (v.value === null || v.value === undefined ? "–" : plain(v.value))], ["threshold", true, (v) => (v.threshold === undefined ? "" : plain(v.threshold))],
    ["why", false, (v) => v.reason || ""], ["judge", false, (v) => v.judge || ""]], [...row.verdicts].sort((a, b) => order[a.verdict] - order[b.verdict]), 30);
}

function replyDetails(run, row) {
  const talk = run.talks[row.dialogue], at = talk.rows.indexOf(row);
  const facts = [`dialogue ${talk.name}`, `turn ${row.turn + 1}`, row.more.seconds === undefined ? "" : short(row.more.seconds), row.more.right ? `right answer: ${row.more.right}` : "", row.mark ? markText(row.mark) : ""].filter(Boolean).join(" · ");
  const around = el("div", {}, el("ol", { class: "chat" }, talk.rows.slice(Math.max(0, at - 3), at + 1).map((one) => turnBubbles(run, one, one === row)).flat()));
  const whole = el("button", { type: "button", on: { click: () => { around.replaceChildren(wholeTalk(run, talk, row)); whole.hidden = true; } } }, "show the whole dialogue");
  return el("div", { class: "detail" }, el("p", { class: "soft" }, facts), el("h3", {}, "Verdicts"), verdictTable(row), el("h3", {}, "Dialogue up to this reply"), around, talk.rows.length > 1 && run.has_texts ? whole : null);
}

// The squares of all dialogues, the dialogue that was picked, and the list of all replies.
function talkSections(run, words) {
  const reader = el("div", { class: "reader", tabindex: "-1", hidden: "" });
  const read = (talk, row) => {
    reader.hidden = false;
    reader.replaceChildren(el("div", { class: "filters" }, el("h3", {}, `Dialogue ${talk.name}`), el("button", { type: "button", on: { click: () => { reader.hidden = true; } } }, "close")), wholeTalk(run, talk, row));
    reader.focus({ preventScroll: true });
    const now = reader.querySelector(".now") || reader;
    now.scrollIntoView({ block: now === reader ? "start" : "center" });
  };
  reader.addEventListener("keydown", (event) => { if (event.key === "Escape") reader.hidden = true; });
  const holder = el("div", {});
  function drawSquares(test) {
    const bad = (talk) => talk.rows.filter((row) => ["failed", "errored"].includes(stateFor(row, test))).length;
    const ranked = [...run.talks].filter((talk) => talk.rows.length).sort((a, b) => bad(b) - bad(a));
    const lines = ranked.map((talk) => ({ name: `dialogue ${talk.name}`, title: `${talk.rows.length} replies, ${bad(talk)} of them not passed`, talk, cells: talk.rows.map((row) => ({ outcome: stateFor(row, test), title: row.mark ? `${markText(row.mark)}: ${row.prompt}` : row.prompt || "", name: `turn ${row.turn + 1}`, row })) }));
    holder.replaceChildren(...squares(lines, (row) => read(run.talks[row.dialogue], row), { label: "dialogues and their replies", pick: (line) => read(line.talk, null) }));
  }
  drawSquares("");
  const tests = run.names.filter((name) => run.rows.some((row) => row.verdicts.some((one) => one.test === name)));
  const choice = el("select", { "aria-label": words.test, on: { change: (event) => drawSquares(event.target.value) } }, el("option", { value: "" }, `verdicts of all ${words.tests}`), tests.map((name) => el("option", { value: name }, words.title(name))));
  const dialogues = section("dialogues", "Dialogues", el("p", { class: "soft" }, "A square is a reply. Press one to read it in its dialogue, or the name of a dialogue to read all of it."), el("div", { class: "filters" }, choice), holder, reader);
  const [replies, , choose] = explorer({
    id: "steps", title: "Replies", noun: "replies", rows: run.rows, body: (row) => replyDetails(run, row),
    head: (row) => [mark(row.state), el("span", { class: "said" }, run.has_texts ? row.reply || `(no reply: ${row.outcome})` : `reply ${row.turn + 1} of dialogue ${run.talks[row.dialogue].name}`), row.failed.map((test) => el("span", { class: "tag bad" }, test)), row.mark ? el("span", { class: "tag note" }, `▸ ${row.mark.test}`) : null, el("span", { class: "soft" }, `${run.talks[row.dialogue].name}:${row.turn + 1}`)].flat(),
    fields: (row) => [row.prompt, row.reply, `dialogue ${run.talks[row.dialogue].name}`, row.mark ? markText(row.mark) : "", row.more.right || ""],
    buttons: [["", "all"], ["failed", "failed"], ["errored", "no reply"], ["injected", words.injected], ["passed", "passed"]].filter(([key, name]) => name && (key !== "errored" || run.rows.some((row) => row.state === "errored"))),
    is: (row, key) => (key === "injected" ? row.mark !== null : row.state === key), start: run.rows.some((row) => row.state === "failed") ? "failed" : "",
    selects: [
      { name: words.test, values: tests, text: words.title, is: (row, name) => row.verdicts.some((one) => one.test === name) },
      { name: "block", values: words.block ? [...new Set(run.rows.map((row) => (row.mark ? row.mark.test : "")).filter(Boolean))] : [], is: (row, block) => row.mark !== null && row.mark.test === block },
      { name: "verdict", values: [...new Set(run.rows.flatMap((row) => row.verdicts.filter((one) => one.verdict !== "passed").map((one) => `${one.test}: ${one.verdict}`)))].sort(), is: (row, value) => { const [test, verdict] = value.split(": "); return row.verdicts.some((one) => one.test === test && one.verdict === verdict); } },
      { name: "dialogue", least: 1, values: run.talks.map((_, index) => String(index)), text: (index) => `dialogue ${run.talks[Number(index)].name}`, is: (row, index) => row.dialogue === Number(index) },
    ],
  });
  return [[dialogues, replies], choose];
}

function outcomeCard(title, counts) {
  const total = Object.values(counts).reduce((all, n) => all + n, 0), good = counts.answered || 0;
  const others = Object.entries(counts).filter(([key, n]) => key !== "answered" && n);
  return el("div", { class: "card" }, el("div", { class: "name" }, title), el("div", { class: "figure" }, `${count(good)} / ${count(total)}`),
    el("div", { class: "soft" }, others.length ? others.map(([key, n], index) => [index ? ", " : "", el("span", { class: "errored" }, `${count(n)} ${{ error: "bot errors", timeout: "timeouts", empty: "empty" }[key] || key}`)]).flat() : "answered, no error, timeout or empty reply"),
    el("div", { class: "stack", "aria-hidden": "true" }, good ? el("i", { class: "passed", style: { flex: String(good) } }) : null, others.map(([, n]) => el("i", { class: "errored", style: { flex: String(n) } }))));
}
const figureCard = (name, text, note) => el("div", { class: "card" }, el("div", { class: "name" }, name), el("div", { class: "figure" }, text), el("div", { class: "soft" }, note));
