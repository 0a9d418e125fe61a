"use strict";
// Figures of two runs one by one: checks, tests, criteria and metrics.
function measureRange(found) {
  const [low, high] = [Math.min(found.interval[0], 0), Math.max(found.interval[1], 0)];
  const width = high - low || 1;
  const at = (value) => `${(100 * (value - low) / width).toFixed(1)}%`;
  return el("div", { class: "range", "aria-hidden": "true", style: { position: "relative", height: "0.8em", "min-width": "8em" } },
    el("i", { style: { position: "absolute", top: "45%", height: "10%", left: at(found.interval[0]), right: `calc(100% - ${at(found.interval[1])})`, background: "currentColor" } }),
    el("i", { style: { position: "absolute", top: "15%", height: "70%", width: "3px", left: at(found.difference), background: "currentColor" } }),
    el("i", { style: { position: "absolute", top: "0", height: "100%", width: "1px", left: at(0), background: "currentColor", opacity: "0.5" } }));
}

function measureTable(found) {
  const measures = found.measures || [];
  if (!measures.length) return [];
  const short4 = (value) => (value === null ? "–" : String(Number(value.toPrecision(3))));
  const signed = (value) => (value === null ? "–" : `${value < 0 ? "" : "+"}${short4(value)}`);
  const p = (value) => (value < 0.001 ? "<0.001" : value.toFixed(3));
  const arrows = { higher: "↑", lower: "↓", unknown: "" };
  const verdict = (m) => (m.verdict === "undecided" && m.more_needed ? `undecided, ${count(m.more_needed)} more` : m.verdict);
  return [el("h3", {}, found.accuracy ? "Checks, one by one" : "Figures, one by one"), table([
    ["name", false, (m) => `${m.name} ${arrows[m.better]}`], ["n", true, (m) => String(m.n)], ["before", true, (m) => short4(m.before)], ["after", true, (m) => short4(m.after)],
    ["difference", true, (m) => signed(m.difference)], ["interval", false, (m) => `${signed(m.interval[0])} to ${signed(m.interval[1])}`], ["against zero", false, measureRange],
    ["effect", true, (m) => (m.effect_size === null ? "–" : signed(m.effect_size))], ["p (Holm)", true, (m) => p(m.adjusted_p)], ["verdict", false, verdict]], measures, 60),
  el("p", { class: "soft" }, `${found.common === undefined ? "" : `${count(found.common)} ${found.unit} are in both runs. `}↑ higher is better, ↓ lower is better, no arrow: nobody can say. The effect is Cohen's g of shares and Cohen's d of other numbers.`)];
}
