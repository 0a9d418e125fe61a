"use strict";
// Runs that go on: counts and the latest failures while it runs, the whole report once it has ended.
function drawLive() {
  const bar = el("progress", { max: 1, value: 0, "aria-label": "answers so far" }), told = el("p", { role: "status" }), arms = el("div", { class: "soft" }), latest = el("ol", { class: "latest" });
  const box = el("section", { id: "live", class: "note open" }, el("h2", {}, "Running"), told, bar, arms, latest, el("p", {}, button("show the report so far", () => location.reload())));
  const say = (counts) => ["passed", "failed", "errored"].filter((one) => counts[one]).map((one) => `${count(counts[one])} ${one}`).join(", ");
  let isRunning = false;
  listen(() => `/live/${encodeURIComponent(HOST.run)}`, (news) => {
    if (!news.is_running) { if (isRunning) location.reload(); return false; }
    if (!isRunning) document.querySelector("main").prepend(box);
    isRunning = true;
    const done = Object.values(news.counts).reduce((one, other) => one + other, 0);
    bar.max = Math.max(news.steps, done, 1);
    bar.value = done;
    told.textContent = `${count(done)} of ${count(news.steps)} answers: ${say(news.counts) || "none yet"}`;
    arms.replaceChildren(...news.arms.map(([name, counts]) => el("div", {}, `${name}: ${say(counts) || "none yet"}`)));
    latest.replaceChildren(...news.latest.map(([outcome, place, text]) => el("li", {}, mark(outcome), " ", place, " ", text ? code(text) : null)));
    return true;
  });
}

if (HOST.page === "run" || HOST.page === "experiment") HOOKS.start.push(drawLive);
