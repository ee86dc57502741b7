"use strict";
const read = id => JSON.parse(document.getElementById(id).textContent);
const page = read("page"), summary = page.summary, baseline = summary && summary.baseline;
// The baseline's results for the photos on which the two disagree.
const others = new Map((baseline ? baseline.changed : []).map(entry => [entry.image, entry]));
const rows = read("rows").map((r, index) => ({
  index, path: r[0], photo: r[1], predictions: r[2], truth: r[3], error: r[4], warning: r[5], other: others.get(r[0]),
  best: r[2].length ? r[2][0][0] : -1, sure: r[2].length ? r[2][0][1] : null,
}));
const label = index => page.labels ? page.labels[index] : String(index);
const percent = (share, digits = 1) => share === null || isNaN(share) ? "–" : (100 * share).toFixed(digits) + "%";
const number = n => n.toLocaleString("en");
const photos = n => number(n) + (n === 1 ? " photo" : " photos");
const main = document.getElementById("main");

// Builds an element. Text is never parsed as markup.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

let shown = rows, grid, stage;
const height = 140;  // A card and the gap below it.
let columns = 1, drawn = "";
function layout() {
  columns = Math.max(1, Math.floor((grid.clientWidth + 12) / 372));
  stage.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  grid.style.height = Math.max(1, Math.ceil(shown.length / columns)) * height + "px";
  drawn = "";
  draw();
}
function draw() {
  // The whole gallery may be below the window. Then there is nothing to draw.
  const top = -grid.getBoundingClientRect().top, lines = Math.ceil(shown.length / columns), ahead = 3;
  const within = line => Math.max(0, Math.min(lines, line));
  const first = within(Math.floor(top / height) - ahead);
  const last = within(Math.ceil((top + innerHeight) / height) + ahead);
  const key = first + ":" + last;
  if (key === drawn) return;
  drawn = key;
  stage.style.transform = `translateY(${first * height}px)`;
  stage.replaceChildren(...shown.slice(first * columns, last * columns).map(card));
  if (!shown.length) stage.replaceChildren(make("div", { class: "none" }, "No photos match."));
}

function card(row) {
  const photo = row.photo
    ? make("img", { src: "data:image/jpeg;base64," + row.photo, alt: "", loading: "lazy" })
    : row.error ? "unreadable" : "no preview";
  // The end of the name is shown. It is isolated, so that its direction does not affect the surrounding text.
  const file = make("div", { class: "file", title: row.path }, make("bdi", { dir: "ltr" }, row.path));
  if (row.error) {
    return make("div", { class: "card" }, make("div", { class: "photo" }, photo),
      make("div", { class: "result" }, file, make("div", { class: "error" }, row.error)));
  }
  const isJudged = row.truth >= 0, isRight = row.best === row.truth;
  const truth = isJudged && !isRight ? " – is " + label(row.truth) : "";
  const best = make("div", { class: "best" + (isJudged ? isRight ? " right" : " wrong" : ""), title: label(row.best) + truth },
    make("span", {}, label(row.best)), truth ? make("span", { class: "truth" }, truth) : null);
  const line = (kind, name, share) => make("div", { class: "line" + kind }, make("span", { title: name }, name),
    make("div", { class: "track" },
      make("u", {}, make("i", { style: `width:${Math.max(0, Math.min(100, 100 * share))}%` })),
      make("em", {}, share > 1.001 || share < -0.001 ? share.toFixed(2) : percent(share))));
  const lines = row.predictions.slice(0, row.other || row.warning ? 2 : 3)
    .map(([index, share]) => line(isJudged && index === row.truth ? " is" : "", label(index), share));
  if (row.other) {
    lines.push(line(" other" + (row.other.baseline_right ? " is" : ""),
      "baseline: " + (row.other.baseline_prediction ?? "–"), row.other.baseline_probability));
  }
  return make("div", { class: "card" }, make("div", { class: "photo" }, photo),
    make("div", { class: "result" }, file, row.warning ? make("div", { class: "warning", title: row.warning }, row.warning) : null,
      best, make("div", { class: "lines" }, ...lines)));
}
