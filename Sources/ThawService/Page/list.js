"use strict";

const view = { show: "all", find: "", isScheduled: false };

/// Updates the totals after a short delay: many results may arrive at once.
function scheduleUpdate() {
    if (view.isScheduled) return;
    view.isScheduled = true;
    setTimeout(() => {
        view.isScheduled = false;
        updateList();
    }, 120);
}

function updateList() {
    const all = photos.all;
    const done = all.filter(isDone).length;
    const failed = all.filter(hasFailed).length;
    const different = all.filter(differs).length;
    const isTwo = chosen().length > 1;
    byId("count").textContent =
        done < all.length ? `${done.toLocaleString("en-US")} of ${plural(all.length, "photo")}` : plural(all.length, "photo");
    const seconds = (performance.now() - photos.began) / 1000;
    const rate = photos.finished > 3 && seconds > 0.3 ? `${(photos.finished / seconds).toFixed(1)} photos/s` : "";
    const agreement = isTwo && done > 0 ? `${Math.round(100 * (1 - different / Math.max(1, done - failed)))}% agree` : "";
    byId("speed").textContent = [agreement, photos.running > 0 || view.rate === undefined ? rate : view.rate].filter((text) => text).join(" · ");
    if (rate) view.rate = rate;
    byId("results").style.setProperty("--done", all.length ? done / all.length : 0);
    byId("results").classList.toggle("busy", done < all.length);
    document.body.classList.toggle("single", all.length === 1);
    setFilter("differ", isTwo, different);
    setFilter("failed", failed > 0, failed);
    if (view.show === "differ" && !isTwo || view.show === "failed" && failed === 0) view.show = "all";
    arrange(isTwo);
}

function setFilter(name, isVisible, count) {
    const button = document.querySelector(`[data-show="${name}"]`);
    button.hidden = !isVisible;
    button.querySelector("b").textContent = count.toLocaleString("en-US");
}

/// Shows the photos that match. With two models, those on which they disagree come first.
function arrange(isTwo) {
    const words = view.find.toLowerCase();
    let shown = 0;
    for (const photo of photos.all) {
        const labels = [...photo.results.values()].map((result) => result.predictions?.[0]?.label ?? "");
        const matches = !words || [photo.name, ...labels].some((text) => text.toLowerCase().includes(words));
        const kind = view.show === "all" || view.show === "differ" && differs(photo) || view.show === "failed" && hasFailed(photo);
        photo.card.hidden = !(matches && kind);
        if (!photo.card.hidden) shown += 1;
    }
    for (const button of document.querySelectorAll("[data-show]")) {
        button.setAttribute("aria-pressed", String(button.dataset.show === view.show));
    }
    byId("none").hidden = shown > 0 || photos.all.length === 0;
    const order = isTwo ? [...photos.all].sort((a, b) => differs(b) - differs(a) || a.index - b.index) : photos.all;
    const list = byId("photos");
    // Elements that need not move keep the focus.
    const focused = document.activeElement;
    order.forEach((photo, index) => {
        if (list.children[index] !== photo.card) list.insertBefore(photo.card, list.children[index] ?? null);
    });
    if (focused && focused !== document.activeElement && list.contains(focused)) focused.focus();
}

/// Called when the last photo is done.
function finishList() {
    updateList();
    const failed = photos.all.filter(hasFailed).length;
    const best = photos.all.length === 1 ? photos.all[0].results.get(chosen()[0])?.predictions?.[0] : null;
    announce(
        best ? `${plain(best.label)}, ${percent(best.probability)}.`
        : `${plural(photos.all.length, "photo")} done` + (failed > 0 ? `, ${failed} failed.` : "."));
}

for (const button of document.querySelectorAll("[data-show]")) {
    button.addEventListener("click", () => {
        view.show = button.dataset.show;
        updateList();
    });
}
byId("find").addEventListener("input", () => {
    view.find = byId("find").value.trim();
    updateList();
});
byId("clear").addEventListener("click", removeAll);
byId("save").addEventListener("click", () => {
    const link = make("a", { href: URL.createObjectURL(savedResults()), download: "results.jsonl" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
