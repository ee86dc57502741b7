import Thaw

/// What an evaluation found, as it is printed and reported.
struct EvaluationResult {
    let model: String
    let truth: String
    let labels: [String]?
    let evaluation: Evaluation
    /// The photographs that could be read, in the order of the outcomes.
    let images: [Truth.Image]
    /// Those that could not be read.
    let failures: [Failed]
    var failed: Int { failures.count }
    var baseline: Baseline?

    struct Failed {
        let image: Truth.Image
        let failure: Failure
    }

    /// What another model says of the same photographs.
    struct Baseline {
        let model: String
        let evaluation: Evaluation
        let comparison: PairedComparison
        /// A class of it as one of the model's; -1 where that has no such class.
        let translate: (Int32) -> Int32
    }

    func label(_ index: Int) -> String { labels?[index] ?? "\(index)" }

    /// One object with all that was found, without the photographs that came out right.
    var json: String {
        var fields = [
            "\"model\": \(Thaw.json(model))", "\"truth\": \(Thaw.json(truth))",
            "\"images\": \(images.count)", "\"failed\": \(failed)",
            "\"top1\": \(Self.json(evaluation.top(1)))", "\"top5\": \(Self.json(evaluation.top(5)))",
            "\"macro_f1\": \(Thaw.json(evaluation.macroF1))",
            "\"log_loss\": \(evaluation.logLoss.map { Thaw.json($0) } ?? "null")",
            "\"calibration\": \(evaluation.calibration.map(Self.json) ?? "null")",
            "\"classes\": ["
                + evaluation.classes.map { result in
                    "{\"label\": \(Thaw.json(label(result.index))), \"index\": \(result.index), "
                        + "\"images\": \(result.images), \"predicted\": \(result.predicted), \"right\": \(result.right), "
                        + "\"precision\": \(Thaw.json(result.precision.value)), "
                        + "\"recall\": \(Thaw.json(result.recall.value)), \"f1\": \(Thaw.json(result.f1))}"
                }.joined(separator: ", ") + "]",
            "\"confusion\": ["
                + evaluation.confusion.map { "[\($0.truth), \($0.prediction), \($0.count)]" }.joined(separator: ", ")
                + "]",
            "\"worst\": ["
                + evaluation.worstMistakes(50).map { place in
                    let outcome = evaluation.outcomes[place]
                    return "{\"image\": \(Thaw.json(images[place].path)), "
                        + "\"truth\": \(Thaw.json(label(Int(outcome.truth)))), "
                        + "\"prediction\": \(Thaw.json(label(Int(outcome.prediction)))), "
                        + "\"probability\": \(Thaw.json(outcome.confidence)), "
                        + "\"probability_of_truth\": \(Thaw.json(outcome.truthProbability))}"
                }.joined(separator: ", ") + "]",
        ]
        if let labels = evaluation.labels {
            fields.append("\"labels\": [" + labels.map(text(of:)).joined(separator: ", ") + "]")
        }
        if let baseline {
            fields.append("\"baseline\": \(json(baseline.model, baseline.evaluation, baseline.comparison))")
        }
        return "{" + fields.joined(separator: ", ") + "}"
    }

    private func text(of result: Evaluation.LabelResult) -> String {
        func text(_ threshold: Evaluation.LabelResult.Threshold) -> String {
            "{\"threshold\": \(Thaw.json(threshold.value)), \"predicted\": \(threshold.predicted), "
                + "\"right\": \(threshold.right), \"precision\": \(Thaw.json(threshold.precision.value)), "
                + "\"recall\": \(Thaw.json(threshold.recall.value)), \"f1\": \(Thaw.json(threshold.f1))}"
        }
        return "{\"label\": \(Thaw.json(label(result.index))), \"index\": \(result.index), "
            + "\"images\": \(result.images), \"at_half\": \(text(result.atHalf)), \"best\": \(text(result.best))}"
    }

    private static func json(_ calibration: Evaluation.Calibration) -> String {
        "{\"error\": \(Thaw.json(calibration.error)), "
            + "\"mean_confidence\": \(Thaw.json(calibration.meanConfidence)), \"bins\": ["
            + calibration.bins.map { bin in
                "{\"from\": \(Thaw.json(bin.range.lowerBound)), \"to\": \(Thaw.json(bin.range.upperBound)), "
                    + "\"images\": \(bin.images), \"confidence\": \(Thaw.json(bin.meanConfidence)), "
                    + "\"right\": \(Thaw.json(bin.right.value))}"
            }.joined(separator: ", ") + "]}"
    }

    private func json(_ model: String, _ evaluation: Evaluation, _ comparison: PairedComparison) -> String {
        "{\"model\": \(Thaw.json(model)), \"top1\": \(Self.json(evaluation.top(1))), "
            + "\"top5\": \(Self.json(evaluation.top(5))), \"both_right\": \(comparison.both), "
            + "\"only_model_right\": \(comparison.firstOnly), \"only_baseline_right\": \(comparison.secondOnly), "
            + "\"both_wrong\": \(comparison.neither), "
            + "\"probability_of_chance\": \(Thaw.json(comparison.probabilityOfChance)), \"changed\": ["
            + changes.map { change in
                "{\"image\": \(Thaw.json(change.image)), \"truth\": \(Thaw.json(change.truth)), "
                    + "\"prediction\": \(Thaw.json(change.prediction)), "
                    + "\"probability\": \(Thaw.json(change.outcome.confidence)), "
                    + "\"right\": \(change.outcome.isRight), "
                    + "\"baseline_prediction\": \(change.baselinePrediction.map { Thaw.json($0) } ?? "null"), "
                    + "\"baseline_probability\": \(Thaw.json(change.baselineOutcome.confidence)), "
                    + "\"baseline_right\": \(change.baselineOutcome.isRight)}"
            }.joined(separator: ", ") + "]}"
    }

    private static func json(_ proportion: Proportion) -> String {
        "{\"right\": \(proportion.part), \"share\": \(Thaw.json(proportion.value)), "
            + "\"low\": \(Thaw.json(proportion.interval.lowerBound)), "
            + "\"high\": \(Thaw.json(proportion.interval.upperBound))}"
    }
}

extension EvaluationResult {
    /// A photograph of which the model says something else than the baseline.
    struct Change {
        let image: String
        let truth: String
        let prediction: String
        let outcome: Evaluation.Outcome
        /// nil where the model has no such class.
        let baselinePrediction: String?
        let baselineOutcome: Evaluation.Outcome
    }

    /// In the order of the outcomes; empty without a baseline.
    var changes: [Change] {
        guard let baseline else { return [] }
        let (own, others) = (evaluation.outcomes, baseline.evaluation.outcomes)
        return baseline.comparison.changed.map { place in
            let (outcome, other) = (own[place], others[place])
            let index = baseline.translate(other.prediction)
            return Change(
                image: images[place].path, truth: label(Int(outcome.truth)), prediction: label(Int(outcome.prediction)),
                outcome: outcome, baselinePrediction: index < 0 ? nil : label(Int(index)), baselineOutcome: other)
        }
    }
}

extension EvaluationResult {
    /// A row for each photograph, those last that could not be read.
    var csv: String {
        let hasBaseline = baseline != nil
        var text =
            "image,truth,truth_index,prediction,prediction_index,probability,probability_of_truth,rank,right,error"
        text += hasBaseline ? ",baseline_prediction,baseline_probability,baseline_right\n" : "\n"
        for (place, outcome) in evaluation.outcomes.enumerated() {
            let (truth, prediction) = (Int(outcome.truth), Int(outcome.prediction))
            text += "\(ThawCommand.csv(images[place].path)),\(ThawCommand.csv(label(truth))),\(truth),"
            text += "\(ThawCommand.csv(label(prediction))),\(prediction),\(Self.number(outcome.confidence)),"
            text += "\(Self.number(outcome.truthProbability)),\(outcome.rank + 1),\(outcome.isRight),"
            if let baseline {
                let other = baseline.evaluation.outcomes[place]
                let index = Int(baseline.translate(other.prediction))
                text +=
                    ",\(index < 0 ? "" : ThawCommand.csv(label(index))),\(Self.number(other.confidence)),\(other.isRight)"
            }
            text += "\n"
        }
        for failed in failures {
            let failure = failed.failure
            let problem = failure.withoutFile
            let truth = failed.image.classIndex
            text += "\(ThawCommand.csv(failed.image.path)),\(ThawCommand.csv(label(truth))),\(truth),,,,,,,"
            text += ThawCommand.csv(problem) + (hasBaseline ? ",,,\n" : "\n")
        }
        return text
    }

    /// The sign of what is no number says nothing.
    private static func number(_ probability: Float) -> String { probability.isNaN ? "nan" : probability.description }
}
