"use strict";
// What a page of the viewer has beyond the file: who shows it, a way back to all runs, and a way to write.
const HOST = read("host");
const runOf = (number) => (HOST.page === "comparison" ? HOST.runs[number] : HOST.run);

async function post(path, data) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "X-Du-Eval-Page": HOST.secret }, body: JSON.stringify(data) });
  const told = (answer.headers.get("Content-Type") || "").startsWith("application/json") ? await answer.json() : { problem: await answer.text() };
  if (!answer.ok) throw new Error(told.problem || "the viewer did not answer");
  return told;
}

// News of the server; a line that breaks is picked up again.
function listen(path, hear) {
  let isOver = false;
  const connect = () => {
    const line = new WebSocket(`ws://${location.host}${path()}`);
    line.addEventListener("message", (event) => { isOver = hear(JSON.parse(event.data)) === false; if (isOver) line.close(); });
    line.addEventListener("close", () => { if (!isOver) setTimeout(connect, 1000); });
  };
  connect();
}

const moment = (text) => (text ? new Date(text).toLocaleString("sv").slice(0, 16) : "–");

if (HOST.page !== "list") HOOKS.start.push(() => document.querySelector("header").prepend(el("p", { class: "back" }, el("a", { href: "/" }, "← all runs"))));
