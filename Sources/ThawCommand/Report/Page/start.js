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
