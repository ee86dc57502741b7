import Foundation
import Testing

@testable import Thaw
@testable import ThawCommand

/// A report in a browser, if there is one: a page of 5,000 photos, with a second
/// script that clicks, types and reports what it sees.
@Suite(.serialized, .enabled(if: Chromium.path != nil, "there is no Chromium"))
struct ReportBrowserTests {
    private static let labels = ["ant", "bee", "cat", "dog", "<i>elk</i>"]

    /// The prediction for the photo with this index, or nil if it cannot be read.
    private static func prediction(_ photo: Int) -> (index: Int, share: Float)? {
        photo % 1000 == 999 ? nil : (photo % 5, Float(50 + photo % 50) / 100)
    }

    private static func count(_ isMeant: (Int, Float) -> Bool) -> Int {
        (0..<5000).count { photo in prediction(photo).map { isMeant($0.index, $0.share) } ?? false }
    }

    /// A page of 5,000 photos; with `truth`, the page of an evaluation.
    private static func page(in folder: TemporaryFolder, truth: ((Int) -> Int)? = nil) throws -> String {
        let model = Model(
            graph: Graph(), classifier: ClassifierConfiguration(labels: labels, probabilities: "probabilities"))
        let path = folder.path("page.html")
        let report = try ReportFile(path, model, top: 3)
        var evaluation = Evaluation(classCount: labels.count)
        var images: [GroundTruth.Image] = []
        var failures: [EvaluationResult.Failed] = []
        for photo in 0..<5000 {
            let path = "photographs/\(5000 - photo).jpg"
            guard let (index, share) = prediction(photo) else {
                try report.add(path, .failure(Failure(.damaged, "is broken")), truth: truth?(photo))
                failures.append(
                    .init(image: GroundTruth.Image(path: path, classIndex: 0), failure: Failure(.damaged, "is broken")))
                continue
            }
            let probabilities = labels.indices.map { $0 == index ? share : (1 - share) / 4 }
            let classification = Classification(probabilities: probabilities, labels: labels)
            try report.add(path, .success(classification), truth: truth?(photo))
            evaluation.add(classification, truth: truth?(photo) ?? 0)
            images.append(GroundTruth.Image(path: path, classIndex: truth?(photo) ?? 0))
        }
        let result = EvaluationResult(
            model: "Net.mlmodel", truth: "test/", labels: labels, evaluation: evaluation, images: images,
            failures: failures)
        try report.finish(title: "Report", subtitle: "Net.mlmodel", summary: truth == nil ? nil : result.json)
        return path
    }

    @Test func `photos are searched, filtered and sorted`() throws {
        let all = "5,000 photos"
        func of(_ count: Int) -> String { "\(grouped(count)) of 5,000" }
        let bees = Self.count { index, _ in index == 1 }
        let sure = Self.count { _, share in share >= 0.9 }
        let sureBees = Self.count { index, share in index == 1 && share >= 0.9 }
        // A name, the action, and the number of photos and the first photo that the page then shows.
        let steps = [
            ("at first all are shown, in order", "", all, "5000 ant"),
            ("a label alone", "set('Label', 'change', 1)", of(bees), "4999 bee"),
            ("that label, and sure", "set('Confidence at least, in percent', 'input', 90)", of(sureBees), "4959 bee"),
            ("any label, but sure", "set('Label', 'change', '')", of(sure), "4960 ant"),
            ("no filter again", "set('Confidence at least, in percent', 'input', 0)", all, "5000 ant"),
            ("surest first", "set('Order', 'change', 'sure')", all, "4951 <i>elk</i>"),
            ("least sure first", "set('Order', 'change', 'unsure')", all, "5000 ant"),
            ("by label, surest first", "set('Order', 'change', 'label')", all, "4951 <i>elk</i>"),
            ("by file", "set('Order', 'change', 'file')", all, "1 unreadable"),
            ("in order again", "set('Order', 'change', 'order')", all, "5000 ant"),
            ("a part of a name", "set('Search', 'input', '/497')", of(11), "4979 bee"),
            ("a label's part in any case", "set('Search', 'input', 'BE')", of(bees), "4999 bee"),
            ("nothing is like that", "set('Search', 'input', 'zebra')", of(0), "No photos match."),
            ("nothing is looked for", "set('Search', 'input', '')", all, "5000 ant"),
            ("what could not be read", "press('Unreadable 5')", of(5), "4001 unreadable"),
            ("all again", "press('All')", all, "5000 ant"),
            ("a page of one", "rows.length = 1; choose()", "1 photo", "5000 ant"),
        ]
        let folder = try TemporaryFolder()
        let seen = try Chromium.run(steps.map(\.1), on: Self.page(in: folder))
        #expect(seen.count == steps.count)
        for (step, seen) in zip(steps, seen) {
            #expect(seen.count == step.2, "\(step.0)")
            #expect(seen.first == step.3, "\(step.0)")
        }
    }

    @Test func `only visible photos are drawn, down to the last one`() throws {
        let folder = try TemporaryFolder()
        let seen = try Chromium.run(
            ["", "scrollTo(0, 1e9); dispatchEvent(new Event('scroll'))"], on: Self.page(in: folder))
        #expect(seen.map(\.first).first == "5000 ant")
        #expect(seen.map(\.last).last == "1 unreadable")
        #expect(seen.allSatisfy { 1...120 ~= $0.cards })
    }

    @Test func `an evaluation shows mistakes first, and a cell's photos on a click`() throws {
        // Every tenth cat is predicted as a dog, and every other class is right.
        let truth = { (photo: Int) in photo % 50 == 2 ? 3 : photo % 5 }
        let mistakes = 5000 / 50
        let rights = Self.count { _, _ in true } - mistakes
        let folder = try TemporaryFolder()
        let steps = [
            ("mistakes, surest first", "", "\(mistakes) of 5,000", "4998 cat – is dog"),
            ("what is right", "press('Right')", "\(grouped(rights)) of 5,000", "4951 <i>elk</i>"),
            ("a cell of the matrix", "click('#cell-3-2')", "\(mistakes) of 5,000", "4998 cat – is dog"),
            ("that filter is taken away", "click('.picked')", "5,000 photos", "4951 <i>elk</i>"),
            ("a class", "click('td[title=bee]')", "1,000 of 5,000", "4954 bee"),
        ]
        let seen = try Chromium.run(steps.map { $0.1 + "; look()" }, on: Self.page(in: folder, truth: truth))
        #expect(seen.count == steps.count)
        for (step, seen) in zip(steps, seen) {
            #expect(seen.count == step.2, "\(step.0)")
            #expect(seen.first == step.3, "\(step.0)")
        }
    }

    /// 1,000 classes with two photos each. For every tenth class one is predicted as the next class, and both of class
    /// 500 as 900.
    @Test func `of 1,000 classes, the most confused pairs and groups lead to the photos`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("page.html")
        let labels = (0..<1000).map { "class \($0)" }
        let model = Model(
            graph: Graph(), classifier: ClassifierConfiguration(labels: labels, probabilities: "probabilities"))
        let report = try ReportFile(path, model, top: 1)
        var evaluation = Evaluation(classCount: 1000)
        var images: [GroundTruth.Image] = []
        for photo in 0..<2000 {
            let truth = photo / 2
            let said = truth == 500 ? 900 : truth % 10 == 0 && photo % 2 == 0 ? truth + 1 : truth
            var probabilities = [Float](repeating: 0, count: 1000)
            probabilities[said] = 0.9
            let classification = Classification(probabilities: probabilities, labels: labels)
            let image = GroundTruth.Image(path: "photographs/\(photo).jpg", classIndex: truth)
            try report.add(image.path, .success(classification), truth: truth)
            evaluation.add(classification, truth: truth)
            images.append(image)
        }
        let result = EvaluationResult(
            model: "Net.mlmodel", truth: "test/", labels: labels, evaluation: evaluation, images: images, failures: [])
        try report.finish(
            title: "Report", subtitle: "", summary: result.json, provenance: [("Model", "Net"), ("Date", "<today>")])
        // Groups have 32 classes: 500 is in the one of index 15, 900 in that of index 28.
        let find = { (text: String, selector: String) in
            "if (document.querySelector('\(selector)').textContent !== '\(text)') throw document.querySelector('\(selector)').textContent"
        }
        let steps = [
            ("all mistakes", "", "101 of 2,000"),
            ("the most confused pair", "click('.pairs tbody tr')", "2 of 2,000"),
            ("it is filtered for", find("class 500 mistaken for class 900 ×", ".picked"), "2 of 2,000"),
            ("mistakes within a group", find("4", "#group-0-0"), "2 of 2,000"),
            ("a pair of groups", find("2", "#group-15-28") + "; click('#group-15-28')", "2 of 2,000"),
            ("its classes", "click('#cell-500-900')", "2 of 2,000"),
            ("all groups again", "press('All 1,000 classes'); click('#group-0-0')", "2 of 2,000"),
            ("a group's own classes", "click('#cell-10-11')", "1 of 2,000"),
            ("what it comes from", find("ModelNetDate<today>", ".origin"), "1 of 2,000"),
            ("more pairs", "press('Show more of 100 pairs')", "1 of 2,000"),
            (
                "all of them",
                "if (document.querySelectorAll('.pairs tbody tr').length !== 100) throw 'not all'", "1 of 2,000"
            ),
        ]
        let seen = try Chromium.run(steps.map(\.1), on: path)
        #expect(seen.count == steps.count)
        for (step, seen) in zip(steps, seen) { #expect(seen.count == step.2, "\(step.0)") }
    }

    @Test func `a long label leaves room for the true class`() throws {
        let folder = try TemporaryFolder()
        let look = """
            look(); page.labels[2] = "great crested grebe, ".repeat(9); layout();
            const [truth, card] = [".truth", ".card"].map(name => document.querySelector(name).getBoundingClientRect());
            if (truth.width < 40 || truth.right > card.right) throw "it is cut off";
            """
        let seen = try Chromium.run([look], on: Self.page(in: folder) { $0 % 50 == 2 ? 3 : $0 % 5 })
        #expect(seen.map(\.count) == ["100 of 5,000"])
    }
}

/// A headless browser.
enum Chromium {
    static let path = ["chromium", "chromium-browser", "google-chrome"].map { "/usr/bin/" + $0 }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The contents of a page.
    struct Sight: Decodable {
        /// The page's text about the number of photos shown.
        let count: String
        let first: String
        let last: String
        let cards: Int
    }

    /// Opens a page, performs these steps, and examines it after each.
    static func run(_ steps: [String], on path: String) throws -> [Sight] {
        let program = """
            <script>{
            // A headless browser may draw no frames.
            window.requestAnimationFrame = draw => setTimeout(draw, 0);
            const control = name => document.querySelector(`[aria-label="${name}"]`);
            const set = (name, event, value) => { control(name).value = value; control(name).dispatchEvent(new Event(event)); };
            const press = name => [...document.querySelectorAll("button")].find(one => one.textContent === name).click();
            const click = selector => document.querySelector(selector).dispatchEvent(new MouseEvent("click", { bubbles: true }));
            const look = () => { document.querySelector(".bar").scrollIntoView(); dispatchEvent(new Event("scroll")); };
            const text = card => card === undefined ? "" : card.className !== "card" ? card.textContent
              : card.querySelector(".file").textContent.replace(/.*[/](.*)[.]jpg/, "$1") + " "
                + (card.querySelector(".best") || card.querySelector(".photo")).textContent;
            (async () => {
              const seen = [];
              for (const step of [\(steps.map { "() => { \($0) }" }.joined(separator: ", "))]) {
                try { step(); } catch (error) { seen.push({ count: String(error), first: "", last: "", cards: 0 }); continue; }
                await new Promise(resolve => setTimeout(resolve, 50));
                const cards = [...document.querySelectorAll(".window > *")];
                seen.push({ count: document.querySelector(".count").textContent, first: text(cards[0]), last: text(cards.at(-1)), cards: cards.length });
              }
              document.documentElement.textContent = "SEEN" + btoa(unescape(encodeURIComponent(JSON.stringify(seen)))) + "SEEN";
            })();
            }</script>
            </body>
            """
        let page = try String(contentsOfFile: path, encoding: .utf8).replacingOccurrences(of: "</body>", with: program)
        try page.write(toFile: path, atomically: true, encoding: .utf8)
        let browser = Process()
        browser.executableURL = URL(fileURLWithPath: self.path!)
        browser.arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900", "--virtual-time-budget=20000",
            "--user-data-dir=" + path + ".profile", "--dump-dom", "file://" + path,
        ]
        let output = Pipe()
        browser.standardOutput = output
        browser.standardError = FileHandle.nullDevice
        try browser.run()
        // A browser that hangs fails the test instead of blocking the others.
        let process = browser.processIdentifier
        let guardian = DispatchWorkItem { kill(process, SIGTERM) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: guardian)
        defer { guardian.cancel() }
        let shown = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        browser.waitUntilExit()
        let parts = shown.components(separatedBy: "SEEN")
        guard parts.count == 3, let data = Data(base64Encoded: parts[1]) else { return [] }
        return try JSONDecoder().decode([Sight].self, from: data)
    }
}
