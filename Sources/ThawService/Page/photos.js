"use strict";

/// The photos in the order in which they were added, and which of them are being classified.
const photos = { all: [], queue: [], running: 0, began: 0, busy: 0, finished: 0, generation: 0 };

/// Requests at the same time. The server has few cores; more would only wait there.
const lanes = 4;

const chosen = () => {
    const names = [byId("model").value];
    if (byId("other").value) names.push(byId("other").value);
    return names.filter((name) => name);
};

/// Adds photos, and classifies them.
function add(files) {
    const list = [...files];
    if (list.length === 0) return;
    for (const file of list) {
        const photo = { file, name: plain(file.name || "pasted image"), results: new Map(), card: null, index: photos.all.length };
        photos.all.push(photo);
        showCard(photo);
        photos.queue.push(photo);
    }
    announce(`${plural(list.length, "photo")} added.`);
    document.body.classList.add("has-photos");
    byId("results").hidden = false;
    start();
}

/// Classifies all photos again, with the models and settings that are chosen now.
function classifyAgain() {
    photos.generation += 1;
    photos.queue = [...photos.all];
    for (const photo of photos.all) {
        photo.results = new Map();
        updateCard(photo);
    }
    start();
}

function start() {
    if (photos.running === 0) [photos.began, photos.finished] = [performance.now(), 0];
    while (photos.running < lanes && photos.queue.length > 0) lane();
    updateList();
}

/// Works on photos until none is left.
async function lane() {
    photos.running += 1;
    for (let photo = photos.queue.shift(); photo; photo = photos.queue.shift()) {
        const generation = photos.generation;
        for (const model of chosen()) {
            const result = await classify(photo.file, model, byId("crop").value).catch((error) => ({
                // A file may be gone, or be a folder.
                error: `the browser cannot read it: ${error.message}`, code: "", time: 0,
            }));
            if (generation !== photos.generation) break;
            photo.results.set(model, result);
            updateCard(photo);
        }
        if (generation !== photos.generation) continue;
        photos.finished += 1;
        scheduleUpdate();
    }
    photos.running -= 1;
    if (photos.running === 0) finishList();
}

function removeAll() {
    photos.generation += 1;
    for (const photo of photos.all) URL.revokeObjectURL(photo.url);
    [photos.all, photos.queue] = [[], []];
    byId("photos").replaceChildren();
    byId("results").hidden = true;
    document.body.classList.remove("has-photos");
    announce("Cleared.");
    byId("choose").focus();
}

const isDone = (photo) => photo.results.size >= chosen().length;
const hasFailed = (photo) => [...photo.results.values()].some((result) => result.error);

/// Whether the models give different labels.
function differs(photo) {
    const results = chosen().map((name) => photo.results.get(name));
    if (results.length < 2 || results.some((result) => !result?.predictions?.length)) return false;
    return results[0].predictions[0].label !== results[1].predictions[0].label;
}

/// The results as JSON lines, as the command line prints them, with the model.
function savedResults() {
    const lines = photos.all.flatMap((photo) =>
        [...photo.results].map(([model, result]) =>
            JSON.stringify(
                result.error
                    ? { image: photo.name, error: result.error, code: result.code, model }
                    : { image: photo.name, predictions: result.predictions, model })));
    return new Blob([lines.join("\n") + "\n"], { type: "application/x-ndjson" });
}
