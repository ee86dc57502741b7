import Thaw

/// An evaluation as text: the numbers, class by class, who is taken for whom, and the worst mistakes.
struct EvaluationText {
    private let result: EvaluationResult
    /// What a terminal has room for; tables are not wrapped.
    private let columns: Int
    private(set) var text = ""

    /// A matrix of more classes than this does not fit on a screen.
    private static let matrixLimit = 20

    /// Of photographs that have changed sides no more are listed.
    private static let changeLimit = 5

    init(_ result: EvaluationResult, columns: Int) {
        (self.result, self.columns) = (result, columns)
        addSummary()
        addComparison()
        addClasses()
        addConfusion()
        addMistakes()
        addChanges("now right, not with the baseline") { $0.outcome.isRight && !$0.baselineOutcome.isRight }
        addChanges("now wrong, but not with the baseline") { !$0.outcome.isRight && $0.baselineOutcome.isRight }
    }

    private mutating func addSummary() {
        let evaluation = result.evaluation
        let shown = evaluation.classes.filter { $0.images > 0 }.count
        let failed = result.failed == 0 ? "" : "; \(grouped(result.failed)) could not be read"
        let classes = "\(grouped(shown)) \(shown == 1 ? "class" : "classes")"
        line("photographs", "\(grouped(result.images.count)) of \(classes)\(failed)")
        line("top 1", Self.share(evaluation.top(1)))
        if evaluation.classCount > 5 { line("top 5", Self.share(evaluation.top(5))) }
        guard let calibration = evaluation.calibration else {
            return line("calibration", "none: the model's answers are no probabilities")
        }
        let difference = calibration.meanConfidence - evaluation.top(1).value
        let tendency = difference >= 0 ? "more" : "less"
        line(
            "calibration",
            "error \(percent(calibration.error)); on average \(percent(abs(difference))) \(tendency) sure than right")
    }

    private mutating func addComparison() {
        guard let baseline = result.baseline else { return }
        let comparison = baseline.comparison
        line("baseline", Self.share(baseline.evaluation.top(1)) + "  " + baseline.model)
        line(
            "",
            "only the model is right: \(grouped(comparison.firstOnly)), only the baseline: "
                + "\(grouped(comparison.secondOnly)); another answer on \(grouped(comparison.changed.count))")
        guard comparison.firstOnly + comparison.secondOnly > 0 else { return }
        let chance = comparison.probabilityOfChance
        let number = chance < 0.0001 ? "less than 0.0001" : fixed(chance, 4)
        let verdict = chance < 0.05 ? "more than chance" : "may be chance"
        line("", "\(verdict): so uneven a split has a probability of \(number) by chance alone")
    }

    private mutating func addClasses() {
        let classes = result.evaluation.classes.filter { $0.images > 0 || $0.predicted > 0 }
        let confusion = result.evaluation.worstConfusions(.max)
        let (numbers, last) = ("  photographs  precision  recall", "  most often taken for")
        let hasLast = columns >= 8 + numbers.count + last.count
        let room = max(8, columns - numbers.count - (hasLast ? last.count : 0))
        let width = min(32, room, max("class".count, classes.map { label($0.index).columns }.max() ?? 0))
        text += "\n" + (padded("class", width) + numbers + (hasLast ? last : "")).cut(toColumns: columns) + "\n"
        for one in classes {
            let other = hasLast ? confusion.first { $0.truth == one.index } : nil
            let taken = other.map { "\(label($0.prediction).cut(toColumns: 32)) (\($0.count))" } ?? ""
            let row =
                padded(label(one.index).cut(toColumns: width), width) + "  "
                + padded(grouped(one.images), 11, left: true) + "  " + padded(Self.number(one.precision), 9, left: true)
                + "  " + padded(Self.number(one.recall), 6, left: true) + "  " + taken
            text += Self.trimmed(row).cut(toColumns: columns) + "\n"
        }
    }

    private mutating func addConfusion() {
        let evaluation = result.evaluation
        let classes = evaluation.classes.filter { $0.images > 0 || $0.predicted > 0 }.map(\.index)
        let cells = Dictionary(evaluation.confusion.map { ([$0.truth, $0.prediction], $0.count) }) { $1 }
        let names = classes.map { label($0).cut(toColumns: 14) }
        let width = max(names.map(\.columns).max() ?? 0, "truth".count)
        let column = max(6, (cells.values.map { grouped($0).count }.max() ?? 0) + 1)
        guard classes.count <= Self.matrixLimit, width + classes.count * column <= columns else {
            let worst = evaluation.worstConfusions(10)
            if !worst.isEmpty { text += "\nmost often confused\n" }
            for cell in worst {
                text += padded(grouped(cell.count), 7, left: true)
                text += "  \(label(cell.truth)) taken for \(label(cell.prediction))\n"
            }
            return
        }
        text += "\n" + padded("truth", width)
        text += names.map { padded($0.cut(toColumns: column - 1), column, left: true) }.joined() + "\n"
        for (row, name) in zip(classes, names) {
            text += padded(name, width)
            for other in classes {
                text += padded(cells[[row, other]].map { grouped($0) } ?? "·", column, left: true)
            }
            text += "\n"
        }
    }

    private mutating func addMistakes() {
        let worst = result.evaluation.worstMistakes(10)
        guard !worst.isEmpty else { return }
        text += "\nworst mistakes\n"
        for place in worst {
            let outcome = result.evaluation.outcomes[place]
            text += "  \(fixed(Double(outcome.confidence), 4))  \(label(Int(outcome.prediction))), not "
            text += "\(label(Int(outcome.truth))): \(shown(result.images[place].path))\n"
        }
    }

    /// The photographs that have come to one side, those first of which the model is surest.
    private mutating func addChanges(_ heading: String, _ isMeant: (EvaluationResult.Change) -> Bool) {
        let changes = result.changes.filter(isMeant).sorted { $0.outcome.confidence > $1.outcome.confidence }
        guard !changes.isEmpty else { return }
        text += "\n\(heading): \(grouped(changes.count))\n"
        for change in changes.prefix(Self.changeLimit) {
            let other = fixed(Double(change.baselineOutcome.confidence), 4)
            text += "  \(fixed(Double(change.outcome.confidence), 4))  \(shown(change.prediction)) "
            text += "(baseline: \(other) \(change.baselinePrediction.map(shown) ?? "another")): "
            text += shown(change.image) + "\n"
        }
        let rest = changes.count - Self.changeLimit
        if rest > 0 { text += "  and \(grouped(rest)) more: --report shows them, --format json lists them\n" }
    }

    private func label(_ index: Int) -> String { shown(result.label(index)) }

    private mutating func line(_ heading: String, _ content: String) { text += padded(heading, 13) + content + "\n" }

    /// A share with its interval.
    private static func share(_ proportion: Proportion) -> String {
        let interval = proportion.interval
        return "\(percent(proportion.value)) right (\(percent(interval.lowerBound)) to \(percent(interval.upperBound)))"
    }

    private static func number(_ proportion: Proportion) -> String {
        proportion.count == 0 ? "–" : fixed(proportion.value, 3)
    }

    private static func trimmed(_ row: String) -> String {
        var row = row
        while row.last == " " { row.removeLast() }
        return row
    }
}

private func percent(_ share: Double) -> String { fixed(100 * share, 2) + " %" }
