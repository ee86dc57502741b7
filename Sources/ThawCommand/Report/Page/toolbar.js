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
