"use strict";
// All runs, the newest first: open one, or compare two.
const PART = 100;

function runRow(run, chosen, change) {
  if (!run.id) return el("tr", {}, el("td", {}, ""), el("th", { scope: "row" }, run.label), el("td", { colspan: "4", class: "soft" }, run.problem));
  const name = run.label || run.subject || run.id;
  const box = el("input", { type: "checkbox", "aria-label": `compare ${name}, ${run.id}`, on: { change: () => change(run.id, box.checked) } });
  box.checked = chosen.includes(run.id);
  const isOpen = run.status === "running";
  const state = run.status === "finished" ? null : el("span", { class: "undecided" }, isOpen ? `running${run.steps ? `, ${count(run.answers || 0)} of ${count(run.steps)}` : ""}` : run.status);
  const outcomes = ["failed", "errored", "undecided", "passed"].filter((one) => run.outcomes[one]).map((one) => el("span", { class: one }, `${MARKS[one]} ${count(run.outcomes[one])} ${one}`));
  return el("tr", { class: isOpen ? "running" : null },
    el("td", {}, box),
    el("th", { scope: "row" }, el("a", { href: `/run/${encodeURIComponent(run.id)}` }, name), el("div", { class: "soft" }, [run.label && run.subject, run.id].filter(Boolean).map((one, at) => (at ? [" ", el("span", { class: "whole" }, `· ${one}`)] : one)))),
    el("td", {}, run.kind),
    el("td", { class: "stack" }, state, outcomes),
    el("td", { class: "stack" }, run.figures.map(([key, shown]) => el("span", {}, el("span", { class: "soft" }, `${key} `), shown))),
    el("td", { class: "n" }, moment(run.started)));
}

function drawList() {
  const state = { runs: HOST.runs, text: "", kind: "", chosen: [], shown: PART };
  const body = el("tbody"), status = el("p", { class: "soft", role: "status" });
  const more = button("show more", () => { state.shown += PART; draw(); }, { class: "more" });
  const search = el("input", { type: "search", placeholder: "search runs  ( / )", "aria-label": "search runs", on: { input: (event) => { state.text = event.target.value.toLowerCase(); draw(); } } });
  const kinds = el("select", { "aria-label": "activity", on: { change: (event) => { state.kind = event.target.value; draw(); } } });
  const compareTwo = button("compare", () => { const [one, other] = [...state.chosen].sort((a, b) => at(b) - at(a)); location.href = `/compare/${encodeURIComponent(one)}/${encodeURIComponent(other)}`; });
  const at = (id) => state.runs.findIndex((run) => run.id === id);
  const matches = (run) => (!state.kind || run.kind === state.kind) && (!state.text || [run.id, run.label, run.subject, run.kind, run.status, run.problem].join("\n").toLowerCase().includes(state.text));
  function choose(id, isChosen) {
    state.chosen = isChosen ? [...state.chosen, id] : state.chosen.filter((one) => one !== id);
    compareTwo.disabled = state.chosen.length !== 2;
    compareTwo.textContent = state.chosen.length === 2 ? "compare the two" : `compare: choose ${state.chosen.length > 2 ? "only two" : state.chosen.length ? "one more" : "two"}`;
  }
  function draw() {
    const found = state.runs.filter(matches), names = [...new Set(state.runs.map((run) => run.kind).filter(Boolean))];
    kinds.replaceChildren(el("option", { value: "" }, "any activity"), ...names.map((name) => el("option", { value: name }, name)));
    kinds.value = state.kind;
    body.replaceChildren(...found.slice(0, state.shown).map((run) => runRow(run, state.chosen, choose)));
    status.textContent = state.runs.length ? `${count(found.length)} of ${count(state.runs.length)} runs` : `no runs are kept in ${HOST.folder}`;
    more.hidden = found.length <= state.shown;
  }
  choose("", false);
  draw();
  const heads = [["compare", ""], ["run", ""], ["activity", ""], ["outcome", ""], ["figures", ""], ["started", "n"]].map(([name, look]) => el("th", { scope: "col", class: look || null }, name));
  const table = el("div", { class: "scroll runs", tabindex: "0", role: "group", "aria-label": "runs" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body));
  document.querySelector("h1").textContent = "Runs";
  document.title = "Runs · du-eval";
  document.querySelector(".skip").hidden = true;
  document.querySelector("nav").hidden = true;
  document.getElementById("about").replaceChildren(el("div", {}, el("dt", {}, "folder"), el("dd", {}, HOST.folder)));
  document.querySelector("main").replaceChildren(el("div", { class: "filters" }, search, kinds, compareTwo), status, table, more);
  document.querySelector("footer").replaceChildren(el("p", { class: "keys" }, "Keys: / search · Tab goes from run to run · Enter opens"));
  return (runs) => { state.runs = runs; draw(); };
}

if (HOST.page === "list") HOOKS.start.push(() => { const update = drawList(); listen(() => "/live", (news) => { update(news.runs); return true; }); });
