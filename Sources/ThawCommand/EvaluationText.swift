import Thaw

/// An evaluation as text: the classes, the confusion matrix, the worst mistakes, and the summary.
struct EvaluationText {
    private let result: EvaluationResult
    /// The width of the terminal; tables are not wrapped.
    private let columns: Int
    private(set) var text = ""

    /// A matrix or a table of more classes than this does not fit on a screen.
    private static let classLimit = 20

    /// The number of listed photos that only one of the models classifies correctly.
    private static let changeLimit = 5

    init(_ result: EvaluationResult, columns: Int) {
        (self.result, self.columns) = (result, columns)
        addClasses()
        addLabels()
        addConfusion()
        addMistakes()
        addChanges("right now, wrong with the baseline") { $0.outcome.isCorrect && !$0.baselineOutcome.isCorrect }
        addChanges("wrong now, right with the baseline") { !$0.outcome.isCorrect && $0.baselineOutcome.isCorrect }
        // The summary comes last, so that it remains visible on a terminal.
        text += "\n"
        addSummary()
        addComparison()
    }

    private mutating func addSummary() {
        let evaluation = result.evaluation
        let shown = evaluation.classes.filter { $0.imageCount > 0 }.count
        let failed = result.failed == 0 ? "" : "; \(grouped(result.failed)) could not be read"
        let classes = grouped(shown, "class", plural: "classes")
        line("photos", "\(grouped(result.images.count)) in \(classes)\(failed)")
        line("top 1", Self.share(evaluation.topAccuracy(1)))
        if evaluation.classCount > 5 { line("top 5", Self.share(evaluation.topAccuracy(5))) }
        line("macro F1", fixed(evaluation.macroF1, 4))
        if let loss = evaluation.logLoss { line("log loss", fixed(loss, 4)) }
        guard let calibration = evaluation.calibration else {
            return line("calibration", "none: the model's outputs are not probabilities")
        }
        let difference = calibration.meanConfidence - evaluation.topAccuracy(1).value
        let tendency = difference >= 0 ? "over" : "under"
        line(
            "calibration",
            "error \(percent(calibration.error)); on average \(percent(abs(difference))) \(tendency)confident")
    }

    private mutating func addComparison() {
        guard let baseline = result.baseline else { return }
        let comparison = baseline.comparison
        line("baseline", Self.share(baseline.evaluation.topAccuracy(1)) + "  " + baseline.model)
        line(
            "",
            "only the model is right: \(grouped(comparison.onlyFirstCorrect)), only the baseline: "
                + "\(grouped(comparison.onlySecondCorrect)); different predictions on "
                + "\(grouped(comparison.changed.count))")
        guard comparison.onlyFirstCorrect + comparison.onlySecondCorrect > 0 else { return }
        let chance = comparison.pValue
        let number = chance < 0.0001 ? "less than 0.0001" : fixed(chance, 4)
        let verdict = chance < 0.05 ? "more than chance" : "may be chance"
        line("", "\(verdict): a split this uneven has a probability of \(number) by chance alone")
    }

    private mutating func addClasses() {
        let all = result.evaluation.classes.filter { $0.imageCount > 0 || $0.predictionCount > 0 }
        var classes = all
        if all.count > Self.classLimit {
            let shown = all.filter { $0.imageCount > 0 }
            classes = Array(shown.sorted { ($0.f1, $0.index) < ($1.f1, $1.index) }.prefix(Self.classLimit))
            let which =
                classes.count < shown.count
                ? "worst \(classes.count) of \(grouped(shown.count))" : "all \(classes.count)"
            line("\(which) classes with photos, by F1; --format json lists all classes")
        }
        let others = result.evaluation.mostFrequentConfusions
        let hasF1 = columns >= 8 + "  photos  precision  recall     F1".count
        let (numbers, last) = ("  photos  precision  recall" + (hasF1 ? "     F1" : ""), "  most often mistaken for")
        let hasLast = columns >= 8 + numbers.count + last.count
        let room = max(8, columns - numbers.count - (hasLast ? last.count : 0))
        let width = min(32, room, max("class".count, classes.map { label($0.index).columns }.max() ?? 0))
        text += (padded("class", width) + numbers + (hasLast ? last : "")).cut(toColumns: columns) + "\n"
        for one in classes {
            let other = hasLast ? others[one.index] : nil
            let taken = other.map { "\(label($0.prediction).cut(toColumns: 32)) (\($0.count))" } ?? ""
            var cells = [
                padded(label(one.index).cut(toColumns: width), width), padded(grouped(one.imageCount), 6, left: true),
                padded(Self.number(one.precision), 9, left: true), padded(Self.number(one.recall), 6, left: true),
            ]
            if hasF1 { cells.append(padded(one.f1.isNaN ? "–" : fixed(one.f1, 3), 5, left: true)) }
            let row = cells.joined(separator: "  ") + "  " + taken
            text += Self.trimmed(row).cut(toColumns: columns) + "\n"
        }
    }

    /// The labels of a multi-label model, at the threshold 0.5 and at the best one of each.
    private mutating func addLabels() {
        guard let all = result.evaluation.labels else { return }
        var labels = all.filter { $0.imageCount > 0 || $0.atHalf.predictionCount > 0 }
        text += "\n"
        if labels.count > Self.classLimit {
            let count = labels.count
            labels.sort { ($0.best.f1, $0.index) < ($1.best.f1, $1.index) }
            labels = Array(labels.prefix(Self.classLimit))
            line(
                "worst \(labels.count) of \(grouped(count)) labels, by F1 at the best threshold; --format json lists all"
            )
        }
        let width = max(5, min(32, columns - 65, labels.map { label($0.index).columns }.max() ?? 0))
        let heads = ["photos", "precision", "recall at 0.5", "threshold", "precision", "recall"]
        line(padded("label", width) + heads.map { "  " + $0 }.joined())
        for one in labels {
            let cells = [
                grouped(one.imageCount), Self.number(one.atHalf.precision), Self.number(one.atHalf.recall),
                fixed(one.best.value, 3), Self.number(one.best.precision), Self.number(one.best.recall),
            ]
            let row = zip(cells, heads).map { "  " + padded($0, $1.count, left: true) }.joined()
            line(padded(label(one.index).cut(toColumns: width), width) + row)
        }
    }

    private mutating func addConfusion() {
        let evaluation = result.evaluation
        let classes = evaluation.classes.filter { $0.imageCount > 0 || $0.predictionCount > 0 }.map(\.index)
        let cells = Dictionary(evaluation.confusion.map { ([$0.truth, $0.prediction], $0.count) }) { $1 }
        let names = classes.map { label($0).cut(toColumns: 14) }
        let width = max(names.map(\.columns).max() ?? 0, "truth".count)
        let column = max(6, (cells.values.map { grouped($0).count }.max() ?? 0) + 1)
        guard classes.count <= Self.classLimit, width + classes.count * column <= columns else {
            let worst = evaluation.worstConfusions(10)
            if !worst.isEmpty { text += "\nmost often confused\n" }
            for cell in worst {
                text += padded(grouped(cell.count), 7, left: true)
                text += "  \(label(cell.truth)) mistaken for \(label(cell.prediction))\n"
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
        let worst = result.evaluation.indicesOfWorstMistakes(10)
        guard !worst.isEmpty else { return }
        text += "\nworst mistakes\n"
        for index in worst {
            let outcome = result.evaluation.outcomes[index]
            text += "  \(fixed(Double(outcome.confidence), 4))  \(label(Int(outcome.prediction))), not "
            text += "\(label(Int(outcome.truth))): \(shown(result.images[index].path))\n"
        }
    }

    /// Photos that only one of the models classifies correctly, the most confident predictions first.
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

    private mutating func line(_ content: String) { text += content.cut(toColumns: columns) + "\n" }

    private mutating func line(_ heading: String, _ content: String) { text += padded(heading, 13) + content + "\n" }

    /// A share with its interval.
    private static func share(_ proportion: Proportion) -> String {
        let (low, high) = (percent(proportion.interval.lowerBound), percent(proportion.interval.upperBound))
        return "\(percent(proportion.value)) correct (\(low) to \(high))"
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

private func percent(_ share: Double) -> String { fixed(100 * share, 2) + "%" }
