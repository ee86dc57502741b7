extension ReportPage {
    /// The gallery: rows that can be sorted and filtered, of which only those in sight exist as elements.
    static let program = #"""

        "use strict";
        const read = id => JSON.parse(document.getElementById(id).textContent);
        const page = read("page"), summary = page.summary;
        const rows = read("rows").map((r, place) => ({
          place, path: r[0], photo: r[1], said: r[2], truth: r[3], error: r[4],
          best: r[2].length ? r[2][0][0] : -1, sure: r[2].length ? r[2][0][1] : -1,
        }));
        const label = index => page.labels ? page.labels[index] : String(index);
        const percent = (share, digits = 1) => share === null || isNaN(share) ? "–" : (100 * share).toFixed(digits) + " %";
        const number = n => n.toLocaleString("en");
        const main = document.getElementById("main");

        // Builds an element; what is text stays text, whatever is in it.
        function make(name, attributes, ...children) {
          const element = document.createElement(name);
          for (const [key, value] of Object.entries(attributes || {})) {
            if (key === "class") element.className = value;
            else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
            else element.setAttribute(key, value);
          }
          element.append(...children.filter(child => child !== null && child !== undefined));
          return element;
        }

        const filter = { text: "", label: "", least: 0, kind: "all", truth: -1, best: -1, sort: "order" };
        const sorts = {
          order: ["In order", (a, b) => a.place - b.place],
          sure: ["Surest first", (a, b) => b.sure - a.sure || a.place - b.place],
          unsure: ["Least sure first", (a, b) => a.sure - b.sure || a.place - b.place],
          label: ["By label", (a, b) => label(a.best).localeCompare(label(b.best)) || b.sure - a.sure],
          file: ["By file", (a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0],
        };
        let shown = rows, grid, stage, counter, controls = {};

        function choose() {
          const text = filter.text.toLowerCase(), wanted = filter.label === "" ? -1 : Number(filter.label);
          shown = rows.filter(row =>
            (!text || row.path.toLowerCase().includes(text) || row.said.length && label(row.best).toLowerCase().includes(text))
            && (wanted < 0 || row.best === wanted || summary && row.truth === wanted)
            && (row.sure >= filter.least || filter.least === 0)
            && (filter.truth < 0 || row.truth === filter.truth) && (filter.best < 0 || row.best === filter.best)
            && (filter.kind === "all" || filter.kind === "failed" && row.error !== ""
              || filter.kind === "right" && row.error === "" && row.best === row.truth
              || filter.kind === "wrong" && row.error === "" && row.best !== row.truth));
          shown.sort(sorts[filter.sort][1]);
          counter.textContent = shown.length === rows.length ? number(rows.length) + " photographs"
            : number(shown.length) + " of " + number(rows.length);
          layout();
        }

        const height = 140;  // A card and the gap below it.
        let columns = 1, drawn = "";
        function layout() {
          columns = Math.max(1, Math.floor((grid.clientWidth + 12) / 372));
          stage.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
          grid.style.height = Math.max(1, Math.ceil(shown.length / columns)) * height + "px";
          drawn = "";
          draw();
        }
        function draw() {
          const top = -grid.getBoundingClientRect().top, ahead = 3;
          const first = Math.max(0, Math.floor(top / height) - ahead);
          const last = Math.ceil((top + innerHeight) / height) + ahead;
          const key = first + ":" + last;
          if (key === drawn) return;
          drawn = key;
          stage.style.transform = `translateY(${first * height}px)`;
          stage.replaceChildren(...shown.slice(first * columns, last * columns).map(card));
          if (!shown.length) stage.replaceChildren(make("div", { class: "none" }, "No photograph is like that."));
        }

        function card(row) {
          const photo = row.photo
            ? make("img", { src: "data:image/jpeg;base64," + row.photo, alt: "", loading: "lazy" })
            : row.error ? "unreadable" : "no preview";
          // The name's end tells most; the mark keeps its beginning from being turned round.
          const file = make("div", { class: "file", title: row.path }, "\u200e" + row.path);
          if (row.error) {
            return make("div", { class: "card" }, make("div", { class: "photo" }, photo),
              make("div", { class: "said" }, file, make("div", { class: "error" }, row.error)));
          }
          const isJudged = row.truth >= 0, isRight = row.best === row.truth;
          const best = make("div", { class: "best" + (isJudged ? isRight ? " right" : " wrong" : ""), title: label(row.best) },
            label(row.best), isJudged && !isRight ? make("span", { class: "truth" }, " – is " + label(row.truth)) : null);
          const lines = row.said.slice(0, 3).map(([index, share]) =>
            make("div", { class: "line" + (isJudged && index === row.truth ? " is" : "") },
              make("span", { title: label(index) }, label(index)),
              make("div", { class: "track" },
                make("u", {}, make("i", { style: `width:${Math.max(0, Math.min(100, 100 * share))}%` })),
                make("em", {}, percent(share)))));
          return make("div", { class: "card" }, make("div", { class: "photo" }, photo),
            make("div", { class: "said" }, file, best, make("div", { class: "lines" }, ...lines)));
        }

        function toolbar() {
          const counts = new Map();
          for (const row of rows) if (row.best >= 0) counts.set(row.best, (counts.get(row.best) || 0) + 1);
          const options = [...counts].sort((a, b) => label(a[0]).localeCompare(label(b[0])))
            .map(([index, count]) => make("option", { value: index }, `${label(index)} (${number(count)})`));
          const output = make("output", {}, "0 %");
          const kinds = summary ? ["all", "wrong", "right"] : ["all"];
          if (rows.some(row => row.error)) kinds.push("failed");
          controls.search = make("input", { type: "search", placeholder: "Search files and labels", "aria-label": "Search",
            oninput: event => { filter.text = event.target.value; choose(); } });
          controls.label = make("select", { "aria-label": "Label", onchange: event => { filter.label = event.target.value; choose(); } },
            make("option", { value: "" }, "All labels"), ...options);
          controls.sort = make("select", { "aria-label": "Order", onchange: event => { filter.sort = event.target.value; choose(); } },
            ...Object.entries(sorts).map(([key, [name]]) => make("option", { value: key }, name)));
          controls.kinds = kinds.map(kind => make("button", { "aria-pressed": kind === filter.kind, type: "button",
            onclick: () => { filter.kind = kind; filter.truth = filter.best = -1; press(); choose(); } },
            { all: "All", wrong: "Mistakes", right: "Right", failed: "Unreadable" }[kind]));
          controls.names = kinds;
          return make("div", { class: "bar" }, controls.search,
            kinds.length > 1 ? make("div", { class: "chips" }, ...controls.kinds) : null, controls.label, controls.sort,
            make("label", { class: "range" }, "at least", make("input", { type: "range", min: 0, max: 100, value: 0,
              "aria-label": "Confidence", oninput: event => {
                filter.least = event.target.value / 100; output.textContent = event.target.value + " %"; choose(); } }), output),
            counter = make("span", { class: "count" }));
        }
        function press() {
          controls.kinds.forEach((button, place) => button.setAttribute("aria-pressed", controls.names[place] === filter.kind));
          controls.sort.value = filter.sort;
          controls.label.value = filter.label;
          controls.search.value = filter.text;
        }

        // Shows the photographs of one class, or of one cell of the matrix.
        function show(truth, best) {
          Object.assign(filter, { truth, best, kind: "all", label: "", text: "", sort: "sure" });
          press();
          choose();
          document.querySelector(".bar").scrollIntoView({ behavior: "smooth" });
        }

        function start() {
          document.title = page.title + " – Thaw";
          main.append(make("div", { class: "brand" }, "Thaw"), make("h1", {}, page.title), make("p", { class: "sub" }, page.subtitle));
          if (summary) {
            filter.kind = "wrong";
            filter.sort = "sure";
            evaluation();
            main.append(make("h2", {}, "Photographs"),
              make("p", { class: "hint" }, "The mistakes that the model is surest of come first. Those often tell of a wrong label, or of two classes that share a picture."));
          }
          main.append(toolbar(), grid = make("div", { class: "grid" }, stage = make("div", { class: "window" })));
          if (summary && !rows.some(row => !row.error && row.best !== row.truth)) filter.kind = "all";
          press();
          choose();
          addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
          addEventListener("resize", layout);
        }

        """#
}
