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
