"use strict";

/// What the server reports about itself.
const service = { models: [], token: "", isDown: false, waiting: [] };

/// The server does not answer. The request may be repeated.
class Unreachable extends Error {}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/// Sends a request, with the token. Asks for the token if it is missing or wrong, and waits while the server is down or busy.
async function request(path, options = {}) {
    for (;;) {
        const headers = new Headers(options.headers);
        const token = service.token;
        if (token) headers.set("Authorization", `Bearer ${token}`);
        let answer;
        try {
            answer = await fetch(path, { ...options, headers, cache: "no-store", referrerPolicy: "no-referrer" });
        } catch (error) {
            if (options.signal?.aborted) throw error;
            await serverIsBack();
            continue;
        }
        if (answer.status === 401) {
            if (token === service.token) await askForToken(token !== "");
            continue;
        }
        // Without the header field, the response is from a proxy, and the service is down.
        if (answer.status === 503 || answer.status === 502 || answer.status === 504) {
            if (!answer.headers.has("Retry-After")) await serverIsBack();
            else await pause(300 + Math.random() * 1000 * Math.min(Number(answer.headers.get("Retry-After")) || 1, 5));
            continue;
        }
        return answer;
    }
}

let recovery = null;

/// Waits until the server answers again. There is one wait for all requests.
function serverIsBack() {
    recovery ??= (async () => {
        service.isDown = true;
        const banner = byId("banner");
        banner.textContent = "The server is not responding. Photos wait here, and continue when it is back.";
        banner.hidden = false;
        document.body.classList.add("down");
        for (let time = 500; ; time = Math.min(time * 1.5, 4000)) {
            await pause(time);
            try {
                if ((await fetch("v2/health/ready", { cache: "no-store" })).ok) break;
            } catch { /* Not yet. */ }
        }
        service.isDown = false;
        banner.hidden = true;
        document.body.classList.remove("down");
        announce("The server is back.");
        recovery = null;
    })();
    return recovery;
}

let asking = null;

function askForToken(wasWrong) {
    asking ??= new Promise((resolve) => {
        const dialog = byId("token-dialog");
        byId("token-wrong").hidden = !wasWrong;
        byId("token").value = "";
        dialog.oncancel = (event) => event.preventDefault();
        dialog.onclose = () => {
            service.token = byId("token").value.trim();
            asking = null;
            resolve();
        };
        if (!dialog.open) dialog.showModal();
        byId("token").focus();
    });
    return asking;
}

/// The error in a response: its message and code.
async function failure(answer) {
    try {
        const { error, code } = await answer.json();
        return { error: String(error), code: String(code) };
    } catch {
        return { error: `the server answered with status ${answer.status}`, code: "" };
    }
}

/// Classifies an image with one model. Gives its predictions and timings, or an error.
async function classify(image, model, crop, signal) {
    const query = new URLSearchParams({ model, top: "10" });
    if (crop) query.set("crop", crop);
    const start = performance.now();
    let answer = await request(`classify?${query}`, { method: "POST", body: image, signal });
    let note = null;
    // The browser may know formats that the server does not: HEIC on a Mac, AVIF.
    if (answer.status === 415) {
        const png = await reencoded(image);
        if (png) {
            answer = await request(`classify?${query}`, { method: "POST", body: png, signal });
            note = "decoded by the browser, since the server does not read this format";
        }
    }
    const time = performance.now() - start;
    if (!answer.ok) return { ...(await failure(answer)), time };
    const { predictions } = await answer.json();
    const timings = {};
    for (const part of (answer.headers.get("Server-Timing") ?? "").split(",")) {
        const [name, duration] = part.trim().split(";dur=");
        if (duration) timings[name] = Number(duration);
    }
    return { predictions, timings, time, note: note ?? answer.headers.get("Thaw-Warning") };
}

/// An image as PNG, if the browser can decode it.
async function reencoded(image) {
    try {
        const bitmap = await createImageBitmap(image);
        const canvas = make("canvas", { width: bitmap.width, height: bitmap.height });
        canvas.getContext("2d").drawImage(bitmap, 0, 0);
        return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    } catch {
        return null;
    }
}
