"use strict";

/// The files of a drop, with those in folders.
async function droppedFiles(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
    if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
    const files = [];
    const walk = async (entry) => {
        if (entry.isFile) {
            const file = await new Promise((resolve) => entry.file(resolve, () => resolve(null)));
            // Folders contain other files, too.
            if (file && !file.name.startsWith(".") && (file.type.startsWith("image/") || /\.(p[bgnp]m|pam)$/i.test(file.name))) files.push(file);
            return;
        }
        const reader = entry.createReader();
        for (;;) {
            const part = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
            if (part.length === 0) return;
            for (const inner of part) await walk(inner);
        }
    };
    for (const entry of entries) await walk(entry);
    return files;
}

let depth = 0;
const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    document.body.classList.add("dragging");
});
addEventListener("dragleave", (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(0, depth - 1);
    if (depth === 0) document.body.classList.remove("dragging");
});
addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    document.body.classList.remove("dragging");
    add(await droppedFiles(event.dataTransfer));
});
addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
});
for (const input of [byId("files"), byId("capture")]) {
    input.addEventListener("change", () => {
        add(input.files);
        input.value = "";
    });
}
byId("choose").addEventListener("click", () => byId("files").click());
byId("choices").addEventListener("submit", (event) => event.preventDefault());
byId("choices").addEventListener("change", () => {
    fillOther();
    if (photos.all.length > 0) classifyAgain();
});
if (!navigator.mediaDevices?.getUserMedia) byId("camera").textContent = "Take a photo";
if (/Mac|iP(hone|ad)/.test(navigator.platform)) document.querySelector("kbd").textContent = "⌘";
byId("privacy").textContent = `Photos go to ${location.host || "this server"} only, and are not stored.`;

/// The models to compare with: all but the chosen one.
function fillOther() {
    const others = service.models.filter((model) => model.classifies && model.name !== byId("model").value);
    const before = byId("other").value;
    byId("other").replaceChildren(
        make("option", { value: "", textContent: "none" }),
        ...others.map((model) => make("option", { value: model.name, textContent: model.name })));
    byId("other").value = others.some((model) => model.name === before) ? before : "";
    byId("other-label").hidden = others.length === 0;
}

(async () => {
    const answer = await request("models");
    service.models = (await answer.json()).models;
    const able = service.models.filter((model) => model.classifies);
    byId("model").replaceChildren(...able.map((model) => make("option", { value: model.name, textContent: model.name })));
    fillOther();
    listModels();
    // With two models, compare them.
    if (able.length === 2) byId("other").value = able[1].name;
    if (able.length === 0) {
        byId("banner").textContent = "No model here classifies single images. Programs can use the models; see Use the API.";
        byId("banner").hidden = false;
        byId("drop").inert = true;
    }
    document.title = able.length ? `${able.map((model) => model.name).join(", ")} – Thaw` : "Thaw";
    document.body.classList.add("ready");
})();
