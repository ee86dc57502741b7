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
