"use strict";

/// Makes an element. Properties that begin with "aria-" or "data-", and "role", become attributes. Text is never markup.
function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name.includes("-") || name === "role") element.setAttribute(name, value);
        else element[name] = value;
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

const byId = (id) => document.getElementById(id);

/// Text without characters that affect how other text is shown: the same ones as `isControlling` in Swift.
const plain = (text) => String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "�");

const percent = (value) =>
    value >= 0.9995 ? "100%" : value >= 0.1 ? `${(value * 100).toFixed(1)}%` : `${(value * 100).toFixed(2)}%`;

const milliseconds = (value) =>
    value >= 1000 ? `${(value / 1000).toFixed(1)} s` : value >= 10 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`;

const large = (count) =>
    count >= 1e9 ? `${(count / 1e9).toFixed(2)} billion`
    : count >= 1e6 ? `${(count / 1e6).toFixed(2)} million`
    : count.toLocaleString("en-US");

const plural = (count, one) => `${count.toLocaleString("en-US")} ${count === 1 ? one : one.endsWith("s") ? one + "es" : one + "s"}`;

/// Tells screen readers what has happened.
function announce(text) { byId("status").textContent = text; }

/// Fills a dialog and shows it. Escape, the cross and a click beside it close it.
function openDialog(dialog, title, ...children) {
    const heading = make("h2", { id: `${dialog.id}-title`, textContent: title });
    const close = make("button", { type: "button", className: "close", textContent: "×", "aria-label": "Close" });
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(make("div", { className: "bar" }, heading, close), ...children.filter((child) => child !== null));
    if (!dialog.open) dialog.showModal();
}

for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
        if (event.target === dialog && dialog.id !== "token-dialog") dialog.close();
    });
}

/// A button that copies text. The clipboard needs a secure page; elsewhere the text is selected.
function copyButton(text, source) {
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text());
            button.textContent = "Copied";
            announce("Copied");
        } catch {
            const range = document.createRange();
            range.selectNodeContents(source);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            button.textContent = "Selected";
            announce("Selected. Press Control C to copy.");
        }
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    return button;
}
