// Written by .ci/embed-page from the files in Page: change those, and run `make page`.
// swift-format-ignore-file

extension ReportPage {
    /// The files of the page by their names.
    static let files: [String: String] = [
        "page.html": ##"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Thaw report</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<noscript>This page needs JavaScript to show its photos.</noscript>
<main id="main"></main>
<script type="application/json" id="rows">[]</script>
<script type="application/json" id="page">{"title":"","subtitle":"","labels":null,"summary":null}</script>
<script src="gallery.js"></script>
<script src="toolbar.js"></script>
<script src="matrix.js"></script>
<script src="evaluation.js"></script>
<script src="start.js"></script>
</body>
</html>

"""##,
        "page.css": ##"""
:root {
  --ground: #f5f6f8; --card: #ffffff; --edge: #e3e6eb; --text: #15181e; --soft: #5a6270;
  --ice: #086c95; --ice-soft: #d8eef7; --right: #18794e; --wrong: #c4320a; --shade: 0 1px 2px #1018280d; --cast: #10182838;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1015; --card: #161a21; --edge: #262c37; --text: #e8ebf1; --soft: #9aa4b5;
    --ice: #5cc4ea; --ice-soft: #12323f; --right: #4cc38a; --wrong: #ff8b5e; --shade: none; --cast: #000000b0;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums;
}
main, noscript { display: block; max-width: 1240px; margin: 0 auto; padding: 36px 24px 64px; }
h1 { font-size: 30px; line-height: 1.15; letter-spacing: -.022em; margin: 0; font-weight: 680; }
h2 { font-size: 18px; letter-spacing: -.01em; margin: 44px 0 4px; font-weight: 650; }
.brand { color: var(--ice); font-size: 12px; font-weight: 680; letter-spacing: .13em; text-transform: uppercase; }
.sub, .hint { color: var(--soft); margin: 4px 0 0; overflow-wrap: anywhere; }
.hint { font-size: 13.5px; margin: 0 0 14px; max-width: 72ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 14px; margin-top: 26px; }
.tile, .panel, .card {
  background: var(--card); border: 1px solid var(--edge); border-radius: 14px; box-shadow: var(--shade);
}
.tile { padding: 16px 18px 15px; }
.tile .name { color: var(--soft); font-size: 13px; }
.tile .number { font-size: 32px; font-weight: 660; letter-spacing: -.025em; line-height: 1.2; margin-top: 2px; }
.tile .number small { font-size: 17px; font-weight: 560; color: var(--soft); letter-spacing: 0; }
.tile .note { color: var(--soft); font-size: 13px; margin-top: 8px; }
.span { position: relative; height: 6px; border-radius: 3px; background: var(--edge); margin-top: 10px; }
.span i { position: absolute; top: 0; bottom: 0; border-radius: 3px; background: var(--ice); opacity: .45; min-width: 3px; }
.span b { position: absolute; top: -3px; width: 3px; height: 12px; border-radius: 2px; background: var(--ice); margin-left: -1px; }
.verdict { margin: 18px 0 0; max-width: 90ch; overflow-wrap: anywhere; }
.link { font: inherit; color: var(--ice); background: none; border: 0; padding: 0; text-decoration: underline; cursor: pointer; }
:focus-visible { outline: 2px solid var(--ice); outline-offset: 1px; }
.panel { padding: 18px; overflow: auto; }
.two { display: grid; grid-template-columns: minmax(0, 1.6fr) minmax(0, 1fr); gap: 28px; }
.two > * { min-width: 0; }
/* The shadows stay in place, and the ends of the table cover them: they show where it continues. */
.scroll {
  max-height: 460px; padding: 0; background-color: var(--card);
  background-image: linear-gradient(to right, var(--card) 40%, transparent), linear-gradient(to left, var(--card) 40%, transparent),
    linear-gradient(to right, var(--cast), transparent), linear-gradient(to left, var(--cast), transparent);
  background-position: 0 0, 100% 0, 0 0, 100% 0; background-repeat: no-repeat; background-size: 48px 100%, 48px 100%, 16px 100%, 16px 100%;
  background-attachment: local, local, scroll, scroll;
}

table.classes { border-collapse: collapse; width: 100%; font-size: 14px; }
.classes th, .classes td { text-align: right; padding: 7px 8px; white-space: nowrap; }
.classes th:first-child, .classes td:first-child { text-align: left; padding-left: 18px; }
.classes td:first-child, .classes td:last-child { max-width: 152px; overflow: hidden; text-overflow: ellipsis; }
.classes th:last-child, .classes td:last-child { text-align: left; padding-right: 18px; }
.classes thead th {
  position: sticky; top: 0; background: var(--card); color: var(--soft); font-size: 12.5px; font-weight: 560;
  border-bottom: 1px solid var(--edge); user-select: none; z-index: 1;
}
.classes thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
.classes thead i { font-style: normal; }
.classes thead [aria-sort$=ending] { color: var(--text); }
.classes td:focus-visible { outline-offset: -3px; border-radius: 8px; }
.classes tbody tr { border-top: 1px solid var(--edge); cursor: pointer; }
.classes tbody tr:first-child { border-top: 0; }
.classes tbody tr:hover { background: var(--ice-soft); }
.meter { display: inline-block; vertical-align: 1px; width: 28px; height: 5px; border-radius: 3px; background: var(--edge); margin-left: 8px; }
.meter i { display: block; height: 100%; border-radius: 3px; background: var(--ice); }

.matrix { border-collapse: separate; border-spacing: 2px; font-size: 13px; margin: 0 auto; }
.matrix th { font-weight: 500; color: var(--soft); white-space: nowrap; padding: 0 8px; text-align: right; max-width: 150px; overflow: hidden; text-overflow: ellipsis; }
.matrix thead th { height: var(--heading); vertical-align: bottom; padding: 0; text-align: left; max-width: none; overflow: visible; }
.matrix thead th span { display: block; width: 20px; margin: 0 auto; white-space: nowrap; transform: translateX(8px) rotate(-55deg); transform-origin: 0 100%; }
.matrix td { width: 46px; min-width: 34px; height: 34px; text-align: center; border-radius: 6px; cursor: pointer; }
.matrix.dense { border-spacing: 1px; font-size: 12px; }
.matrix.dense td { width: 29px; min-width: 27px; height: 29px; border-radius: 4px; }
.matrix td:hover, .matrix td:focus-visible, .matrix td.on { outline: 2px solid var(--text); outline-offset: 0; }
.matrix td.empty { color: transparent; background: color-mix(in oklab, var(--edge) 45%, var(--card)); }
.trail { margin: 0 0 14px; font-size: 14px; overflow-wrap: anywhere; }
.classes.pairs th:nth-child(2), .classes.pairs td:nth-child(2) { text-align: left; max-width: 200px; overflow: hidden; text-overflow: ellipsis; }
.classes.pairs td:first-child { max-width: 200px; }
.classes.pairs th:last-child, .classes.pairs td:last-child { text-align: right; }
.pairs + .link { margin: 12px 18px; }
.origin { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 18px; margin: 0; font-size: 14px; }
.origin dt { color: var(--soft); }
.origin dd { margin: 0; overflow-wrap: anywhere; }
svg text { fill: var(--soft); font-size: 12px; }

.bar {
  position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; gap: 10px; align-items: center;
  background: var(--ground); padding: 12px 0; margin-top: 10px;
}
.bar input, .bar select, .bar button {
  font: inherit; font-size: 14px; color: var(--text); background: var(--card); border: 1px solid var(--edge);
  border-radius: 9px; height: 36px; padding: 0 11px; min-width: 0;
}
.bar input[type=search] { flex: 1 1 200px; }
.bar select { max-width: 220px; }
.bar .range { display: flex; align-items: center; gap: 8px; color: var(--soft); font-size: 14px; }
.bar .range input { padding: 0; width: 110px; height: 20px; border: 0; background: none; accent-color: var(--ice); }
.bar output { min-width: 3.4em; display: inline-block; }
.bar .more { display: none; cursor: pointer; }
.bar .picked { border-radius: 18px; background: var(--ice-soft); color: var(--ice); font-weight: 600; cursor: pointer; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar .picked[hidden] { display: none; }
.chips { display: flex; }
.bar .chips button { flex: none; border-radius: 0; margin-left: -1px; cursor: pointer; white-space: nowrap; }
.bar .chips button:focus-visible { z-index: 1; }
.bar .chips button:first-child { border-radius: 9px 0 0 9px; margin-left: 0; }
.bar .chips button:last-child { border-radius: 0 9px 9px 0; }
.bar .chips button[aria-pressed=true] { background: var(--ice-soft); color: var(--ice); font-weight: 600; }
.count { color: var(--soft); font-size: 14px; margin-left: auto; white-space: nowrap; }

.grid { position: relative; }
.window { position: absolute; left: 0; right: 0; top: 0; display: grid; gap: 12px; }
.card { display: flex; height: 128px; overflow: hidden; }
.card .photo { flex: 0 0 126px; background: var(--edge); display: grid; place-items: center; color: var(--soft); font-size: 12px; }
.card img { width: 126px; height: 126px; object-fit: cover; display: block; }
.card .result { flex: 1; min-width: 0; padding: 10px 14px; display: flex; flex-direction: column; }
.card .file { font-size: 12.5px; line-height: 1.3; flex: none; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; direction: rtl; text-align: left; }
.card .best { font-weight: 620; line-height: 1.35; flex: none; margin-top: 2px; display: flex; }
.card .best span { min-width: 0; white-space: pre; overflow: hidden; text-overflow: ellipsis; }
.card .best.wrong { color: var(--wrong); }
.card .best.right { color: var(--right); }
.card .truth { font-weight: 450; color: var(--soft); flex: none; max-width: 60%; }
.lines { margin-top: auto; display: grid; gap: 2px; line-height: 1.35; }
.line { display: grid; grid-template-columns: minmax(0, 1fr) 46%; gap: 10px; align-items: center; font-size: 12.5px; color: var(--soft); }
.line span { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.line.is span { color: var(--right); font-weight: 560; }
.track { display: flex; align-items: center; gap: 7px; font-size: 11.5px; }
.track u { flex: 1; height: 6px; border-radius: 3px; background: var(--edge); overflow: hidden; }
.track u i { display: block; height: 100%; background: var(--ice); border-radius: 3px; }
.track em { font-style: normal; width: 4.3em; flex: none; text-align: right; white-space: nowrap; }
.warning { color: var(--wrong); font-size: 12.5px; line-height: 1.5; flex: none; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.error { color: var(--wrong); font-size: 13.5px; margin-top: 4px; }
.none { grid-column: 1 / -1; color: var(--soft); padding: 40px 0; text-align: center; }

@media (max-width: 1180px) { .two { grid-template-columns: minmax(0, 1fr); gap: 0; } }
@media (max-width: 560px) {
  main { padding: 24px 14px 48px; }
  h1 { font-size: 25px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 10px; }
  .tile { padding: 12px 13px; }
  .tile .number { font-size: 25px; }
  .panel { padding: 12px; border-radius: 12px; }
  .scroll { padding: 0; }
  .classes th, .classes td { padding: 7px 6px; }
  .classes th:first-child, .classes td:first-child { padding-left: 12px; }
  .classes td:first-child { max-width: 112px; }
  .meter { display: none; }
  .matrix { font-size: 11px; border-spacing: 1px; }
  .matrix td { width: 26px; min-width: 22px; height: 26px; border-radius: 4px; }
  .matrix th { padding: 0 4px; max-width: 78px; }
  /* On small screens, the toolbar shows only the kinds until it is opened. */
  .bar { gap: 6px 8px; padding: 8px 0; }
  .bar:not(.open) :is(input[type=search], select, .range) { display: none; }
  .bar .more { display: block; }
  .bar .chips { flex: 1 1 60%; min-width: 0; overflow-x: auto; scrollbar-width: none; padding: 2px; }
  .bar input[type=search] { flex: 1 1 100%; }
  .bar select { flex: 1 1 40%; max-width: none; }
  .bar .range { flex: 1 1 100%; }
  .bar .range input { flex: 1; }
  .bar .picked { height: 30px; max-width: 70%; }
  .bar .count { font-size: 13px; }
}

"""##,
        "evaluation.js": ##"""
"use strict";

function tile(name, value, note, share) {
  const parts = [make("div", { class: "name" }, name), make("div", { class: "number" }, ...value)];
  if (share) {
    parts.push(make("div", { class: "span", title: "95% confidence (Wilson)" },
      make("i", { style: `left:${100 * share.low}%;width:${100 * (share.high - share.low)}%` }),
      make("b", { style: `left:${100 * share.share}%` })));
  }
  return make("div", { class: "tile" }, ...parts, make("div", { class: "note" }, note));
}
function shareTile(name, share, count) {
  return tile(name, [(100 * share.share).toFixed(2), make("small", {}, "%")],
    `${number(share.right)} of ${number(count)}; between ${percent(share.low)} and ${percent(share.high)}`, share);
}

function evaluation() {
  const tiles = make("div", { class: "tiles" }, shareTile("Top 1", summary.top1, summary.images));
  if (summary.classes.length > 5) tiles.append(shareTile("Top 5", summary.top5, summary.images));
  if (summary.calibration) {
    const gap = summary.calibration.mean_confidence - summary.top1.share;
    tiles.append(tile("Calibration error", [(100 * summary.calibration.error).toFixed(2), make("small", {}, "%")],
      `on average ${percent(Math.abs(gap))} ${gap < 0 ? "under" : "over"}confident`));
  }
  if (summary.macro_f1 !== null) {
    tiles.append(tile("Macro F1", [decimals(summary.macro_f1)], "the mean of all classes, each counting the same"));
  }
  if (summary.log_loss !== null) {
    tiles.append(tile("Log loss", [decimals(summary.log_loss)], summary.labels ? "the mean of all labels" : "lower is better; 0 is perfect"));
  }
  if (baseline) {
    const gain = 100 * (summary.top1.share - baseline.top1.share);
    tiles.append(tile("Against the baseline", [(gain < 0 ? "−" : "+") + Math.abs(gain).toFixed(2), make("small", {}, " points")],
      `in top 1; the baseline has ${percent(baseline.top1.share, 2)}`));
  }
  main.append(tiles);
  if (baseline) main.append(comparison());
  if (summary.failed) main.append(make("p", { class: "sub" }, `${photos(summary.failed)} could not be read and ${summary.failed === 1 ? "does" : "do"} not count.`));
  const used = summary.classes.filter(entry => entry.images || entry.predicted);
  const isLarge = used.length > mostClasses;
  const matrixPart = make("section", {}, make("h2", {}, "Confusion matrix"),
    make("p", { class: "hint" }, isLarge
      ? "Rows are groups of true classes, columns groups of predicted classes; each number counts mistakes. Click a cell, or select it with the arrow keys and press Enter, to open its groups, and then its photos."
      : "Rows are true classes, columns are predictions. A stronger color is a larger share of the row. Click a cell, or select it with the arrow keys and press Enter, to see its photos."),
    make("div", { class: "panel" }, isLarge ? zoom(used) : matrix(used)));
  const pairPart = used.length > 12 && make("section", {}, make("h2", {}, "Most confused pairs"),
    make("p", { class: "hint" }, "Click a pair, or press Enter on it, to see its photos."),
    make("div", { class: "panel scroll" }, confusedPairs()));
  const curvePart = summary.calibration && make("section", {}, make("h2", {}, "Calibration"),
    make("p", { class: "hint" }, "Bars that end at the diagonal mean good calibration. Below the diagonal, the model is overconfident; above it, underconfident. Fainter bars represent fewer photos."),
    make("div", { class: "panel" }, curve()));
  const classPart = make("section", {}, make("h2", {}, "Classes"),
    make("p", { class: "hint" }, "Click a heading to sort; click a class, or press Enter on it, to see its photos."),
    make("div", { class: "panel scroll" }, classes(used)));
  if (used.length <= 12) main.append(make("div", { class: "two" }, matrixPart, curvePart), classPart);
  else main.append(matrixPart, make("div", { class: "two" }, pairPart, curvePart), classPart);
  if (summary.labels) main.append(make("section", {}, make("h2", {}, "Labels"),
    make("p", { class: "hint" }, "Labels are independent: each is predicted if its score reaches a threshold. The best threshold has the highest F1 on these photos."),
    make("div", { class: "panel scroll" }, labels())));
}

// What has changed since the baseline, and whether that is more than chance.
function comparison() {
  const { probability_of_chance: chance, only_model_right: gained, only_baseline_right: lost, both_wrong: both } = baseline;
  const are = count => count === 1 ? "is" : "are";
  const some = (kind, count) => count
    ? make("button", { class: "link", type: "button", onclick: () => show({ kind }) }, number(count)) : "0";
  return make("p", { class: "verdict" }, some("gained", gained),
    ` ${gained === 1 ? "photo" : "photos"} that ${are(gained)} wrong with `, make("b", {}, baseline.model), ` ${are(gained)} now right; `,
    some("lost", lost), ` that ${are(lost)} right with it ${are(lost)} now wrong; ${number(both)} ${are(both)} wrong with both. `,
    ...(gained + lost ? [
      make("b", {}, chance < 0.05 ? "This is more than chance" : "This may be chance"),
      `: a split this uneven has a probability of ${chance < 0.0001 ? "less than 0.0001" : chance.toFixed(4)} by chance alone.`,
    ] : []));
}

function curve() {
  const ns = "http://www.w3.org/2000/svg", side = 300, left = 66, top = 10;
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", `0 0 ${side + left + 22} ${side + top + 44}`);
  svg.setAttribute("style", "width:100%;max-width:460px;display:block;margin:0 auto");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", "accuracy by confidence");
  const add = (name, attributes, text) => {
    const element = document.createElementNS(ns, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    svg.append(element);
    return element;
  };
  const x = share => left + share * side, y = share => top + (1 - share) * side;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    add("line", { x1: x(0), x2: x(1), y1: y(share), y2: y(share), stroke: "var(--edge)" });
    add("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, 100 * share + "%");
    add("text", { x: x(share), y: y(0) + 18, "text-anchor": "middle" }, 100 * share + "%");
  }
  const bins = summary.calibration.bins, most = Math.max(...bins.map(bin => bin.images));
  for (const bin of bins) {
    if (!bin.images) continue;
    const bar = add("rect", { x: x(bin.from) + 1.5, width: x(bin.to) - x(bin.from) - 3, y: y(bin.right), rx: 3,
      height: Math.max(1, y(0) - y(bin.right)), fill: "var(--ice)", opacity: 0.3 + 0.7 * Math.sqrt(bin.images / most) });
    const title = document.createElementNS(ns, "title");
    title.textContent = `confidence from ${percent(bin.from, 0)} to ${percent(bin.to, 0)}: ${photos(bin.images)}, ${percent(bin.right)} right`;
    bar.append(title);
  }
  add("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), stroke: "var(--soft)", "stroke-dasharray": "4 4" });
  add("text", { x: x(0.5), y: y(0) + 38, "text-anchor": "middle" }, "confidence");
  add("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(11 ${y(0.5)}) rotate(-90)` }, "accuracy");
  return svg;
}

// A table that is sorted by a click on a heading. A column has a heading, a sort key, a displayed value, and whether the
// largest come first.
function sortable(name, columns, items, first) {
  const body = make("tbody", {}), enter = walk(body);
  let by = -1, down = false;
  const titles = columns.map(([heading], column) =>
    make("th", { scope: "col" }, make("button", { type: "button", onclick: () => sort(column) }, heading, make("i", { "aria-hidden": true }))));
  function sort(column) {
    const [, key, , isDown = false] = columns[column];
    down = column === by ? !down : isDown;
    by = column;
    const order = [...items].sort((a, b) => {
      const x = key(a), y = key(b);
      // Rows without a value come last in both directions.
      return (x === null) - (y === null)
        || (typeof x === "string" ? x.localeCompare(y) : x - y) * (down ? -1 : 1) || a.index - b.index;
    });
    titles.forEach((title, index) => {
      title.setAttribute("aria-sort", index !== column ? "none" : down ? "descending" : "ascending");
      title.querySelector("i").textContent = index !== column ? "" : down ? " ↓" : " ↑";
    });
    body.replaceChildren(...order.map(entry => make("tr", { onclick: () => show({ truth: entry.index }) },
      ...columns.map(([, , content], index) => index ? make("td", {}, ...[content(entry)].flat())
        : make("td", { title: entry.label, tabindex: -1 }, entry.label)))));
    enter();
  }
  sort(first);
  return make("table", { class: "classes", role: "grid", "aria-label": name }, make("thead", {}, make("tr", {}, ...titles)), body);
}

const meter = share => [share === null ? "–" : percent(share),
  make("span", { class: "meter" }, make("i", { style: `width:${100 * (share || 0)}%` }))];
const decimals = (value, digits = 3) => value === null ? "–" : value.toFixed(digits);

function classes(used) {
  const worst = new Map();
  for (const [truth, best, count] of summary.confusion) {
    if (truth !== best && count > (worst.get(truth)?.[1] || 0)) worst.set(truth, [best, count]);
  }
  return sortable("Classes", [
    ["Class", entry => entry.label],
    ["Photos", entry => entry.images, entry => number(entry.images)],
    ["Precision", entry => entry.precision, entry => meter(entry.precision)],
    ["Recall", entry => entry.recall, entry => meter(entry.recall)],
    ["F1", entry => entry.f1, entry => decimals(entry.f1)],
    ["Most often mistaken for", entry => worst.get(entry.index)?.[1] ?? null, entry => {
      const other = worst.get(entry.index);
      return other ? `${label(other[0])} (${number(other[1])})` : "";
    }, true],
  ], used, 3);
}

// The labels of a multi-label model, at the threshold 0.5 and at the best one.
function labels() {
  return sortable("Labels", [
    ["Label", entry => entry.label],
    ["Photos", entry => entry.images, entry => number(entry.images)],
    ["Precision at 0.5", entry => entry.at_half.precision, entry => meter(entry.at_half.precision)],
    ["Recall at 0.5", entry => entry.at_half.recall, entry => meter(entry.at_half.recall)],
    ["F1 at 0.5", entry => entry.at_half.f1, entry => decimals(entry.at_half.f1)],
    ["Best threshold", entry => entry.best.threshold, entry => decimals(entry.best.threshold)],
    ["Precision", entry => entry.best.precision, entry => meter(entry.best.precision)],
    ["Recall", entry => entry.best.recall, entry => meter(entry.best.recall)],
    ["F1", entry => entry.best.f1, entry => decimals(entry.best.f1)],
  ], summary.labels.filter(entry => entry.images || entry.at_half.predicted), 8);
}

"""##,
        "gallery.js": ##"""
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

"""##,
        "matrix.js": ##"""
"use strict";

// Paints now and whenever the colors change.
function painted(paint) {
  paint();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
}

// The color of a share, between those of the card and the ice, with black or white text, whichever has more contrast.
function shades() {
  const style = getComputedStyle(document.documentElement);
  const channels = name => style.getPropertyValue(name).match(/[0-9a-f]{2}/gi).map(pair => parseInt(pair, 16));
  const card = channels("--card"), ice = channels("--ice");
  const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return share => {
    const part = 0.08 + 0.92 * Math.sqrt(share);
    const color = card.map((from, index) => Math.round(from + part * (ice[index] - from)));
    const [r, g, b] = color.map(linear), luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    // At this luminance both have a contrast of 4.58 (WCAG 2.2): (luminance + 0.05) / 0.05 = 1.05 / (luminance + 0.05).
    return { background: `rgb(${color})`, color: luminance > 0.179 ? "#000" : "#fff" };
  };
}

// Makes a table one stop of the keyboard: the arrow keys go from cell to cell, Enter and Space click.
function walk(body) {
  const stop = cell => {
    body.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
    cell.setAttribute("tabindex", 0);
  };
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  body.addEventListener("focusin", event => stop(event.target));
  body.addEventListener("keydown", event => {
    const cell = event.target, step = steps[event.key];
    if (step) {
      const next = body.rows[cell.parentElement.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]];
      if (next?.hasAttribute("tabindex")) next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      cell.click();
    } else {
      return;
    }
    event.preventDefault();
  });
  return () => stop(body.querySelector("[tabindex]"));
}

// The width of text in letters: East Asian characters and emoji count as two.
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]|\p{Emoji_Presentation}/u;
const breadth = text => [...text].reduce((sum, mark) => sum + (wide.test(mark) ? 2 : 1), 0);
function short(name) {
  if (breadth(name) <= 14) return name;
  let text = "";
  for (const mark of name) {
    if (breadth(text + mark) > 13) break;
    text += mark;
  }
  return text + "…";
}
const description = (row, column, count) => `${row.label} mistaken for ${column.label}: ${number(count)}`
  + (row.images ? ` of ${number(row.images)} (${percent(count / row.images)})` : "");

// A table of `rows` and `columns`, which have labels; each cell says what a click on it does.
function table(heading, rows, columns, cell) {
  const colored = [], body = make("tbody", {});
  for (const row of rows) {
    body.append(make("tr", {}, make("th", { title: row.label, scope: "row" }, row.name ?? row.label), ...columns.map(column => {
      const { text, words, share, id, open } = cell(row, column);
      const element = make("td", { class: share ? "" : "empty", title: words, "aria-label": words, tabindex: -1, id, onclick: open }, text);
      if (share) colored.push([element, share]);
      return element;
    })));
  }
  painted(() => {
    const shade = shades();
    for (const [element, share] of colored) Object.assign(element.style, shade(share));
  });
  walk(body)();
  const longest = Math.max(...columns.map(column => breadth(short(column.name ?? column.label))));
  return make("table", { class: columns.length > 24 ? "matrix dense" : "matrix", role: "grid", "aria-label": heading, style: `--heading:${Math.min(92, 30 + 5.3 * longest)}px` },
    make("thead", {}, make("tr", {}, make("th", {}), ...columns.map(column => make("th", { scope: "col", title: column.label }, make("span", {}, short(column.name ?? column.label)))))),
    body);
}

// The confusion matrix of the classes `rows` and `columns`.
function matrix(rows, columns = rows) {
  const cells = new Map(summary.confusion.map(([truth, best, count]) => [truth + ":" + best, count]));
  return table("Confusion matrix", rows, columns, (row, column) => {
    const count = cells.get(row.index + ":" + column.index) || 0;
    return { text: String(count), words: description(row, column, count), share: count && count / row.images, id: `cell-${row.index}-${column.index}`,
      open: () => show({ truth: row.index, best: column.index }) };
  });
}

// More classes than these are shown in groups of neighbors.
const mostClasses = 32;

// Classes in at most so many groups: neighbors in the order of the model's output, which often are alike.
function groups(classes) {
  const size = Math.ceil(classes.length / mostClasses), result = [];
  for (let first = 0; first < classes.length; first += size) {
    const members = classes.slice(first, first + size), last = members[members.length - 1];
    result.push({ members, name: members[0].label, label: members.length === 1 ? last.label : members[0].label + " … " + last.label });
  }
  return result;
}

// The mistakes between groups of classes; a click goes into a pair of groups, down to the classes.
function zoom(used) {
  const panel = make("div", {});
  const name = classes => classes.length === used.length ? "All " + number(used.length) + " classes"
    : classes.length === 1 ? classes[0].label : classes[0].label + " … " + classes[classes.length - 1].label;
  const steps = [];
  function open(rows, columns, focus) {
    steps.push([rows, columns]);
    draw(focus);
  }
  function back(count) {
    steps.length = count;
    draw(true);
  }
  function draw(focus) {
    const [rows, columns] = steps[steps.length - 1];
    const trail = steps.map(([rows, columns], index) => {
      const text = rows === columns ? name(rows) : `${name(rows)} mistaken for ${name(columns)}`;
      return index === steps.length - 1 ? make("b", {}, text) : make("button", { class: "link", type: "button", onclick: () => back(index + 1) }, text);
    });
    const isFine = Math.max(rows.length, columns.length) <= mostClasses;
    panel.replaceChildren(
      make("p", { class: "trail", role: "status" }, ...trail.flatMap((step, index) => index ? [" › ", step] : [step])),
      isFine ? matrix(rows, columns) : overview(rows, columns));
    if (focus) panel.querySelector("td").focus({ preventScroll: true });
  }
  function overview(rows, columns) {
    const groupOf = sets => new Map(sets.flatMap((set, index) => set.members.map(entry => [entry.index, index])));
    const [down, across] = rows === columns ? [groups(rows)].flatMap(sets => [sets, sets]) : [groups(rows), groups(columns)];
    const [byRow, byColumn] = [groupOf(down), groupOf(across)];
    const counts = new Map();
    for (const [truth, best, count] of summary.confusion) {
      if (truth === best || !byRow.has(truth) || !byColumn.has(best)) continue;
      const key = byRow.get(truth) + ":" + byColumn.get(best);
      counts.set(key, (counts.get(key) || 0) + count);
    }
    const most = Math.max(1, ...counts.values());
    return table("Mistakes by groups of classes", down, across, (row, column) => {
      const count = counts.get(down.indexOf(row) + ":" + across.indexOf(column)) || 0;
      const words = (row === column ? `mistakes within ${row.label}: ` : `${row.label} mistaken for ${column.label}: `) + number(count);
      return { text: count ? number(count) : "0", words, share: count / most, id: `group-${down.indexOf(row)}-${across.indexOf(column)}`,
        open: () => open(row.members, row === column ? row.members : column.members, true) };
    });
  }
  open(used, used);
  return panel;
}

// The pairs of classes that are confused most often, the first few until more are asked for.
function confusedPairs() {
  const pairs = summary.confusion.filter(([truth, best]) => truth !== best)
    .sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  if (!pairs.length) return make("p", {}, "There are no mistakes.");
  const images = new Map(summary.classes.map(entry => [entry.index, entry.images]));
  const body = make("tbody", {}), enter = walk(body);
  const more = make("button", { class: "link", type: "button", onclick: () => add(100) });
  let shownPairs = 0;
  function add(count) {
    for (const [truth, best, times] of pairs.slice(shownPairs, shownPairs + count)) {
      body.append(make("tr", { onclick: () => show({ truth, best }) }, make("td", { title: label(truth), tabindex: -1 }, label(truth)),
        make("td", { title: label(best) }, label(best)), make("td", {}, number(times)), make("td", {}, percent(times / images.get(truth)))));
    }
    shownPairs = Math.min(pairs.length, shownPairs + count);
    more.hidden = shownPairs === pairs.length;
    more.textContent = `Show more of ${number(pairs.length)} pairs`;
    enter();
  }
  add(15);
  const heads = ["True class", "Predicted", "Photos", "Share of class"];
  return make("div", {}, make("table", { class: "classes pairs", role: "grid", "aria-label": "Most confused pairs" },
    make("thead", {}, make("tr", {}, ...heads.map(head => make("th", { scope: "col" }, head)))), body), more);
}

"""##,
        "start.js": ##"""
"use strict";

// How the results were computed, so that others can reproduce them.
function provenance() {
  const list = make("dl", { class: "origin" });
  for (const [name, value] of page.provenance) list.append(make("dt", {}, name), make("dd", {}, value));
  return make("section", {}, make("h2", {}, "Provenance"), make("div", { class: "panel" }, list));
}

function start() {
  document.title = page.title + " – Thaw";
  main.append(make("div", { class: "brand" }, "Thaw"), make("h1", {}, page.title), make("p", { class: "sub" }, page.subtitle));
  if (summary) {
    filter.kind = rows.some(kinds.wrong[1]) ? "wrong" : "all";
    filter.sort = "sure";
    evaluation();
    main.append(make("h2", {}, "Photos"),
      make("p", { class: "hint" }, "The most confident mistakes come first. They often reveal a wrong label, or two classes in one photo."));
  }
  main.append(toolbar(), grid = make("div", { class: "grid" }, stage = make("div", { class: "window" })));
  if (page.provenance) main.append(provenance());
  choose();
  addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  addEventListener("resize", layout);
}

start();

"""##,
        "toolbar.js": ##"""
"use strict";

const everything = { text: "", label: "", least: 0, kind: "all", truth: -1, best: -1, sort: "order" };
const filter = { ...everything }, controls = {};
const inOrder = (a, b) => a.index - b.index;
// Rows without a probability, such as files that could not be read, come last in any order.
const known = (a, b) => (a.sure === null) - (b.sure === null);
const sorts = {
  order: ["In order", inOrder],
  sure: ["Most confident first", (a, b) => known(a, b) || b.sure - a.sure || inOrder(a, b)],
  unsure: ["Least confident first", (a, b) => known(a, b) || a.sure - b.sure || inOrder(a, b)],
  label: ["By label", (a, b) => (a.best < 0) - (b.best < 0)
    || a.best >= 0 && label(a.best).localeCompare(label(b.best)) || sorts.sure[1](a, b)],
  file: ["By file", (a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0],
};
const kinds = {
  all: ["All", () => true],
  wrong: ["Mistakes", row => !row.error && row.best !== row.truth],
  right: ["Right", row => !row.error && row.best === row.truth],
  gained: ["Now right", row => row.other && row.other.right && !row.other.baseline_right],
  lost: ["Now wrong", row => row.other && !row.other.right && row.other.baseline_right],
  failed: ["Unreadable", row => row.error !== ""],
};

function choose() {
  const text = filter.text.toLowerCase(), wanted = filter.label === "" ? -1 : Number(filter.label);
  const isKind = kinds[filter.kind][1];
  shown = rows.filter(row =>
    (!text || row.path.toLowerCase().includes(text) || row.predictions.length && label(row.best).toLowerCase().includes(text)
      || row.truth >= 0 && label(row.truth).toLowerCase().includes(text))
    && (wanted < 0 || row.best === wanted)
    && (filter.least === 0 || row.sure !== null && row.sure >= filter.least)
    && (filter.truth < 0 || row.truth === filter.truth) && (filter.best < 0 || row.best === filter.best)
    && isKind(row));
  shown.sort(sorts[filter.sort][1]);
  press();
  layout();
}

// Updates everything that shows the filter.
function press() {
  for (const [kind, button] of Object.entries(controls.kinds)) button.setAttribute("aria-pressed", kind === filter.kind);
  controls.search.value = filter.text;
  controls.label.value = filter.label;
  controls.sort.value = filter.sort;
  controls.least.value = 100 * filter.least;
  controls.output.textContent = Math.round(100 * filter.least) + "%";
  const set = (filter.text !== "") + (filter.label !== "") + (filter.least > 0);
  controls.more.textContent = set ? `Filter (${set})` : "Filter";
  const { truth, best } = filter;
  controls.picked.hidden = truth < 0 && best < 0;
  if (truth >= 0) {
    const name = best < 0 ? "shows " + label(truth) : `${label(truth)} mistaken for ${label(best)}`;
    controls.picked.textContent = name + " ×";
    controls.picked.setAttribute("aria-label", name + ": remove this filter");
  }
  for (const cell of document.querySelectorAll(".matrix .on")) cell.classList.remove("on");
  document.getElementById(`cell-${truth}-${best}`)?.classList.add("on");
  controls.count.textContent = shown.length === rows.length ? photos(rows.length)
    : number(shown.length) + " of " + number(rows.length);
}

function change(wish) {
  Object.assign(filter, wish);
  choose();
}

function toolbar() {
  const counts = new Map();
  for (const row of rows) if (row.best >= 0) counts.set(row.best, (counts.get(row.best) || 0) + 1);
  const options = [...counts].sort((a, b) => label(a[0]).localeCompare(label(b[0])))
    .map(([index, count]) => make("option", { value: index }, `${label(index)} (${number(count)})`));
  const cell = { truth: -1, best: -1 };  // Another label or kind replaces a class or cell.
  controls.kinds = {};
  for (const [kind, [name, isKind]] of Object.entries(kinds)) {
    const count = rows.filter(isKind).length, isJudgement = kind === "wrong" || kind === "right";
    if (isJudgement ? !summary : kind !== "all" && !count) continue;
    controls.kinds[kind] = make("button", { type: "button", onclick: () => change({ kind, ...cell }) },
      isJudgement || kind === "all" ? name : `${name} ${number(count)}`);
  }
  const chips = Object.values(controls.kinds);
  controls.more = make("button", { class: "more", type: "button", "aria-expanded": false, onclick: () => {
    controls.more.setAttribute("aria-expanded", controls.bar.classList.toggle("open")); } });
  controls.search = make("input", { type: "search", placeholder: "Search files and labels", "aria-label": "Search",
    oninput: event => change({ text: event.target.value }) });
  controls.label = make("select", { "aria-label": "Label", onchange: event => change({ label: event.target.value, ...cell }) },
    make("option", { value: "" }, "All labels"), ...options);
  controls.sort = make("select", { "aria-label": "Order", onchange: event => change({ sort: event.target.value }) },
    ...Object.entries(sorts).map(([key, [name]]) => make("option", { value: key }, name)));
  controls.least = make("input", { type: "range", min: 0, max: 100, "aria-label": "Confidence at least, in percent",
    oninput: event => change({ least: event.target.value / 100 }) });
  controls.output = make("output", {});
  controls.picked = make("button", { class: "picked", type: "button", onclick: () => change(cell) });
  controls.count = make("span", { class: "count", role: "status" });
  controls.bar = make("div", { class: "bar" },
    chips.length > 1 ? make("div", { class: "chips" }, ...chips) : null, controls.more,
    controls.search, controls.label, controls.sort,
    make("label", { class: "range" }, "confidence at least", controls.least, controls.output),
    controls.picked, controls.count);
  return controls.bar;
}

// Shows these photos and no others: those of a class, of a cell of the matrix, or of a kind.
function show(wish) {
  change({ ...everything, sort: "sure", ...wish });
  controls.bar.scrollIntoView({ behavior: "smooth" });
}

"""##,
    ]
}
