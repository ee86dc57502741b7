/// The parts of a report's page that are the same in all.
enum ReportPage {
    /// All of the page's program, in the order that it needs.
    static let script = program + toolbar + matrix + evaluation + "start();\n"

    static let style = #"""

        :root {
          --ground: #f5f6f8; --card: #ffffff; --edge: #e3e6eb; --text: #15181e; --soft: #5a6270;
          --ice: #086c95; --ice-soft: #d8eef7; --right: #18794e; --wrong: #c4320a; --shade: 0 1px 2px #1018280d; --cast: #10182838;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0d1015; --card: #161a21; --edge: #262c37; --text: #e8ebf1; --soft: #9aa4b5;
            --ice: #5cc4ea; --ice-soft: #12323f; --right: #4cc38a; --wrong: #ff8b5e; --shade: none; --cast: #000000b0;
          }
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI",
          Roboto, "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums;
        }
        main, noscript { display: block; max-width: 1240px; margin: 0 auto; padding: 36px 24px 64px; }
        h1 { font-size: 30px; line-height: 1.15; letter-spacing: -.022em; margin: 0; font-weight: 680; }
        h2 { font-size: 18px; letter-spacing: -.01em; margin: 44px 0 4px; font-weight: 650; }
        .brand { color: var(--ice); font-size: 12px; font-weight: 680; letter-spacing: .13em; text-transform: uppercase; }
        .sub, .hint { color: var(--soft); margin: 4px 0 0; overflow-wrap: anywhere; }
        .hint { font-size: 13.5px; margin: 0 0 14px; max-width: 72ch; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 14px; margin-top: 26px; }
        .tile, .panel, .card {
          background: var(--card); border: 1px solid var(--edge); border-radius: 14px; box-shadow: var(--shade);
        }
        .tile { padding: 16px 18px 15px; }
        .tile .name { color: var(--soft); font-size: 13px; }
        .tile .number { font-size: 32px; font-weight: 660; letter-spacing: -.025em; line-height: 1.2; margin-top: 2px; }
        .tile .number small { font-size: 17px; font-weight: 560; color: var(--soft); letter-spacing: 0; }
        .tile .note { color: var(--soft); font-size: 13px; margin-top: 8px; }
        .span { position: relative; height: 6px; border-radius: 3px; background: var(--edge); margin-top: 10px; }
        .span i { position: absolute; top: 0; bottom: 0; border-radius: 3px; background: var(--ice); opacity: .45; min-width: 3px; }
        .span b { position: absolute; top: -3px; width: 3px; height: 12px; border-radius: 2px; background: var(--ice); margin-left: -1px; }
        .verdict { margin: 18px 0 0; max-width: 90ch; overflow-wrap: anywhere; }
        .link { font: inherit; color: var(--ice); background: none; border: 0; padding: 0; text-decoration: underline; cursor: pointer; }
        :focus-visible { outline: 2px solid var(--ice); outline-offset: 1px; }
        .panel { padding: 18px; overflow: auto; }
        .two { display: grid; grid-template-columns: minmax(0, 1.6fr) minmax(0, 1fr); gap: 28px; }
        .two > * { min-width: 0; }
        /* The shadows lie still and are covered where the table has come to its end: they say where it goes on. */
        .scroll {
          max-height: 460px; padding: 0; background-color: var(--card);
          background-image: linear-gradient(to right, var(--card) 40%, transparent), linear-gradient(to left, var(--card) 40%, transparent),
            linear-gradient(to right, var(--cast), transparent), linear-gradient(to left, var(--cast), transparent);
          background-position: 0 0, 100% 0, 0 0, 100% 0; background-repeat: no-repeat; background-size: 48px 100%, 48px 100%, 16px 100%, 16px 100%;
          background-attachment: local, local, scroll, scroll;
        }

        table.classes { border-collapse: collapse; width: 100%; font-size: 14px; }
        .classes th, .classes td { text-align: right; padding: 7px 8px; white-space: nowrap; }
        .classes th:first-child, .classes td:first-child { text-align: left; padding-left: 18px; }
        .classes td:first-child, .classes td:last-child { max-width: 152px; overflow: hidden; text-overflow: ellipsis; }
        .classes th:last-child, .classes td:last-child { text-align: left; padding-right: 18px; }
        .classes thead th {
          position: sticky; top: 0; background: var(--card); color: var(--soft); font-size: 12.5px; font-weight: 560;
          border-bottom: 1px solid var(--edge); user-select: none; z-index: 1;
        }
        .classes thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
        .classes thead i { font-style: normal; }
        .classes thead [aria-sort$=ending] { color: var(--text); }
        .classes td:focus-visible { outline-offset: -3px; border-radius: 8px; }
        .classes tbody tr { border-top: 1px solid var(--edge); cursor: pointer; }
        .classes tbody tr:first-child { border-top: 0; }
        .classes tbody tr:hover { background: var(--ice-soft); }
        .meter { display: inline-block; vertical-align: 1px; width: 28px; height: 5px; border-radius: 3px; background: var(--edge); margin-left: 8px; }
        .meter i { display: block; height: 100%; border-radius: 3px; background: var(--ice); }

        .matrix { border-collapse: separate; border-spacing: 2px; font-size: 13px; margin: 0 auto; }
        .matrix th { font-weight: 500; color: var(--soft); white-space: nowrap; padding: 0 8px; text-align: right; max-width: 150px; overflow: hidden; text-overflow: ellipsis; }
        .matrix thead th { height: var(--heading); vertical-align: bottom; padding: 0; text-align: left; max-width: none; overflow: visible; }
        .matrix thead th span { display: block; width: 20px; margin: 0 auto; white-space: nowrap; transform: translateX(8px) rotate(-55deg); transform-origin: 0 100%; }
        .matrix td { width: 46px; min-width: 34px; height: 34px; text-align: center; border-radius: 6px; cursor: pointer; }
        .matrix td:hover, .matrix td:focus-visible, .matrix td.on { outline: 2px solid var(--text); outline-offset: 0; }
        .matrix td.empty { color: transparent; background: color-mix(in oklab, var(--edge) 45%, var(--card)); }
        .pairs { display: grid; grid-template-columns: max-content minmax(0, max-content); justify-content: center; gap: 6px; color: var(--soft); font-size: 13px; }
        .across { grid-column: 2; }
        .down { writing-mode: vertical-rl; transform: rotate(180deg); text-align: right; white-space: nowrap; }
        .chosen { margin: 10px 0 0; text-align: center; min-height: 3em; color: var(--text); font-size: 14px; }
        canvas { display: block; margin: 0 auto; image-rendering: pixelated; cursor: crosshair; border-radius: 4px; max-width: 100%; touch-action: manipulation; }
        .tip {
          position: fixed; pointer-events: none; z-index: 9; background: var(--text); color: var(--ground); padding: 5px 9px;
          border-radius: 7px; font-size: 13px; max-width: 280px; display: none;
        }
        svg text { fill: var(--soft); font-size: 12px; }

        .bar {
          position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; gap: 10px; align-items: center;
          background: var(--ground); padding: 12px 0; margin-top: 10px;
        }
        .bar input, .bar select, .bar button {
          font: inherit; font-size: 14px; color: var(--text); background: var(--card); border: 1px solid var(--edge);
          border-radius: 9px; height: 36px; padding: 0 11px; min-width: 0;
        }
        .bar input[type=search] { flex: 1 1 200px; }
        .bar select { max-width: 220px; }
        .bar .range { display: flex; align-items: center; gap: 8px; color: var(--soft); font-size: 14px; }
        .bar .range input { padding: 0; width: 110px; height: 20px; border: 0; background: none; accent-color: var(--ice); }
        .bar output { min-width: 3.4em; display: inline-block; }
        .bar .more { display: none; cursor: pointer; }
        .bar .picked { border-radius: 18px; background: var(--ice-soft); color: var(--ice); font-weight: 600; cursor: pointer; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .bar .picked[hidden] { display: none; }
        .chips { display: flex; }
        .bar .chips button { flex: none; border-radius: 0; margin-left: -1px; cursor: pointer; white-space: nowrap; }
        .bar .chips button:focus-visible { z-index: 1; }
        .bar .chips button:first-child { border-radius: 9px 0 0 9px; margin-left: 0; }
        .bar .chips button:last-child { border-radius: 0 9px 9px 0; }
        .bar .chips button[aria-pressed=true] { background: var(--ice-soft); color: var(--ice); font-weight: 600; }
        .count { color: var(--soft); font-size: 14px; margin-left: auto; white-space: nowrap; }

        .grid { position: relative; }
        .window { position: absolute; left: 0; right: 0; top: 0; display: grid; gap: 12px; }
        .card { display: flex; height: 128px; overflow: hidden; }
        .card .photo { flex: 0 0 126px; background: var(--edge); display: grid; place-items: center; color: var(--soft); font-size: 12px; }
        .card img { width: 126px; height: 126px; object-fit: cover; display: block; }
        .card .said { flex: 1; min-width: 0; padding: 10px 14px; display: flex; flex-direction: column; }
        .card .file { font-size: 12.5px; line-height: 1.3; flex: none; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; direction: rtl; text-align: left; }
        .card .best { font-weight: 620; line-height: 1.35; flex: none; margin-top: 2px; display: flex; }
        .card .best span { min-width: 0; white-space: pre; overflow: hidden; text-overflow: ellipsis; }
        .card .best.wrong { color: var(--wrong); }
        .card .best.right { color: var(--right); }
        .card .truth { font-weight: 450; color: var(--soft); flex: none; max-width: 60%; }
        .lines { margin-top: auto; display: grid; gap: 2px; line-height: 1.35; }
        .line { display: grid; grid-template-columns: minmax(0, 1fr) 46%; gap: 10px; align-items: center; font-size: 12.5px; color: var(--soft); }
        .line span { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
        .line.is span { color: var(--right); font-weight: 560; }
        .track { display: flex; align-items: center; gap: 7px; font-size: 11.5px; }
        .track u { flex: 1; height: 6px; border-radius: 3px; background: var(--edge); overflow: hidden; }
        .track u i { display: block; height: 100%; background: var(--ice); border-radius: 3px; }
        .track em { font-style: normal; width: 4.3em; flex: none; text-align: right; white-space: nowrap; }
        .error { color: var(--wrong); font-size: 13.5px; margin-top: 4px; }
        .none { grid-column: 1 / -1; color: var(--soft); padding: 40px 0; text-align: center; }

        @media (max-width: 1180px) { .two { grid-template-columns: minmax(0, 1fr); gap: 0; } }
        @media (max-width: 560px) {
          main { padding: 24px 14px 48px; }
          h1 { font-size: 25px; }
          .tiles { grid-template-columns: 1fr 1fr; gap: 10px; }
          .tile { padding: 12px 13px; }
          .tile .number { font-size: 25px; }
          .panel { padding: 12px; border-radius: 12px; }
          .scroll { padding: 0; }
          .classes th, .classes td { padding: 7px 6px; }
          .classes th:first-child, .classes td:first-child { padding-left: 12px; }
          .classes td:first-child { max-width: 112px; }
          .meter { display: none; }
          .matrix { font-size: 11px; border-spacing: 1px; }
          .matrix td { width: 26px; min-width: 22px; height: 26px; border-radius: 4px; }
          .matrix th { padding: 0 4px; max-width: 78px; }
          /* The window is small: of what chooses only the kinds stay in it, until more is asked for. */
          .bar { gap: 6px 8px; padding: 8px 0; }
          .bar:not(.open) :is(input[type=search], select, .range) { display: none; }
          .bar .more { display: block; }
          .bar .chips { flex: 1 1 60%; min-width: 0; overflow-x: auto; scrollbar-width: none; padding: 2px; }
          .bar input[type=search] { flex: 1 1 100%; }
          .bar select { flex: 1 1 40%; max-width: none; }
          .bar .range { flex: 1 1 100%; }
          .bar .range input { flex: 1; }
          .bar .picked { height: 30px; max-width: 70%; }
          .bar .count { font-size: 13px; }
        }

        """#
}
