"use strict";
// What people do about a step: a thumb, a note, and another expectation in the test file.
const NOTES = HOST.notes || {};

function thumbs(row, run) {
  const known = { note: "", thumb: 0, ...(NOTES[run] || {})[row.id] };
  const status = el("span", { class: "soft", role: "status" });
  const text = el("textarea", { rows: "2", "aria-label": "note on this step", placeholder: "note", on: { change: save } }, known.note);
  const choices = [[1, "👍", "good"], [-1, "👎", "bad"]].map(([value, sign, name]) => button(sign, () => { known.thumb = known.thumb === value ? 0 : value; save(); }, { class: "thumb", "aria-label": name, "data-thumb": value }));
  async function save() {
    known.note = text.value;
    for (const one of choices) one.setAttribute("aria-pressed", String(Number(one.dataset.thumb) === known.thumb));
    try { await post("/note", { run, id: row.id, note: known.note, thumb: known.thumb }); NOTES[run] = { ...NOTES[run], [row.id]: { ...known } }; status.textContent = "saved"; } catch (error) { status.textContent = error.message; }
  }
  for (const one of choices) one.setAttribute("aria-pressed", String(Number(one.dataset.thumb) === known.thumb));
  return el("div", { class: "thumbs" }, choices, text, status);
}

function correction(row, run) {
  const box = el("div", { class: "correction" }), status = el("p", { role: "status" });
  async function preview(how) {
    status.textContent = "";
    try {
      const edit = await post("/correct/preview", { run, id: row.id, how });
      const lines = edit.lines.map((line) => el("div", { class: line.startsWith("+") ? "unexpected" : line.startsWith("-") ? "missing" : null }, line || " "));
      const write = button("write this edit and judge again", async () => {
        write.disabled = true;
        try { await post("/correct/apply", { run, id: row.id, how, hash: edit.hash }); location.reload(); } catch (error) { status.textContent = error.message; write.disabled = false; }
      }, { class: "write" });
      box.replaceChildren(el("p", {}, `${edit.file}:${edit.line}`), el("pre", { class: "edit", tabindex: "0", "aria-label": "the edit" }, lines), write, " ", button("cancel", () => box.replaceChildren()));
    } catch (error) { status.textContent = error.message; }
  }
  const ways = [["replace", "the expectation is wrong: expect what was predicted"], ["any_of", "both are right: add it to any_of"]];
  return el("div", { class: "correct" }, ways.map(([how, name]) => button(name, () => preview(how), { "data-how": how })), box, status);
}

if (HOST.page === "run" || HOST.page === "comparison") HOOKS.entry.push((row) => {
  const run = runOf(row.number);
  if (!run) return null;
  return [thumbs(row, run), HOST.corrects && row.outcome === "failed" ? correction(row, run) : null];
});
