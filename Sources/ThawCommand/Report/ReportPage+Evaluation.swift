extension ReportPage {
    /// What an evaluation has above its gallery: the numbers, calibration, the matrix, the classes.
    static let evaluation = #"""

        function tile(name, value, note, share) {
          const parts = [make("div", { class: "name" }, name), make("div", { class: "number" }, ...value)];
          if (share) {
            parts.push(make("div", { class: "span", title: "95 % confidence (Wilson)" },
              make("i", { style: `left:${100 * share.low}%;width:${100 * (share.high - share.low)}%` }),
              make("b", { style: `left:${100 * share.share}%` })));
          }
          return make("div", { class: "tile" }, ...parts, make("div", { class: "note" }, note));
        }
        function shareTile(name, share, count) {
          return tile(name, [(100 * share.share).toFixed(2), make("small", {}, " %")],
            `${number(share.right)} of ${number(count)}; between ${percent(share.low)} and ${percent(share.high)}`, share);
        }

        function evaluation() {
          const tiles = make("div", { class: "tiles" }, shareTile("Top 1", summary.top1, summary.images));
          if (summary.classes.length > 5) tiles.append(shareTile("Top 5", summary.top5, summary.images));
          const gap = summary.calibration.mean_confidence - summary.top1.share;
          tiles.append(tile("Calibration error", [(100 * summary.calibration.error).toFixed(2), make("small", {}, " %")],
            `on average ${percent(Math.abs(gap))} ${gap < 0 ? "less" : "more"} sure than right`));
          if (summary.baseline) {
            const other = summary.baseline, gain = 100 * (summary.top1.share - other.top1.share);
            const chance = other.probability_of_chance;
            tiles.append(tile("Against the baseline", [(gain < 0 ? "−" : "+") + Math.abs(gain).toFixed(2), make("small", {}, " points")],
              `${chance < 0.05 ? "More than chance" : "May be chance"} (p ${chance < 0.0001 ? "< 0.0001" : "= " + chance.toFixed(4)}): `
              + `${number(other.only_model_right)} right here only, ${number(other.only_baseline_right)} there only`));
          }
          main.append(tiles);
          if (summary.failed) main.append(make("p", { class: "sub" }, `${number(summary.failed)} photographs could not be read and do not count.`));
          const used = summary.classes.filter(one => one.images || one.predicted);
          const tip = make("div", { class: "tip" });
          document.body.append(tip);
          const matrixPart = make("section", {}, make("h2", {}, "Who is taken for whom"),
            make("p", { class: "hint" }, "A row is what the photographs show, a column what the model says. The stronger the colour, the larger a part of the row. A click shows the photographs."),
            make("div", { class: "panel" }, used.length <= 30 ? matrix(used) : picture(used, tip)));
          const curvePart = make("section", {}, make("h2", {}, "Is it as right as it is sure?"),
            make("p", { class: "hint" }, "Bars on the diagonal: yes. Below it the model claims too much, above it too little. The fainter, the fewer photographs."),
            make("div", { class: "panel" }, curve()));
          const classPart = make("section", {}, make("h2", {}, "Class by class"),
            make("p", { class: "hint" }, "A click on a heading sorts, a click on a class shows its photographs."),
            make("div", { class: "panel scroll" }, classes(used)));
          if (used.length <= 12) main.append(make("div", { class: "two" }, matrixPart, curvePart), classPart);
          else main.append(matrixPart, make("div", { class: "two" }, classPart, curvePart));
        }

        function shade(share) { return `color-mix(in oklab, var(--ice) ${Math.round(8 + 92 * Math.sqrt(share))}%, var(--card))`; }

        function matrix(used) {
          const cells = new Map(summary.confusion.map(([truth, best, count]) => [truth + ":" + best, count]));
          const table = make("table", { class: "matrix" },
            make("thead", {}, make("tr", {}, make("th", {}), ...used.map(one => make("th", {}, make("span", {}, short(one.label)))))));
          const body = make("tbody", {});
          for (const row of used) {
            body.append(make("tr", {}, make("th", { title: row.label }, row.label), ...used.map(column => {
              const count = cells.get(row.index + ":" + column.index) || 0;
              const share = row.images ? count / row.images : 0;
              const cell = make("td", { class: count ? "" : "empty", title: `${row.label} taken for ${column.label}: ${number(count)} (${percent(share)})`,
                onclick: () => {
                  for (const on of table.querySelectorAll(".on")) on.classList.remove("on");
                  cell.classList.add("on");
                  show(row.index, column.index);
                } }, count ? String(count) : "0");
              cell.style.background = count ? shade(share) : "color-mix(in oklab, var(--edge) 45%, var(--card))";
              if (share > 0.2) cell.style.color = "var(--card)";
              return cell;
            })));
          }
          table.append(body);
          return table;
        }
        const short = name => name.length > 14 ? name.slice(0, 13) + "…" : name;

        // Many classes: a picture with a square for each pair.
        function picture(used, tip) {
          const place = new Map(used.map((one, index) => [one.index, index]));
          const size = Math.max(1, Math.floor(Math.min(1100, innerWidth - 80) / used.length)), side = size * used.length;
          const canvas = make("canvas", { width: side, height: side });
          const paint = () => {
            const style = getComputedStyle(document.documentElement), context = canvas.getContext("2d");
            context.globalAlpha = 1;
            context.fillStyle = style.getPropertyValue("--ground");
            context.fillRect(0, 0, side, side);
            context.fillStyle = style.getPropertyValue("--ice");
            for (const [truth, best, count] of summary.confusion) {
              const y = place.get(truth), x = place.get(best);
              context.globalAlpha = 0.15 + 0.85 * Math.sqrt(count / used[y].images);
              context.fillRect(x * size, y * size, size, size);
            }
          };
          paint();
          matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
          const cells = new Map(summary.confusion.map(([truth, best, count]) => [truth + ":" + best, count]));
          const at = event => {
            const box = canvas.getBoundingClientRect(), scale = used.length / box.width;
            const clamp = n => Math.max(0, Math.min(used.length - 1, Math.floor(n)));
            return [used[clamp((event.clientY - box.top) * scale)], used[clamp((event.clientX - box.left) * scale)]];
          };
          canvas.addEventListener("mousemove", event => {
            const [row, column] = at(event);
            tip.textContent = `${row.label} taken for ${column.label}: ${cells.get(row.index + ":" + column.index) || 0}`;
            Object.assign(tip.style, { display: "block", left: Math.min(event.clientX + 14, innerWidth - 290) + "px", top: event.clientY + 16 + "px" });
          });
          canvas.addEventListener("mouseleave", () => { tip.style.display = "none"; });
          canvas.addEventListener("click", event => { const [row, column] = at(event); show(row.index, column.index); });
          return canvas;
        }

        function curve() {
          const ns = "http://www.w3.org/2000/svg", side = 300, left = 66, top = 10;
          const svg = document.createElementNS(ns, "svg");
          svg.setAttribute("viewBox", `0 0 ${side + left + 22} ${side + top + 44}`);
          svg.setAttribute("style", "width:100%;max-width:460px;display:block;margin:0 auto");
          svg.setAttribute("role", "img");
          svg.setAttribute("aria-label", "accuracy by confidence");
          const add = (name, attributes, text) => {
            const element = document.createElementNS(ns, name);
            for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
            if (text !== undefined) element.textContent = text;
            svg.append(element);
            return element;
          };
          const x = share => left + share * side, y = share => top + (1 - share) * side;
          for (const share of [0, 0.25, 0.5, 0.75, 1]) {
            add("line", { x1: x(0), x2: x(1), y1: y(share), y2: y(share), stroke: "var(--edge)" });
            add("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, 100 * share + " %");
            add("text", { x: x(share), y: y(0) + 18, "text-anchor": "middle" }, 100 * share + " %");
          }
          const bins = summary.calibration.bins, most = Math.max(...bins.map(bin => bin.images));
          for (const bin of bins) {
            if (!bin.images) continue;
            const bar = add("rect", { x: x(bin.from) + 1.5, width: x(bin.to) - x(bin.from) - 3, y: y(bin.right), rx: 3,
              height: Math.max(1, y(0) - y(bin.right)), fill: "var(--ice)", opacity: 0.3 + 0.7 * Math.sqrt(bin.images / most) });
            const title = document.createElementNS(ns, "title");
            title.textContent = `sure between ${percent(bin.from, 0)} and ${percent(bin.to, 0)}: ${number(bin.images)} photographs, ${percent(bin.right)} right`;
            bar.append(title);
          }
          add("line", { x1: x(0), y1: y(0), x2: x(1), y2: y(1), stroke: "var(--soft)", "stroke-dasharray": "4 4" });
          add("text", { x: x(0.5), y: y(0) + 38, "text-anchor": "middle" }, "how sure it was");
          add("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(11 ${y(0.5)}) rotate(-90)` }, "how often it was right");
          return svg;
        }

        function classes(used) {
          const worst = new Map();
          for (const [truth, best, count] of summary.confusion) {
            if (truth !== best && count > (worst.get(truth)?.[1] || 0)) worst.set(truth, [best, count]);
          }
          const shareCell = share => make("td", {}, share === null ? "–" : percent(share),
            make("span", { class: "meter" }, make("i", { style: `width:${100 * (share || 0)}%` })));
          const heads = [["Class", one => one.label], ["Photographs", one => one.images], ["Precision", one => one.precision ?? 2],
            ["Recall", one => one.recall ?? 2], ["F1", one => one.f1 ?? 2], ["Most often taken for", one => -(worst.get(one.index)?.[1] || 0)]];
          const body = make("tbody", {});
          let by = -1, down = false;
          const titles = heads.map(([name], place) => make("th", { onclick: () => sort(place) }, name));
          function sort(place) {
            down = place === by ? !down : false;
            by = place;
            const key = heads[place][1];
            const order = [...used].sort((a, b) => {
              const x = key(a), y = key(b);
              return (typeof x === "string" ? x.localeCompare(y) : x - y) * (down ? -1 : 1) || a.index - b.index;
            });
            titles.forEach((title, index) => {
              title.className = index === place ? "sorted" : "";
              title.textContent = heads[index][0] + (index === place ? down ? " ↓" : " ↑" : "");
            });
            body.replaceChildren(...order.map(one => {
              const other = worst.get(one.index);
              return make("tr", { onclick: () => show(one.index, -1) }, make("td", { title: one.label }, one.label),
                make("td", {}, number(one.images)), shareCell(one.precision), shareCell(one.recall),
                make("td", {}, one.f1 === null ? "–" : one.f1.toFixed(3)),
                make("td", {}, other ? `${label(other[0])} (${number(other[1])})` : ""));
            }));
          }
          sort(3);
          return make("table", { class: "classes" }, make("thead", {}, make("tr", {}, ...titles)), body);
        }

        start();

        """#
}
