"use strict";
// Everything here was written by strangers: it goes into the page as text, never as markup.
const blocks = JSON.parse(document.getElementById("data").textContent);
const body = document.querySelector("tbody");
const words = document.getElementById("words");
const verdict = document.getElementById("verdict");
const family = document.getElementById("family");
const count = document.getElementById("count");
const more = document.getElementById("more");
const order = ["refuted", "partly", "holds", "cannot run here", "no claim"];
const PAGE = 100;
let sortedBy = 0, downward = false, shown = PAGE, found = [];

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
    const at = c.line ? ` (line ${c.line})` : "";
    list.append(element("dt", `“${c.text}”${at}`));
    const dd = element("dd");
    dd.append(element("span", c.verdict, `verdict ${kindOf(c.verdict)}`), `: ${c.evidence}`);
    list.append(dd);
  }
  if (!b.claims.length) list.append(element("dd", "Nothing that a run could test."));
  said.append(list);
  did.append(element("h3", "The run"), element("p", b.how));
  for (const line of b.notes) did.append(element("p", line));
  if (b.stdout) did.append(element("pre", b.stdout));
  const code = element("pre");
  b.code.split("\n").forEach((text, n) => {
    const line = element("span", `${text}\n`);
    if (n + 1 === b.error_line) line.className = "hit";
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
const asked = new URLSearchParams(location.hash.slice(1));  // page.html#words=relu&open=1
words.value = asked.get("words") || "";
verdict.value = asked.get("verdict") || "";
sortedBy = Number(asked.get("sort") || 0);
search();
if (asked.get("open")) body.querySelectorAll("tr.row").forEach((tr) => tr.click());
