"use strict";

/// The camera: its frames are classified continuously, and a photo can be kept.
const camera = { stream: null, isRunning: false };

async function openCamera() {
    // Browsers allow the camera on secure pages only. Elsewhere a phone can take a photo as a file.
    if (!navigator.mediaDevices?.getUserMedia) return byId("capture").click();
    const dialog = byId("camera-dialog");
    try {
        camera.stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1280 } } });
    } catch (error) {
        announce(`The camera cannot be used: ${error.message}`);
        byId("privacy").textContent = `The camera cannot be used: ${error.message}`;
        return;
    }
    const video = dialog.querySelector("video");
    video.srcObject = camera.stream;
    dialog.showModal();
    await video.play();
    watch(video);
}

/// Classifies one frame after another.
async function watch(video) {
    camera.isRunning = true;
    while (camera.isRunning) {
        const frame = await snapshot(video, 640, 0.85);
        if (!frame || !camera.isRunning) break;
        const result = await classify(frame, byId("model").value, byId("crop").value);
        if (!camera.isRunning) break;
        if (result.predictions) {
            byId("live").replaceChildren(...result.predictions.slice(0, 3).map(bar));
            byId("live-speed").textContent = `${milliseconds(result.time)} per frame`;
        } else {
            byId("live-speed").textContent = result.error;
        }
        await pause(30);
    }
}

/// The current frame as a JPEG.
function snapshot(video, longest, quality) {
    const { videoWidth: width, videoHeight: height } = video;
    if (!width) return pause(100).then(() => camera.isRunning ? snapshot(video, longest, quality) : null);
    const scale = Math.min(1, longest / Math.max(width, height));
    const canvas = make("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
}

byId("camera").addEventListener("click", openCamera);
byId("shutter").addEventListener("click", async () => {
    const image = await snapshot(byId("camera-dialog").querySelector("video"), 4096, 0.95);
    byId("camera-dialog").close();
    if (image) add([new File([image], `camera ${new Date().toLocaleTimeString()}.jpg`, { type: "image/jpeg" })]);
});
byId("camera-dialog").querySelector(".close").addEventListener("click", () => byId("camera-dialog").close());
byId("camera-dialog").addEventListener("close", () => {
    camera.isRunning = false;
    camera.stream?.getTracks().forEach((track) => track.stop());
    byId("live").replaceChildren();
});
