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
    main.append(make("h2", {}, "Photographs"),
      make("p", { class: "hint" }, "The mistakes that the model is surest of come first. Those often tell of a wrong label, or of two classes that share a picture."));
  }
  main.append(toolbar(), grid = make("div", { class: "grid" }, stage = make("div", { class: "window" })));
  if (page.provenance) main.append(provenance());
  choose();
  addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  addEventListener("resize", layout);
}

start();
