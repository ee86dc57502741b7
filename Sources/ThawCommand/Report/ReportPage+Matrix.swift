extension ReportPage {
    /// Who is taken for whom: a table for few classes, a picture for many.
    static let matrix = #"""

        // Paints now and whenever the colours change.
        function painted(paint) {
          paint();
          matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
        }

        // The colour of a share, from the card's towards the ice's, with black or white on it, whichever is read better.
        function shades() {
          const style = getComputedStyle(document.documentElement);
          const channels = name => style.getPropertyValue(name).match(/[0-9a-f]{2}/gi).map(pair => parseInt(pair, 16));
          const card = channels("--card"), ice = channels("--ice");
          const linear = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
          return share => {
            const part = 0.08 + 0.92 * Math.sqrt(share);
            const color = card.map((from, place) => Math.round(from + part * (ice[place] - from)));
            const [r, g, b] = color.map(linear), luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
            // Where both have a contrast of 4.58 (WCAG 2.2): (luminance + 0.05) / 0.05 = 1.05 / (luminance + 0.05).
            return { background: `rgb(${color})`, color: luminance > 0.179 ? "#000" : "#fff" };
          };
        }

        // Makes a table one stop of the keyboard: the arrow keys go from cell to cell, Enter and Space click.
        function walk(body) {
          const stop = cell => {
            body.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
            cell.setAttribute("tabindex", 0);
          };
          const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
          body.addEventListener("focusin", event => stop(event.target));
          body.addEventListener("keydown", event => {
            const cell = event.target, step = steps[event.key];
            if (step) {
              const next = body.rows[cell.parentElement.sectionRowIndex + step[0]]?.cells[cell.cellIndex + step[1]];
              if (next?.hasAttribute("tabindex")) next.focus();
            } else if (event.key === "Enter" || event.key === " ") {
              cell.click();
            } else {
              return;
            }
            event.preventDefault();
          });
          return () => stop(body.querySelector("[tabindex]"));
        }

        // As wide as so many letters: East Asian ones and emoji are wide.
        const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]|\p{Emoji_Presentation}/u;
        const breadth = text => [...text].reduce((sum, mark) => sum + (wide.test(mark) ? 2 : 1), 0);
        function short(name) {
          if (breadth(name) <= 14) return name;
          let text = "";
          for (const mark of name) {
            if (breadth(text + mark) > 13) break;
            text += mark;
          }
          return text + "…";
        }
        const said = (row, column, count) => `${row.label} taken for ${column.label}: ${number(count)}`
          + (row.images ? ` of ${number(row.images)} (${percent(count / row.images)})` : "");

        function matrix(used) {
          const cells = new Map(summary.confusion.map(([truth, best, count]) => [truth + ":" + best, count]));
          const colored = [], body = make("tbody", {});
          for (const row of used) {
            body.append(make("tr", {}, make("th", { title: row.label, scope: "row" }, row.label), ...used.map(column => {
              const count = cells.get(row.index + ":" + column.index) || 0, words = said(row, column, count);
              const cell = make("td", { class: count ? "" : "empty", title: words, "aria-label": words, tabindex: -1,
                id: `cell-${row.index}-${column.index}`, onclick: () => show({ truth: row.index, best: column.index }) }, String(count));
              if (count) colored.push([cell, count / row.images]);
              return cell;
            })));
          }
          painted(() => {
            const shade = shades();
            for (const [cell, share] of colored) Object.assign(cell.style, shade(share));
          });
          walk(body)();
          const longest = Math.max(...used.map(one => breadth(short(one.label))));
          return make("table", { class: "matrix", role: "grid", "aria-label": "Who is taken for whom",
            style: `--heading:${Math.min(92, 30 + 5.3 * longest)}px` },
            make("thead", {}, make("tr", {}, make("th", {}), ...used.map(one => make("th", { scope: "col" }, make("span", {}, short(one.label)))))),
            body);
        }

        // Many classes: a picture with a square for each pair.
        function picture(used) {
          const place = new Map(used.map((one, index) => [one.index, index]));
          const pairs = summary.confusion.map(([truth, best, count]) => ({ y: place.get(truth), x: place.get(best), count }));
          const size = Math.max(1, Math.floor(Math.min(1080, innerWidth - 100) / used.length)), side = size * used.length;
          const canvas = make("canvas", { width: side, height: side, role: "img", tabindex: 0, "aria-label":
            `Who is taken for whom, of ${number(used.length)} classes. The arrow keys go from pair to pair, Enter shows the photographs.` });
          const line = make("p", { class: "chosen", role: "status" }, "A tap, or the arrow keys, choose a pair of classes.");
          const tip = make("div", { class: "tip" });
          document.body.append(tip);
          let chosen = null;
          const paint = () => {
            const style = getComputedStyle(document.documentElement), context = canvas.getContext("2d");
            const fill = (name, alpha, ...box) => {
              context.fillStyle = style.getPropertyValue(name);
              context.globalAlpha = alpha;
              context.fillRect(...box);
            };
            fill("--ground", 1, 0, 0, side, side);
            for (const { x, y, count } of pairs) fill("--ice", 0.15 + 0.85 * Math.sqrt(count / used[y].images), x * size, y * size, size, size);
            if (!chosen) return;
            context.globalAlpha = 1;
            context.lineWidth = 2;
            context.strokeStyle = style.getPropertyValue("--text");
            context.strokeRect(chosen.x * size - 3, chosen.y * size - 3, size + 6, size + 6);
          };
          painted(paint);
          const words = pair => said(used[pair.y], used[pair.x], pair.count);
          const open = pair => show({ truth: used[pair.y].index, best: used[pair.x].index });
          const pick = pair => {
            chosen = pair;
            paint();
            line.replaceChildren(words(pair) + " ", make("button", { class: "link", type: "button", onclick: () => open(pair) }, "Show"));
          };
          // The pair that is meant: squares may be smaller than what a finger or a mouse can hit.
          const at = event => {
            const box = canvas.getBoundingClientRect(), scale = used.length / box.width;
            const x = (event.clientX - box.left) * scale - 0.5, y = (event.clientY - box.top) * scale - 0.5;
            const far = pair => Math.hypot(pair.x - x, pair.y - y);
            return pairs.reduce((near, pair) => far(pair) < far(near) ? pair : near);
          };
          canvas.addEventListener("pointermove", event => {
            if (event.pointerType === "touch") return;
            tip.textContent = words(at(event));
            Object.assign(tip.style, { display: "block", left: Math.min(event.clientX + 14, innerWidth - 290) + "px", top: event.clientY + 16 + "px" });
          });
          canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
          canvas.addEventListener("click", event => {
            const pair = at(event);
            pick(pair);
            // A finger has not seen yet which one it would be.
            if (event.pointerType !== "touch") open(pair);
          });
          canvas.addEventListener("focus", () => { if (!chosen && canvas.matches(":focus-visible")) pick(pairs[0]); });
          canvas.addEventListener("keydown", event => {
            const now = pairs.indexOf(chosen);
            const steps = {
              ArrowRight: () => pairs[now + 1], ArrowDown: () => pairs.find(pair => pair.y > (chosen ? chosen.y : -1)),
              ArrowLeft: () => pairs[now - 1], ArrowUp: () => pairs.findLast(pair => chosen && pair.y < chosen.y),
            };
            if (event.key === "Enter" || event.key === " ") { if (chosen) open(chosen); }
            else if (steps[event.key]) pick(steps[event.key]() ?? chosen ?? pairs[0]);
            else return;
            event.preventDefault();
          });
          return make("div", {}, make("div", { class: "pairs" }, make("span", { class: "across" }, "taken for →"),
            make("span", { class: "down" }, "← is"), canvas), line);
        }

        """#
}
