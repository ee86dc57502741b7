// Written by .ci/embed-page from the files in Page: change those, and run `make page`.
// swift-format-ignore-file

extension Page {
    /// The files of the page by their names.
    static let files: [String: String] = [
        "page.html": ##"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Thaw</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230b7285'/%3E%3Cpath d='M16 5c4.6 6 7.5 9.700 7.500 13.500a7.500 7.500 0 0 1-15 0C8.500 14.700 11.400 11 16 5z' fill='%23fff'/%3E%3C/svg%3E">
<link rel="stylesheet" href="page.css">
</head>
<body>
<a class="skip" href="#photos">Skip to the photos</a>
<header>
<div class="brand">
<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9"/><path d="M16 5c4.600 6 7.500 9.700 7.500 13.500a7.500 7.500 0 0 1-15 0C8.500 14.700 11.400 11 16 5z"/></svg>
<h1>Thaw</h1>
</div>
<form id="choices" aria-label="Model and preprocessing">
<label>Model <select id="model"></select></label>
<label id="other-label" hidden>Compare with <select id="other"></select></label>
<label>Fit <select id="crop">
<option value="">default</option>
<option value="fill">stretch</option>
<option value="center:0.875">center crop, 87.5%</option>
<option value="center">center crop</option>
<option value="fit">letterbox</option>
</select></label>
</form>
<nav aria-label="More">
<button type="button" id="show-details" class="quiet">Model details</button>
<button type="button" id="show-snippets" class="quiet">Use the API</button>
</nav>
</header>
<div id="banner" role="alert" hidden></div>
<main>
<section id="drop" aria-label="Add photos">
<div class="invitation">
<svg viewBox="0 0 64 64" aria-hidden="true"><rect x="6" y="12" width="52" height="42" rx="7"/><circle cx="21" cy="27" r="5"/><path d="M9 48l15-14 9 8 10-11 13 13"/></svg>
<p class="title"><span class="with-mouse">Drop <span class="more">more</span> photos here</span><span class="with-touch">What is in your photo?</span></p>
<p class="hint">one or hundreds<span class="with-mouse">, or paste an image with <kbd>Ctrl</kbd> <kbd>V</kbd></span><span class="with-touch">, from your library or the camera</span></p>
</div>
<div class="sources">
<button type="button" id="choose" class="primary">Choose photos</button>
<button type="button" id="camera">Use the camera</button>
<input type="file" id="files" accept="image/*,.pnm,.ppm,.pgm,.pbm,.pam" multiple hidden>
<input type="file" id="capture" accept="image/*" capture="environment" hidden>
</div>
<p class="privacy" id="privacy"></p>
</section>
<div class="models" id="models"></div>
<section id="results" aria-label="Results" hidden>
<div class="summary">
<div class="figures">
<p id="count"></p>
<p id="speed"></p>
</div>
<div class="tools">
<label class="find"><span class="hidden">Filter by label or file name</span><input type="search" id="find" placeholder="Filter by label or name" autocomplete="off"></label>
<div class="filters" role="group" aria-label="Show">
<button type="button" data-show="all" aria-pressed="true">All</button>
<button type="button" data-show="differ" aria-pressed="false" hidden>Disagree <b></b></button>
<button type="button" data-show="failed" aria-pressed="false" hidden>Failed <b></b></button>
</div>
<button type="button" id="save" class="quiet">Save results</button>
<button type="button" id="clear" class="quiet">Clear</button>
</div>
<div class="progress" aria-hidden="true"><i></i></div>
</div>
<ol id="photos" tabindex="-1"></ol>
<p id="none" hidden>No matching photos.</p>
</section>
</main>
<p id="status" class="hidden" role="status"></p>
<div id="overlay" aria-hidden="true"><p>Drop to classify</p></div>
<dialog id="details" aria-labelledby="details-title"></dialog>
<dialog id="snippets" aria-labelledby="snippets-title"></dialog>
<dialog id="camera-dialog" aria-labelledby="camera-title">
<div class="bar"><h2 id="camera-title">Camera</h2><button type="button" class="close" aria-label="Close">×</button></div>
<div class="viewfinder"><video playsinline muted></video><ol id="live" aria-live="off"></ol></div>
<div class="actions"><p id="live-speed"></p><button type="button" id="shutter" class="primary">Take a photo</button></div>
</dialog>
<dialog id="token-dialog" aria-labelledby="token-title">
<form method="dialog">
<h2 id="token-title">This service needs a token</h2>
<p>It is kept in this page only, until you close it.</p>
<label>Token <input type="password" id="token" autocomplete="off" required></label>
<p id="token-wrong" role="alert" hidden>The token was not accepted.</p>
<button class="primary">Continue</button>
</form>
</dialog>
<noscript><p class="noscript">This page needs JavaScript. Programs can post images to /classify; see /openapi.json.</p></noscript>
<script src="elements.js"></script>
<script src="service.js"></script>
<script src="photos.js"></script>
<script src="cards.js"></script>
<script src="list.js"></script>
<script src="details.js"></script>
<script src="snippets.js"></script>
<script src="camera.js"></script>
<script src="start.js"></script>
</body>
</html>

"""##,
        "page.css": ##"""
:root {
    color-scheme: light dark;
    --ground: light-dark(#f4f6f7, #0f1416);
    --card: light-dark(#ffffff, #182024);
    --raised: light-dark(#ffffff, #1f292e);
    --text: light-dark(#162125, #e7eef0);
    --soft: light-dark(#56666c, #9db0b7);
    --line: light-dark(#dbe3e6, #2b383e);
    --accent: light-dark(#0b7285, #4fc3d9);
    --on-accent: light-dark(#ffffff, #06222a);
    --fill: light-dark(#d3edf2, #14424d);
    --fill-best: light-dark(#a5dde8, #176072);
    --warn: light-dark(#9a4a00, #ffb066);
    --warn-ground: light-dark(#fff1e0, #3a2812);
    --bad: light-dark(#b3261e, #ff9d94);
    --shade: light-dark(#16212514, #0005);
    font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--text); display: flex; flex-direction: column; }
h1, h2, h3, p, ol, dl, dd, pre { margin: 0; padding: 0; }
ol { list-style: none; }
.hidden, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; z-index: 9; padding: .5rem 1rem; background: var(--raised); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

button, select, input { font: inherit; color: inherit; }
button, select { min-height: 2.4rem; padding: .3rem .9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--raised); cursor: pointer; }
select { padding-right: .5rem; max-width: 14rem; text-overflow: ellipsis; }
button:hover, select:hover { border-color: var(--accent); }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.primary:hover { filter: brightness(1.08); }
button.quiet { border-color: transparent; background: none; color: var(--accent); }
button.quiet:hover { background: var(--fill); }
button:disabled { opacity: .6; cursor: default; }
input[type=search], input[type=password] { min-height: 2.4rem; width: 100%; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--raised); }
kbd { padding: .05rem .4rem; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: .3rem; font: inherit; font-size: .85em; }

header { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1.5rem; padding: .8rem clamp(.8rem, 3vw, 2rem); background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: .6rem; }
.brand svg { width: 2rem; height: 2rem; }
.brand rect { fill: var(--accent); }
.brand path { fill: var(--on-accent); }
h1 { font-size: 1.3rem; letter-spacing: -.02em; }
#choices { display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
#choices label { display: flex; align-items: center; gap: .5rem; color: var(--soft); font-size: .9rem; }
#choices select { color: var(--text); }
header nav { margin-left: auto; display: flex; gap: .2rem; }
#banner { padding: .6rem clamp(.8rem, 3vw, 2rem); background: var(--warn-ground); color: var(--warn); font-weight: 500; }

main { flex: 1; width: 100%; max-width: 100rem; margin: 0 auto; padding: clamp(.8rem, 3vw, 2rem); display: flex; flex-direction: column; gap: 1.2rem; }
#drop { display: grid; place-content: center; justify-items: center; gap: 1.2rem; min-height: min(30rem, 62vh); padding: 2rem 1rem; border: 2px dashed var(--line); border-radius: 1.4rem; background: var(--card); text-align: center; transition: min-height .25s, padding .25s; }
.invitation svg { width: 5.5rem; height: 5.5rem; margin-bottom: .6rem; fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round; }
.invitation circle { fill: var(--fill-best); }
.title { font-size: clamp(1.5rem, 4vw, 2.1rem); font-weight: 650; letter-spacing: -.02em; }
.hint, .privacy { color: var(--soft); }
.privacy { font-size: .85rem; }
.sources { display: flex; flex-wrap: wrap; justify-content: center; gap: .6rem; }
.has-photos #drop { min-height: 0; padding: .7rem 1rem; grid-auto-flow: column; place-content: stretch; align-items: center; justify-content: space-between; gap: 1rem; text-align: left; border-radius: 1rem; }
.has-photos .invitation svg, .has-photos .privacy, .has-photos .hint { display: none; }
.has-photos .title { font-size: 1.05rem; }
body:not(.has-photos) .more, .with-touch { display: none; }
@media (hover: none) and (pointer: coarse) {
    .with-mouse { display: none; }
    .with-touch { display: inline; }
}
.models { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem; }
.has-photos .models { display: none; }
.models button { display: grid; gap: .15rem; padding: .9rem 1.2rem; border-radius: 1rem; background: var(--card); text-align: left; box-shadow: 0 1px 2px var(--shade); }
.models strong { font-size: 1.05rem; overflow-wrap: anywhere; }
.models span { color: var(--soft); font-size: .88rem; }
#overlay { position: fixed; inset: .6rem; z-index: 8; display: none; place-content: center; border: 3px dashed var(--accent); border-radius: 1.4rem; background: color-mix(in srgb, var(--card) 88%, transparent); pointer-events: none; }
#overlay p { font-size: 2rem; font-weight: 650; color: var(--accent); }
.dragging #overlay { display: grid; }

.summary { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .6rem 1.5rem; padding: .6rem 0; background: var(--ground); }
.figures { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1rem; }
#count { font-size: 1.15rem; font-weight: 650; }
#speed { color: var(--soft); font-variant-numeric: tabular-nums; }
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; }
.find { width: 14rem; }
.filters { display: flex; }
.filters button { border-radius: 0; margin-left: -1px; }
.filters button:first-child { border-radius: .6rem 0 0 .6rem; }
.filters button:not(:has(~ :not([hidden]))) { border-radius: 0 .6rem .6rem 0; }
.filters button:first-child:has(+ [hidden] + [hidden]) { display: none; }
[aria-pressed=true] { background: var(--fill); border-color: var(--accent); z-index: 1; }
.progress { flex-basis: 100%; height: 3px; border-radius: 3px; background: var(--line); overflow: hidden; opacity: 0; transition: opacity .4s; }
.busy .progress { opacity: 1; }
.progress i { display: block; height: 100%; background: var(--accent); transform-origin: left; transform: scaleX(var(--done, 0)); transition: transform .2s; }
.single .tools .find, .single .filters { display: none; }

#photos { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1rem; margin-top: .6rem; }
#photos:has(.two) { grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
.card { display: flex; flex-direction: column; border: 1px solid var(--line); border-radius: 1rem; overflow: hidden; background: var(--card); box-shadow: 0 1px 2px var(--shade), 0 4px 16px var(--shade); content-visibility: auto; contain-intrinsic-size: auto 24rem; animation: appear .25s both; }
.card.differs { border-color: var(--warn); }
.frame { height: 12.5rem; background: var(--ground); overflow: hidden; }
.frame img { width: 100%; height: 100%; object-fit: cover; display: block; transition: transform .3s; }
.card:hover .frame img { transform: scale(1.02); }
.frame:has(.no-preview) { display: grid; place-content: center; }
.no-preview { padding: .2rem .7rem; border-radius: 1rem; background: var(--card); color: var(--soft); font-size: .85rem; }
.body { flex: 1; display: flex; flex-direction: column; gap: .6rem; padding: .8rem 1rem 1rem; }
.name { display: flex; align-items: baseline; justify-content: space-between; gap: .6rem; }
.name h3 { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: .85rem; font-weight: 500; color: var(--soft); }
.badge { flex: none; padding: .05rem .6rem; border-radius: 1rem; background: var(--warn-ground); color: var(--warn); font-size: .78rem; font-weight: 600; }
.columns { display: grid; gap: 1.2rem; flex: 1; }
.two .columns { grid-template-columns: 1fr 1fr; }
.column { min-width: 0; display: flex; flex-direction: column; gap: .5rem; }
.model { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; font-size: .85rem; color: var(--accent); }
.bars { display: grid; gap: .25rem; }
.bars li { position: relative; display: flex; align-items: baseline; justify-content: space-between; gap: .8rem; padding: .22rem .6rem; border-radius: .45rem; overflow: hidden; isolation: isolate; font-size: .92rem; }
.bars .label { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.number { flex: none; font-variant-numeric: tabular-nums; color: var(--soft); font-size: .88em; }
.fill { position: absolute; inset: 0; z-index: -1; background: var(--fill); border-radius: .45rem; transform-origin: left; transform: scaleX(max(var(--part), .006)); animation: grow .45s cubic-bezier(.2, .8, .2, 1) both; }
.best { font-size: 1.08rem; font-weight: 650; }
.bars .best { padding: .35rem .6rem; }
.best .number { color: inherit; }
.best .fill { background: var(--fill-best); }
.times { display: flex; justify-content: space-between; align-items: end; gap: .6rem; margin-top: auto; padding-top: .3rem; color: var(--soft); font-size: .78rem; font-variant-numeric: tabular-nums; }
.times span:last-child { flex: none; }
.note { color: var(--soft); font-size: .85rem; }
.error { color: var(--bad); overflow-wrap: anywhere; }
.waiting { display: grid; gap: .5rem; }
.waiting i { height: 1.5rem; border-radius: .45rem; background: linear-gradient(90deg, var(--line), var(--fill), var(--line)) 0 0 / 300% 100%; animation: shimmer 1.6s linear infinite; }
.waiting i:nth-child(2) { width: 75%; }
.waiting i:nth-child(3) { width: 55%; }
.down .waiting i { animation-play-state: paused; }
#none { padding: 3rem; text-align: center; color: var(--soft); }

.single #photos { grid-template-columns: minmax(0, 70rem); justify-content: center; }
.single .card { flex-direction: row; content-visibility: visible; }
.single .frame { flex: 1 1 55%; height: auto; min-height: 18rem; max-height: 65vh; }
.single .frame { display: grid; }
.single .frame img { max-height: 65vh; object-fit: contain; }
.single .card:hover .frame img { transform: none; }
.single .body { flex: 1 1 45%; min-width: 0; justify-content: center; padding: 1.6rem; }
.single .columns { flex: none; }
.single .bars { gap: .4rem; }
.single .bars li { padding: .45rem .8rem; font-size: 1rem; }
.single .bars .best { font-size: 1.35rem; padding: .7rem .8rem; }
.best .label { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal; overflow-wrap: anywhere; line-height: 1.25; }
.single .two .bars .best { flex-wrap: wrap; gap: 0 .8rem; font-size: 1.12rem; padding: .5rem .7rem; }
.single .two .best .label { flex-basis: 100%; }
.single .label { display: block; white-space: normal; overflow-wrap: anywhere; }

dialog { width: min(56rem, 100vw - 1.6rem); max-height: calc(100vh - 2rem); max-height: calc(100dvh - 2rem); padding: 0; border: 1px solid var(--line); border-radius: 1.1rem; background: var(--card); color: var(--text); box-shadow: 0 20px 60px #0005; }
dialog[open] { display: flex; flex-direction: column; animation: appear .2s both; }
dialog::backdrop { background: #0b1518a0; }
.bar { display: flex; align-items: center; justify-content: space-between; padding: .8rem .8rem .8rem 1.3rem; border-bottom: 1px solid var(--line); }
.bar h2 { font-size: 1.1rem; }
.close { border: 0; background: none; font-size: 1.4rem; line-height: 1; }
.tabs { display: flex; flex-wrap: wrap; gap: .4rem; padding: .8rem 1.3rem 0; }
.content { padding: 1.1rem 1.3rem 1.6rem; overflow: auto; display: grid; gap: 1.4rem; grid-template-columns: minmax(0, 1fr); }
.content section { display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr); }
.content h3 { font-size: .95rem; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.3rem; }
.facts dt { color: var(--soft); grid-column: 1; }
.facts dd { grid-column: 2; overflow-wrap: anywhere; }
pre { padding: .7rem .9rem; border-radius: .6rem; background: var(--ground); font: .85rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.labels { max-height: 15rem; overflow: auto; columns: 15rem; padding: .3rem 0; font-size: .92rem; }
.labels li { display: flex; gap: .7rem; break-inside: avoid; }
.index { flex: none; min-width: 2.6rem; text-align: right; color: var(--soft); font-variant-numeric: tabular-nums; }
.layers { display: grid; gap: .25rem; }
.layers li { position: relative; isolation: isolate; display: flex; justify-content: space-between; padding: .2rem .6rem; }
.caption { display: flex; align-items: center; justify-content: space-between; }
.zoom { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .8rem; }
.zoom label { display: flex; align-items: center; gap: .6rem; }
.zoom input { accent-color: var(--accent); }
.sheet { max-height: 32rem; overflow: auto; border: 1px solid var(--line); border-radius: .6rem; background: #fff; }
.sheet img { display: block; margin: 0 auto; max-width: none; }
.drawing button { justify-self: start; }
a { color: var(--accent); }

#camera-dialog { width: min(48rem, 100vw - 1.6rem); }
.viewfinder { position: relative; background: #000; min-height: 12rem; display: grid; overflow: hidden; }
.viewfinder video { width: 100%; max-height: 60vh; object-fit: contain; }
#live { position: absolute; left: .8rem; right: .8rem; bottom: .8rem; display: grid; gap: .3rem; max-width: 26rem; color: #fff; }
#live li { position: relative; isolation: isolate; display: flex; justify-content: space-between; gap: .8rem; padding: .3rem .7rem; border-radius: .5rem; overflow: hidden; background: #0b1518b8; }
#live .number { color: #fff; }
#live .fill { background: #1c8ba1; animation: none; transition: transform .2s; }
.actions { display: flex; align-items: center; justify-content: space-between; padding: .8rem 1.3rem; }
.actions p { color: var(--soft); font-variant-numeric: tabular-nums; }
#token-dialog { width: min(26rem, 100vw - 1.6rem); }
#token-dialog form { display: grid; gap: .9rem; padding: 1.5rem; }
#token-dialog h2 { font-size: 1.15rem; }
#token-wrong { color: var(--bad); }
.noscript { padding: 2rem; text-align: center; }

@keyframes appear { from { opacity: 0; transform: translateY(6px); } }
@keyframes grow { from { transform: scaleX(0); } }
@keyframes shimmer { from { background-position: 150% 0; } to { background-position: -150% 0; } }

@media (max-width: 48rem) {
    header { gap: .5rem .8rem; }
    header nav { order: 1; }
    #choices { order: 2; width: 100%; }
    #choices label { flex: 1 1 9rem; flex-direction: column; align-items: stretch; gap: .15rem; font-size: .8rem; min-width: 0; }
    #choices select { max-width: none; width: 100%; font-size: .95rem; }
    .single .card { flex-direction: column; }
    .single .frame { min-height: 12rem; max-height: 50vh; }
    .single .frame img { max-height: 50vh; }
    .single .body { padding: 1rem; }
    .has-photos .title { display: none; }
    .has-photos #drop { grid-auto-flow: row; justify-content: stretch; border-style: none; background: none; padding: 0; }
    .has-photos .invitation { display: none; }
    .has-photos .sources { flex-wrap: nowrap; }
    .has-photos .sources button { flex: 1; padding: .3rem .4rem; white-space: nowrap; }
    .tools .quiet { padding: .3rem .5rem; }
    .tools, .find { width: 100%; }
    .find { flex: 1 1 100%; }
    .two .columns { gap: .8rem; }
    .two .bars li { padding: .2rem .4rem; font-size: .84rem; gap: .4rem; }
    .two .bars .best { flex-wrap: wrap; gap: 0 .4rem; }
    .two .best .label { flex-basis: 100%; }
    .two .times span:last-child { display: none; }
    .facts { grid-template-columns: minmax(0, 1fr); gap: .1rem; }
    .facts dd { grid-column: 1; padding-bottom: .4rem; }
}
@media (max-width: 26rem) {
    header nav button { padding: .3rem .5rem; font-size: .9rem; }
    .tools button { padding-inline: .5rem; }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation-duration: 1ms !important; transition-duration: 1ms !important; } }
@media (forced-colors: active) { .fill { background: Highlight; opacity: .35; } .card { border-color: CanvasText; } }

"""##,
        "camera.js": ##"""
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

"""##,
        "cards.js": ##"""
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

"""##,
        "details.js": ##"""
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

"""##,
        "elements.js": ##"""
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

"""##,
        "list.js": ##"""
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

"""##,
        "photos.js": ##"""
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

"""##,
        "service.js": ##"""
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

"""##,
        "snippets.js": ##"""
"use strict";

/// How programs use the service, with the address and the models of this one.
function snippetsFor(model) {
    const base = location.href.replace(/[?#].*$/, "").replace(/\/$/, "");
    const needsToken = service.token !== "";
    const { host, protocol } = new URL(base);
    const name = model.name;
    const curlToken = needsToken ? ` \\\n    -H "Authorization: Bearer $TOKEN"` : "";
    const pythonToken = needsToken ? `,\n    headers={"Authorization": f"Bearer {token}"}` : "";
    const image = model.inputs?.[0]?.name ?? "image";
    const list = [
        ["curl", `curl "${base}/classify?model=${name}&top=5"${curlToken} \\\n    --data-binary @photo.jpg -H "Content-Type: image/jpeg"`],
        ["curl, many photos", `curl "${base}/classify?model=${name}"${curlToken} \\\n    -F file=@one.jpg -F file=@two.jpg`],
        ["Python", `import requests\n\nwith open("photo.jpg", "rb") as photo:\n    answer = requests.post(\n        "${base}/classify", params={"model": "${name}", "top": 5}, data=photo${pythonToken.replace("\n", "\n    ")})\nfor guess in answer.json()["predictions"]:\n    print(f"{guess['probability']:.4f}  {guess['label']}")`],
        ["Python, Open Inference Protocol", `import numpy\nimport tritonclient.http as http\n\nclient = http.InferenceServerClient("${host}"${protocol === "https:" ? ", ssl=True" : ""})\nwith open("photo.jpg", "rb") as photo:\n    images = numpy.array([photo.read()], dtype=object)\nimage = http.InferInput("${image}", images.shape, "BYTES")\nimage.set_data_from_numpy(images)\noutput = http.InferRequestedOutput("${model.outputs?.[0]?.name ?? "output"}", class_count=5)\nresult = client.infer("${name}", [image], outputs=[output]${needsToken ? ",\n    headers={\"Authorization\": f\"Bearer {token}\"}" : ""})\nprint(result.as_numpy("${model.outputs?.[0]?.name ?? "output"}"))`],
    ];
    return list.map(([title, text]) => {
        const code = make("pre", { textContent: text, tabIndex: 0 });
        return make("section", { className: "snippet" }, make("div", { className: "caption" }, make("h3", { textContent: title }), copyButton(() => text, code)), code);
    });
}

async function showSnippets() {
    const name = chosen()[0] ?? service.models[0]?.name;
    const answer = await request(`models/${encodeURIComponent(name)}`);
    const model = answer.ok ? await answer.json() : { name };
    const more = make("p", { className: "note" }, "Everything else is described in ", make("a", { href: "openapi.json", textContent: "openapi.json" }), "; figures for Prometheus are at ", make("a", { href: "metrics", textContent: "metrics" }), ".");
    openDialog(byId("snippets"), "Use the API", make("div", { className: "content" }, ...snippetsFor(model), more));
}

byId("show-snippets").addEventListener("click", showSnippets);

"""##,
        "start.js": ##"""
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

"""##,
        "openapi.json": ##"""
{
  "openapi": "3.1.0",
  "info": {
    "title": "Thaw",
    "version": "0.1.0",
    "summary": "Core ML and TensorFlow models over HTTP",
    "description": "The Open Inference Protocol (v2) with the extensions for binary tensor data and classification, and a simple way to classify images. Errors have a JSON body, except for requests that are not valid HTTP. Every GET also supports HEAD. Other methods get status 405 and the field Allow, unknown paths get 404, and a browser's CORS preflight request gets 204."
  },
  "servers": [{"url": "/"}],
  "security": [{"token": []}, {}],
  "tags": [
    {"name": "images", "description": "Images without the protocol"},
    {"name": "protocol", "description": "Open Inference Protocol, version 2"},
    {"name": "service", "description": "The service itself"}
  ],
  "paths": {
    "/classify": {
      "post": {
        "tags": ["images"],
        "summary": "Classify images",
        "operationId": "classify",
        "description": "The body is an image, or a form with one or more files. One image gives the object that `thaw classify --format json` prints. Several images give status 200 and one line each, including errors.",
        "parameters": [
          {
            "name": "model",
            "in": "query",
            "schema": {"type": "string"},
            "description": "The name of the model. It may be omitted if only one model classifies images."
          },
          {
            "name": "top",
            "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 5},
            "description": "The number of labels."
          },
          {
            "name": "crop",
            "in": "query",
            "schema": {"type": "string"},
            "description": "How the image is fitted to the network's size: fill, center, center:F or fit."
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "image/*": {"schema": {"type": "string", "contentMediaType": "image/*"}},
            "application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}},
            "multipart/form-data": {
              "schema": {
                "type": "object",
                "properties": {
                  "file": {"type": "array", "items": {"type": "string", "contentMediaType": "application/octet-stream"}}
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The labels, in descending order of probability.",
            "headers": {
              "Server-Timing": {"$ref": "#/components/headers/Server-Timing"},
              "Thaw-Warning": {"$ref": "#/components/headers/Thaw-Warning"}
            },
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Classification"}},
              "application/x-ndjson": {"schema": {"type": "string"}}
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest", "description": "The request is invalid, or the image is corrupt."},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge", "description": "The body, an image, the form or the response is too large."},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "415": {"$ref": "#/components/responses/UnsupportedType"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "499": {"$ref": "#/components/responses/ClientClosed"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2": {
      "get": {
        "tags": ["protocol"],
        "summary": "Metadata of the server",
        "operationId": "serverMetadata",
        "parameters": [],
        "responses": {
          "200": {
            "description": "The name, the version and the extensions of the protocol.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Server"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2/health/live": {
      "get": {
        "tags": ["protocol"],
        "summary": "Whether the server is running",
        "operationId": "live",
        "parameters": [],
        "responses": {
          "200": {
            "description": "It is running.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Live"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        },
        "security": []
      }
    },
    "/v2/health/ready": {
      "get": {
        "tags": ["protocol"],
        "summary": "Whether the server is ready for requests",
        "operationId": "ready",
        "parameters": [],
        "responses": {
          "200": {
            "description": "It is ready.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ready"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        },
        "security": []
      }
    },
    "/v2/models/{model}": {
      "get": {
        "tags": ["protocol"],
        "summary": "Metadata of a model",
        "operationId": "modelMetadata",
        "parameters": [{"$ref": "#/components/parameters/Model"}],
        "responses": {
          "200": {
            "description": "The inputs and outputs.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Model"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2/models/{model}/versions/{version}": {
      "get": {
        "tags": ["protocol"],
        "summary": "Metadata of a version of a model",
        "operationId": "versionMetadata",
        "parameters": [{"$ref": "#/components/parameters/Model"}, {"$ref": "#/components/parameters/Version"}],
        "responses": {
          "200": {
            "description": "The inputs and outputs.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Model"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2/models/{model}/ready": {
      "get": {
        "tags": ["protocol"],
        "summary": "Whether a model is ready",
        "operationId": "modelReady",
        "parameters": [{"$ref": "#/components/parameters/Model"}],
        "responses": {
          "200": {
            "description": "It is ready.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ModelReady"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2/models/{model}/versions/{version}/ready": {
      "get": {
        "tags": ["protocol"],
        "summary": "Whether a version of a model is ready",
        "operationId": "versionReady",
        "parameters": [{"$ref": "#/components/parameters/Model"}, {"$ref": "#/components/parameters/Version"}],
        "responses": {
          "200": {
            "description": "It is ready.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ModelReady"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2/models/{model}/infer": {
      "post": {
        "tags": ["protocol"],
        "summary": "Run a model",
        "operationId": "infer",
        "parameters": [{"$ref": "#/components/parameters/Model"}, {"$ref": "#/components/parameters/HeaderLength"}],
        "requestBody": {"$ref": "#/components/requestBodies/Inference"},
        "responses": {
          "200": {"$ref": "#/components/responses/Inference"},
          "400": {
            "$ref": "#/components/responses/BadRequest",
            "description": "The request is invalid or does not match the model, or an image is corrupt."
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {
            "$ref": "#/components/responses/TooLarge",
            "description": "The body, an image, the batch or the outputs are too large."
          },
          "414": {"$ref": "#/components/responses/URITooLong"},
          "415": {"$ref": "#/components/responses/UnsupportedType"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "499": {"$ref": "#/components/responses/ClientClosed"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/v2/models/{model}/versions/{version}/infer": {
      "post": {
        "tags": ["protocol"],
        "summary": "Run a model",
        "operationId": "inferVersion",
        "parameters": [
          {"$ref": "#/components/parameters/Model"},
          {"$ref": "#/components/parameters/Version"},
          {"$ref": "#/components/parameters/HeaderLength"}
        ],
        "requestBody": {"$ref": "#/components/requestBodies/Inference"},
        "responses": {
          "200": {"$ref": "#/components/responses/Inference"},
          "400": {
            "$ref": "#/components/responses/BadRequest",
            "description": "The request is invalid or does not match the model, or an image is corrupt."
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {
            "$ref": "#/components/responses/TooLarge",
            "description": "The body, an image, the batch or the outputs are too large."
          },
          "414": {"$ref": "#/components/responses/URITooLong"},
          "415": {"$ref": "#/components/responses/UnsupportedType"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "499": {"$ref": "#/components/responses/ClientClosed"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/models": {
      "get": {
        "tags": ["service"],
        "summary": "The models",
        "operationId": "models",
        "parameters": [],
        "responses": {
          "200": {
            "description": "A summary of each model.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Models"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/models/{model}": {
      "get": {
        "tags": ["service"],
        "summary": "Everything about a model",
        "operationId": "modelDetails",
        "parameters": [{"$ref": "#/components/parameters/Model"}],
        "responses": {
          "200": {
            "description": "Inputs, outputs, preprocessing, layers, labels.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ModelDetails"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/models/{model}/graph.svg": {
      "get": {
        "tags": ["service"],
        "summary": "A drawing of the network",
        "operationId": "drawing",
        "parameters": [{"$ref": "#/components/parameters/Model"}],
        "responses": {
          "200": {
            "description": "The drawing.",
            "headers": {"Server-Timing": {"$ref": "#/components/headers/Server-Timing"}},
            "content": {"image/svg+xml": {"schema": {"type": "string"}}}
          },
          "400": {
            "$ref": "#/components/responses/BadRequest",
            "description": "The request is invalid, or the model is a pipeline (unsupportedModel): only networks can be drawn."
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "499": {"$ref": "#/components/responses/ClientClosed"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {
            "$ref": "#/components/responses/NotImplemented",
            "description": "Graphviz is not installed on the server, or the transfer encoding is not supported."
          },
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/metrics": {
      "get": {
        "tags": ["service"],
        "summary": "Metrics for Prometheus",
        "operationId": "metrics",
        "parameters": [],
        "responses": {
          "200": {"description": "Prometheus' text format.", "content": {"text/plain": {"schema": {"type": "string"}}}},
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/openapi.json": {
      "get": {
        "tags": ["service"],
        "summary": "This description",
        "operationId": "openapi",
        "parameters": [],
        "responses": {
          "200": {"description": "OpenAPI 3.1.", "content": {"application/json": {"schema": {"type": "object"}}}},
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        }
      }
    },
    "/": {
      "get": {
        "tags": ["service"],
        "summary": "The page for people",
        "operationId": "page",
        "parameters": [],
        "responses": {
          "200": {
            "description": "A page on which photos can be dropped.",
            "content": {"text/html": {"schema": {"type": "string"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "431": {"$ref": "#/components/responses/HeaderTooLarge"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/UnsupportedVersion"}
        },
        "security": []
      }
    }
  },
  "components": {
    "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    "parameters": {
      "Model": {
        "name": "model",
        "in": "path",
        "required": true,
        "schema": {"type": "string"},
        "description": "The name of the model, as given on the command line."
      },
      "Version": {
        "name": "version",
        "in": "path",
        "required": true,
        "schema": {"type": "string", "enum": ["1"]},
        "description": "The only version is 1."
      },
      "HeaderLength": {
        "name": "Inference-Header-Content-Length",
        "in": "header",
        "schema": {"type": "integer", "minimum": 1},
        "description": "The length of the JSON that precedes binary tensor data."
      }
    },
    "requestBodies": {
      "Inference": {
        "required": true,
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/InferRequest"}},
          "application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}
        }
      }
    },
    "headers": {
      "Inference-Header-Content-Length": {
        "schema": {"type": "integer"},
        "description": "The length of the JSON that precedes the data. It is present if an output is binary."
      },
      "Server-Timing": {
        "required": true,
        "schema": {"type": "string"},
        "description": "Milliseconds in the queue (wait), for decoding (decode) and in the network (compute)."
      },
      "Thaw-Warning": {"schema": {"type": "string"}, "description": "The problems of images that could still be read."}
    },
    "responses": {
      "Inference": {
        "description": "The outputs. With binary outputs, the type is application/octet-stream.",
        "headers": {
          "Inference-Header-Content-Length": {"$ref": "#/components/headers/Inference-Header-Content-Length"},
          "Server-Timing": {"$ref": "#/components/headers/Server-Timing"},
          "Thaw-Warning": {"$ref": "#/components/headers/Thaw-Warning"}
        },
        "content": {
          "application/json": {"schema": {"$ref": "#/components/schemas/InferResponse"}},
          "application/octet-stream": {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}
        }
      },
      "BadRequest": {
        "description": "The request is invalid.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "Unauthorized": {
        "description": "The token is missing or wrong.",
        "headers": {
          "WWW-Authenticate": {"required": true, "schema": {"type": "string"}, "description": "Bearer, the scheme to use."}
        },
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "Forbidden": {
        "description": "The Host or Origin is not allowed.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "NotFound": {
        "description": "There is no model or version of this name.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "RequestTimeout": {
        "description": "The header or the body took too long.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "TooLarge": {
        "description": "The body is too large.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "URITooLong": {"description": "The path and the query are too long. The body is not JSON."},
      "UnsupportedType": {
        "description": "The file is not an image of a supported format, or the content encoding is not supported.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "HeaderTooLarge": {"description": "The header is too long. The body is not JSON."},
      "ClientClosed": {"description": "The client closed its side of the connection before the work was done. There is no body."},
      "InternalError": {
        "description": "Graphviz failed, or took longer than a minute.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "NotImplemented": {
        "description": "The transfer encoding is not supported.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "Unavailable": {
        "description": "The service is busy or shutting down.",
        "headers": {"Retry-After": {"required": true, "schema": {"type": "integer"}, "description": "Seconds to wait."}},
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
      },
      "UnsupportedVersion": {"description": "The version of HTTP is not supported. The body is not JSON."}
    },
    "schemas": {
      "Error": {
        "type": "object",
        "required": ["error", "code"],
        "properties": {"error": {"type": "string"}, "code": {"type": "string"}}
      },
      "Classification": {
        "type": "object",
        "required": ["image", "predictions"],
        "properties": {
          "image": {"type": ["string", "null"]},
          "warning": {"type": "string"},
          "predictions": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["label", "index", "probability"],
              "properties": {
                "label": {"type": "string"},
                "index": {"type": "integer"},
                "probability": {"type": ["number", "null"]}
              }
            }
          }
        }
      },
      "Server": {
        "type": "object",
        "required": ["name", "version", "extensions"],
        "properties": {
          "name": {"type": "string"},
          "version": {"type": "string"},
          "extensions": {"type": "array", "items": {"type": "string"}}
        }
      },
      "Live": {"type": "object", "required": ["live"], "properties": {"live": {"type": "boolean"}}},
      "Ready": {"type": "object", "required": ["ready"], "properties": {"ready": {"type": "boolean"}}},
      "ModelReady": {
        "type": "object",
        "required": ["name", "ready"],
        "properties": {"name": {"type": "string"}, "ready": {"type": "boolean"}}
      },
      "Port": {
        "type": "object",
        "required": ["name", "datatype", "shape"],
        "properties": {
          "name": {"type": "string"},
          "datatype": {"$ref": "#/components/schemas/DataType"},
          "shape": {"type": "array", "items": {"type": "integer"}, "description": "The size of each axis; -1 means any size."}
        }
      },
      "DataType": {
        "type": "string",
        "enum": [
          "BOOL",
          "UINT8",
          "UINT16",
          "UINT32",
          "UINT64",
          "INT8",
          "INT16",
          "INT32",
          "INT64",
          "FP16",
          "FP32",
          "FP64",
          "BYTES"
        ]
      },
      "Model": {
        "type": "object",
        "required": ["name", "versions", "platform", "inputs", "outputs"],
        "properties": {
          "name": {"type": "string"},
          "versions": {"type": "array", "items": {"type": "string"}},
          "platform": {"type": "string"},
          "inputs": {"type": "array", "items": {"$ref": "#/components/schemas/Port"}},
          "outputs": {"type": "array", "items": {"$ref": "#/components/schemas/Port"}}
        }
      },
      "Models": {
        "type": "object",
        "required": ["version", "models"],
        "properties": {
          "version": {"type": "string", "description": "The version of the service."},
          "models": {"type": "array", "items": {"$ref": "#/components/schemas/ModelSummary"}}
        }
      },
      "ModelSummary": {
        "type": "object",
        "required": ["name", "file", "classifies", "classes", "hasLabels", "independentLabels", "parameters", "multiplyAdds"],
        "properties": {
          "name": {"type": "string"},
          "file": {"type": "string", "description": "The name of the file, without its folder."},
          "classifies": {"type": "boolean", "description": "Whether /classify supports the model."},
          "classes": {
            "type": "integer",
            "description": "The number of classes; without classes, the size of a network's first output."
          },
          "hasLabels": {"type": "boolean", "description": "Whether the classes have labels."},
          "independentLabels": {
            "type": "boolean",
            "description": "Whether the labels are independent, so that their probabilities need not add up to 1."
          },
          "width": {"type": "integer", "description": "The width of the image, if the model classifies images."},
          "height": {"type": "integer", "description": "The height of the image, if the model classifies images."},
          "color": {
            "type": "string",
            "enum": ["rgb", "bgr", "gray"],
            "description": "The color layout of the image, if the model classifies images."
          },
          "parameters": {"type": "integer", "description": "The number of parameters."},
          "multiplyAdds": {"type": "integer", "description": "The number of multiply-adds of a run."}
        }
      },
      "ModelDetails": {
        "allOf": [
          {"$ref": "#/components/schemas/ModelSummary"},
          {
            "type": "object",
            "required": ["inputs", "outputs", "preprocessing", "warnings", "layers", "metadata", "labels"],
            "properties": {
              "inputs": {"type": "array", "items": {"$ref": "#/components/schemas/DetailedPort"}},
              "outputs": {"type": "array", "items": {"$ref": "#/components/schemas/DetailedPort"}},
              "preprocessing": {
                "type": "array",
                "items": {"type": "string"},
                "description": "A formula for each channel of an image."
              },
              "warnings": {"type": "array", "items": {"type": "string"}, "description": "Notes and warnings of the conversion."},
              "layers": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["kind", "count"],
                  "properties": {"kind": {"type": "string"}, "count": {"type": "integer"}}
                },
                "description": "The kinds of layers of a network, or of stages of a pipeline."
              },
              "metadata": {
                "type": "object",
                "properties": {
                  "description": {"type": "string"},
                  "author": {"type": "string"},
                  "license": {"type": "string"},
                  "version": {"type": "string"}
                }
              },
              "labels": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The labels of the classes; empty without labels."
              }
            }
          }
        ]
      },
      "DetailedPort": {
        "allOf": [
          {"$ref": "#/components/schemas/Port"},
          {
            "type": "object",
            "required": ["image"],
            "properties": {"image": {"type": "boolean", "description": "Whether it is an image."}}
          }
        ]
      },
      "InferRequest": {
        "type": "object",
        "required": ["inputs"],
        "properties": {
          "id": {"type": "string"},
          "parameters": {"type": "object", "properties": {"binary_data_output": {"type": "boolean"}}},
          "inputs": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["name", "datatype", "shape"],
              "properties": {
                "name": {"type": "string"},
                "datatype": {"$ref": "#/components/schemas/DataType"},
                "shape": {"type": "array", "items": {"type": "integer"}},
                "data": {"type": "array"},
                "parameters": {
                  "type": "object",
                  "properties": {"binary_data_size": {"type": "integer"}, "content_type": {"type": "string", "enum": ["base64"]}}
                }
              }
            }
          },
          "outputs": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["name"],
              "properties": {
                "name": {"type": "string"},
                "parameters": {
                  "type": "object",
                  "properties": {"binary_data": {"type": "boolean"}, "classification": {"type": "integer"}}
                }
              }
            }
          }
        }
      },
      "InferResponse": {
        "type": "object",
        "required": ["model_name", "model_version", "outputs"],
        "properties": {
          "model_name": {"type": "string"},
          "model_version": {"type": "string"},
          "id": {"type": "string"},
          "outputs": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["name", "datatype", "shape"],
              "properties": {
                "name": {"type": "string"},
                "datatype": {"$ref": "#/components/schemas/DataType"},
                "shape": {"type": "array", "items": {"type": "integer"}},
                "data": {"type": "array"},
                "parameters": {"type": "object", "properties": {"binary_data_size": {"type": "integer"}}}
              }
            }
          }
        }
      }
    }
  }
}

"""##,
    ]
}
