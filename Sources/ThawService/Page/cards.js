"use strict";

/// Makes the card of a new photo.
function showCard(photo) {
    photo.url = URL.createObjectURL(photo.file);
    const image = make("img", { alt: "", loading: "lazy", decoding: "async", src: photo.url });
    image.addEventListener("error", () => image.replaceWith(make("span", { className: "no-preview", textContent: "no preview" })));
    const frame = make("div", { className: "frame" }, image);
    photo.body = make("div", { className: "body" });
    photo.card = make("li", { className: "card", tabIndex: 0 }, frame, photo.body);
    photo.card.addEventListener("keydown", (event) => moveFocus(event, photo.card));
    byId("photos").append(photo.card);
    updateCard(photo);
}

/// Shows the results of a photo.
function updateCard(photo) {
    const models = chosen();
    const heading = make("h3", { textContent: photo.name, title: photo.name });
    const disagree = differs(photo);
    photo.card.classList.toggle("differs", disagree);
    photo.card.classList.toggle("failed", hasFailed(photo));
    photo.card.classList.toggle("two", models.length > 1);
    const columns = models.map((model) => column(photo, model, models.length > 1));
    photo.body.replaceChildren(
        make("div", { className: "name" }, heading,
            disagree ? make("span", { className: "badge", textContent: "models disagree" }) : null),
        make("div", { className: "columns" }, ...columns));
}

/// The result of one model for a photo.
function column(photo, model, isNamed) {
    const title = isNamed ? make("p", { className: "model", textContent: model }) : null;
    const result = photo.results.get(model);
    if (!result) {
        const rows = [70, 45, 30].map(() => make("i", {}));
        return make("div", { className: "column" }, title,
            make("div", { className: "waiting", role: "img", "aria-label": "waiting" }, ...rows));
    }
    if (result.error) {
        return make("div", { className: "column" }, title, make("p", { className: "error", textContent: plain(result.error) }));
    }
    const details = service.models.find((known) => known.name === model);
    const bars = make("ol", { className: "bars" }, ...result.predictions.slice(0, 5).map(bar));
    const note = result.note ? make("p", { className: "note", textContent: plain(result.note) }) : null;
    const odd = details?.independentLabels ? make("p", { className: "note", textContent: "Labels are independent: their probabilities need not add up to 100%." }) : null;
    return make("div", { className: "column" }, title, bars, note, odd, times(result));
}

function bar(prediction, rank) {
    const value = prediction.probability;
    // Values of a network without a softmax are not probabilities.
    const isProbability = value !== null && value >= 0 && value <= 1.0001;
    const fill = make("i", { className: "fill", "aria-hidden": "true" });
    fill.style.setProperty("--part", isProbability ? value : 0);
    const label = make("span", { className: "label", textContent: plain(prediction.label), title: plain(prediction.label) });
    const number = make("span", { className: "number", textContent: value === null ? "not a number" : isProbability ? percent(value) : value.toFixed(3) });
    return make("li", { className: rank === 0 ? "best" : "" }, label, number, fill);
}

function times(result) {
    const { decode, wait, compute } = result.timings;
    const parts = [
        compute !== undefined ? `network ${milliseconds(compute)}` : null,
        decode !== undefined ? `decoding ${milliseconds(decode)}` : null,
        wait >= 20 ? `queue ${milliseconds(wait)}` : null,
    ].filter((part) => part);
    return make("p", { className: "times", title: "on the server; then the total, including the network" },
        make("span", { textContent: parts.join(" · ") }), make("span", { textContent: milliseconds(result.time) }));
}

/// Arrow keys go from card to card.
function moveFocus(event, card) {
    const cards = [...byId("photos").children].filter((other) => !other.hidden);
    const columns = Math.max(1, cards.filter((other) => other.offsetTop === cards[0].offsetTop).length);
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    const step = steps[event.key];
    if (step === undefined || event.target !== card) return;
    const next = cards[cards.indexOf(card) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
}
