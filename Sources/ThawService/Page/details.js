"use strict";

/// Shows the details of the chosen model.
async function showDetails(first) {
    const name = first ?? chosen()[0] ?? service.models[0].name;
    const tabs = make("div", { className: "tabs", role: "group", "aria-label": "Model" });
    const content = make("div", { className: "content" });
    const show = async (name) => {
        for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.name === name));
        content.replaceChildren(make("p", { className: "note", textContent: "Loading…" }));
        const answer = await request(`models/${encodeURIComponent(name)}`);
        if (!answer.ok) return content.replaceChildren(make("p", { className: "error", textContent: (await failure(answer)).error }));
        content.replaceChildren(...sections(await answer.json()));
    };
    for (const { name } of service.models) {
        const tab = make("button", { type: "button", textContent: name, "data-name": name });
        tab.addEventListener("click", () => show(name));
        tabs.append(tab);
    }
    openDialog(byId("details"), "Model details", service.models.length > 1 ? tabs : null, content);
    await show(name);
}

function sections(model) {
    const facts = make("dl", { className: "facts" });
    const add = (term, ...values) => {
        if (values.length === 0) return;
        facts.append(make("dt", { textContent: term }), ...values.map((value) => make("dd", { textContent: plain(value) })));
    };
    const port = (item) => `${item.name}: ${item.image ? "an image, " : ""}${item.datatype} [${item.shape.join(", ")}]`;
    add("File", model.file);
    add("Inputs", ...model.inputs.map(port));
    add("Outputs", ...model.outputs.map(port));
    add("Parameters", large(model.parameters));
    add("Multiply-adds", large(model.multiplyAdds));
    for (const [key, value] of Object.entries(model.metadata)) add(key[0].toUpperCase() + key.slice(1), value);
    return [
        make("section", {}, facts),
        model.preprocessing.length ? make("section", {}, make("h3", { textContent: "Preprocessing" }),
            make("p", { className: "note", textContent: "of pixels x from 0 to 255" }),
            ...model.preprocessing.map((line) => make("pre", { textContent: line }))) : null,
        model.warnings.length ? make("section", {}, make("h3", { textContent: "Notes" }),
            ...model.warnings.map((line) => make("p", { textContent: plain(line) }))) : null,
        model.labels.length ? labels(model.labels) : null,
        layers(model.layers),
        drawing(model.name),
    ].filter((section) => section);
}

function labels(names) {
    const field = make("input", { type: "search", placeholder: `Search ${plural(names.length, "label")}`, "aria-label": "Search labels" });
    const list = make("ol", { className: "labels" });
    const note = make("p", { className: "note", role: "status" });
    const update = () => {
        const words = field.value.trim().toLowerCase();
        const found = names.map((name, index) => ({ name, index })).filter(({ name, index }) => !words || name.toLowerCase().includes(words) || String(index) === words);
        list.replaceChildren(...found.slice(0, 200).map(({ name, index }) =>
            make("li", {}, make("span", { className: "index", textContent: index }), make("span", { textContent: plain(name) }))));
        note.textContent = found.length > 200 ? `The first 200 of ${found.length.toLocaleString("en-US")}.` : found.length === 0 ? "No matching labels." : "";
    };
    field.addEventListener("input", update);
    update();
    return make("section", {}, make("h3", { textContent: "Labels" }), field, list, note);
}

function layers(kinds) {
    const most = Math.max(...kinds.map((layer) => layer.count), 1);
    const list = make("ol", { className: "layers" }, ...kinds.map((layer) => {
        const fill = make("i", { className: "fill", "aria-hidden": "true" });
        fill.style.setProperty("--part", layer.count / most);
        return make("li", {}, make("span", { textContent: layer.kind }), make("span", { className: "number", textContent: layer.count }), fill);
    }));
    return make("section", {}, make("h3", { textContent: "Layers" }), list);
}

/// A drawing of the network, which the server creates on request.
function drawing(name) {
    const button = make("button", { type: "button", textContent: "Draw the network" });
    const section = make("section", { className: "drawing" }, make("h3", { textContent: "Network" }), button);
    button.addEventListener("click", async () => {
        button.disabled = true;
        button.textContent = "Drawing…";
        const answer = await request(`models/${encodeURIComponent(name)}/graph.svg`);
        if (!answer.ok) {
            button.replaceWith(make("p", { className: "error", textContent: plain((await failure(answer)).error) }));
            return;
        }
        const url = URL.createObjectURL(new Blob([await answer.text()], { type: "image/svg+xml" }));
        const image = make("img", { src: url, alt: `The layers of ${name} and how they are connected` });
        const sheet = make("div", { className: "sheet", tabIndex: 0, role: "region", "aria-label": "Drawing of the network, scrollable" }, image);
        const zoom = make("input", { type: "range", min: 20, max: 150, value: 70, "aria-label": "Zoom" });
        image.addEventListener("load", () => {
            const width = image.naturalWidth;
            const resize = () => { image.style.width = `${width * zoom.value / 100}px`; };
            zoom.addEventListener("input", resize);
            resize();
        });
        const save = make("a", { href: url, download: `${name}.svg`, textContent: "Save as SVG" });
        button.replaceWith(make("div", { className: "zoom" }, make("label", {}, "Zoom ", zoom), save), sheet);
    });
    return section;
}

/// The list of models, shown until there are photos.
function listModels() {
    byId("models").replaceChildren(...service.models.map((model) => {
        const facts = [
            model.classifies ? plural(model.classes, "class") : "does not classify images",
            model.width ? `${model.width} × ${model.height} ${model.color === "gray" ? "gray" : "color"}` : null,
        ];
        const button = make("button", { type: "button" }, make("strong", { textContent: model.name }),
            make("span", { textContent: facts.filter((fact) => fact).join(" · ") }),
            model.parameters > 0
                ? make("span", { textContent: `${large(model.parameters)} parameters · ${large(model.multiplyAdds)} multiply-adds` })
                : null);
        button.addEventListener("click", () => showDetails(model.name));
        return button;
    }));
}

byId("show-details").addEventListener("click", () => showDetails());
