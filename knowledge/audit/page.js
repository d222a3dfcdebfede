"use strict";
// Everything here was written by strangers: it goes into the page as text, never as markup.
const audit = JSON.parse(document.getElementById("data").textContent);
const body = document.querySelector("tbody");
const words = document.getElementById("words");
const verdict = document.getElementById("verdict");
const family = document.getElementById("family");
const count = document.getElementById("count");
const more = document.getElementById("more");
const order = ["refuted", "partly", "holds", "cannot run here", "no claim"];
const HOW = {
  alone: "It ran alone, as it stands.",
  joined: "It ran after the blocks above it, which it needs.",
  completed: "It ran with placeholders for what the document does not define.",
};
const PAGE = 100, STDOUT = 1500;  // the JSON beside the page has all that is kept
let sortedBy = 0, downward = false, shown = PAGE, found = [];

function ran(seen) {
  if (seen.error) {
    const at = seen.error.line ? ` in line ${seen.error.line}` : "";
    const message = seen.error.message.split("\n")[0].slice(0, 200);
    return `${seen.error.type}${at}${message && ": "}${message}`;
  }
  if (seen.outcome !== "ok") return `ended as ${seen.outcome}`;
  return `ran to its end${seen.caught.length ? `, and caught ${seen.caught[0].type} itself` : ""}`;
}

const blocks = audit.documents.flatMap((d) => d.blocks.map((b) => ({
  ...b,
  title: d.title,
  path: d.path.split("/").pop(),
  claim: b.claims.length ? b.claims[0].claim.text : "",
  run: ran(b.seen),
  family: b.seen.family,
})));

const columns = [
  (b) => order.indexOf(b.verdict),
  (b) => b.title.toLowerCase() + "\u0000" + String(b.number).padStart(4, "0"),
  (b) => b.claim.toLowerCase(),
  (b) => b.run.toLowerCase(),
  (b) => b.family,
];
for (const b of blocks) {
  b.text = [b.title, b.path, b.claim, b.run, b.verdict, b.family,
    ...b.claims.map((c) => c.evidence)].join("\n").toLowerCase();
}

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function kindOf(word) {
  return { "cannot run here": "cannot", "no claim": "none" }[word] || word;
}

function drawHead() {
  const all = `${audit.documents.length} documents`;
  document.title = `Audit: ${all} on torch ${audit.torch}`;
  document.getElementById("about").textContent = `${all}, ${blocks.length} Python blocks, each run `
    + `on torch ${audit.torch}. A verdict is only given by a run.`;
  for (const word of order) {
    const of = (list) => list.filter((x) => x.verdict === word).length;
    document.getElementById("legend").append(element("li",
      `${word}: ${of(blocks)} blocks, ${of(audit.documents)} documents`, kindOf(word)));
    verdict.append(new Option(word));
  }
  for (const name of new Set(blocks.map((b) => b.family).sort())) family.append(new Option(name));
  const skipped = document.getElementById("skipped");
  skipped.hidden = !audit.skipped.length;
  for (const line of audit.skipped) skipped.querySelector("ul").append(element("li", line));
}

// One bar a kind of error, its verdicts side by side; a bar's length is its blocks.
function drawChart() {
  const svg = document.querySelector("svg"), WIDTH = 340, STEP = 42;
  const draw = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  };
  const families = new Map();
  for (const b of blocks) families.set(b.family, [...(families.get(b.family) || []), b]);
  const bars = [...families].sort(
    ([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  bars.forEach(([name, there], n) => {
    svg.append(draw("text", { x: 0, y: n * STEP + 13 }, `${name} (${there.length})`));
    let x = 0;
    for (const word of order) {
      const some = there.filter((b) => b.verdict === word).length;
      const width = WIDTH * some / bars[0][1].length;
      if (!some) continue;
      const bar = draw("rect", { class: kindOf(word), x, y: n * STEP + 18, width, height: 14 });
      bar.append(draw("title", {}, `${name}: ${some} × ${word}`));
      svg.append(bar);
      x += width;
    }
  });
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${STEP * bars.length}`);
  svg.setAttribute("aria-label",
    `Blocks by kind of error: ${bars.map(([name, all]) => `${name} ${all.length}`).join(", ")}`);
}

function search() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  found = blocks.filter((b) => (!verdict.value || b.verdict === verdict.value)
    && (!family.value || b.family === family.value) && wanted.every((w) => b.text.includes(w)));
  const key = columns[sortedBy];
  found.sort((a, b) => {
    const x = key(a), y = key(b);
    return (x < y ? -1 : x > y ? 1 : 0) * (downward ? -1 : 1);
  });
  shown = PAGE;
  draw();
}

function draw() {
  body.replaceChildren(...found.slice(0, shown).map(row));
  count.textContent = `${found.length} of ${blocks.length} blocks`;
  more.hidden = found.length <= shown;
  document.querySelectorAll("th").forEach((th, n) => th.setAttribute("aria-sort",
    n !== sortedBy ? "none" : downward ? "descending" : "ascending"));
}

function row(b) {
  const tr = element("tr", undefined, "row");
  tr.tabIndex = 0;
  const first = element("td");
  first.append(element("span", b.verdict, `verdict ${kindOf(b.verdict)}`));
  const title = element("td");
  title.append(b.title, element("div", `${b.path}:${b.line}, block ${b.number}`, "where"));
  const claim = element("td", b.claim || "—"), run = element("td", b.run);
  const kin = element("td", b.family);
  claim.dataset.name = "claim";
  run.dataset.name = "run";
  kin.dataset.name = "error";
  tr.append(first, title, claim, run, kin);
  const open = () => {
    if (tr.nextSibling && tr.nextSibling.className === "detail") tr.nextSibling.remove();
    else tr.after(detail(b));
  };
  tr.addEventListener("click", open);
  tr.addEventListener("keydown", (e) => { if (e.key === "Enter") open(); });
  return tr;
}

function detail(b) {
  const tr = element("tr", undefined, "detail"), td = element("td");
  td.colSpan = 5;
  const beside = element("div", undefined, "beside"), said = element("div"), did = element("div");
  said.append(element("h3", "What is said, and what came of it"));
  const list = element("dl");
  for (const c of b.claims) {
    const at = c.claim.line ? ` (line ${c.claim.line})` : "";
    list.append(element("dt", `“${c.claim.text}”${at}`));
    const dd = element("dd");
    dd.append(element("span", c.verdict, `verdict ${kindOf(c.verdict)}`), `: ${c.evidence}`);
    list.append(dd);
  }
  if (!b.claims.length) list.append(element("dd", "Nothing that a run could test."));
  said.append(list);
  const seen = b.seen, simulated = seen.device.includes("simulated");
  const notes = [(HOW[seen.how] || "") + (simulated ? ` On a ${seen.device} device.` : ""),
    ...(seen.cannot ? [`Not really run here: ${seen.cannot}.`] : []),
    ...seen.caught.slice(0, 3).map((r) => `Caught: ${r.type}: ${r.message.slice(0, 300)}`),
    ...seen.findings.slice(0, 3).map((f) => `Found: ${f[1]}`)];
  did.append(element("h3", "The run"), ...notes.map((line) => element("p", line)));
  if (seen.stdout) did.append(element("pre", seen.stdout.slice(0, STDOUT)));
  const code = element("pre");
  b.code.split("\n").forEach((text, n) => {
    const line = element("span", `${text}\n`);
    if (seen.error && n + 1 === seen.error.line) line.className = "hit";
    code.append(line);
  });
  beside.append(said, did);
  td.append(beside, code);
  tr.append(td);
  return tr;
}

document.querySelectorAll("th button").forEach((button, n) => {
  button.addEventListener("click", () => {
    downward = sortedBy === n ? !downward : false;
    sortedBy = n;
    search();
  });
});
for (const control of [words, verdict, family]) control.addEventListener("input", search);
more.addEventListener("click", () => { shown += PAGE; draw(); });
drawHead();
drawChart();
const asked = new URLSearchParams(location.hash.slice(1));  // page.html#words=relu&open=1
words.value = asked.get("words") || "";
verdict.value = asked.get("verdict") || "";
sortedBy = Number(asked.get("sort") || 0);
search();
if (asked.get("open")) body.querySelectorAll("tr.row").forEach((tr) => tr.click());
