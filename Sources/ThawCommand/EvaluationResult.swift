import Thaw

/// The result of an evaluation, to be printed and reported.
struct EvaluationResult {
    let model: String
    let truth: String
    let labels: [String]?
    let evaluation: Evaluation
    /// The photos that could be read, in the order of the outcomes.
    let images: [GroundTruth.Image]
    /// Those that could not be read.
    let failures: [Failed]
    var failed: Int { failures.count }
    var baseline: Baseline?

    struct Failed {
        let image: GroundTruth.Image
        let failure: Failure
    }

    /// The result of another model on the same photos.
    struct Baseline {
        let model: String
        let evaluation: Evaluation
        let comparison: PairedComparison
        /// The model's index of a class of the baseline; -1 if it has no such class.
        let translate: (Int32) -> Int32
    }

    func label(_ index: Int) -> String { labels?[index] ?? "\(index)" }
}

extension EvaluationResult {
    /// A photo for which the model and the baseline predict different classes.
    struct Change {
        let image: String
        let truth: String
        let prediction: String
        let outcome: Evaluation.Outcome
        /// nil if the model has no such class.
        let baselinePrediction: String?
        let baselineOutcome: Evaluation.Outcome
    }

    /// In the order of the outcomes; empty without a baseline.
    var changes: [Change] {
        guard let baseline else { return [] }
        let (outcomes, others) = (evaluation.outcomes, baseline.evaluation.outcomes)
        return baseline.comparison.changed.map { index in
            let (outcome, other) = (outcomes[index], others[index])
            let otherIndex = baseline.translate(other.prediction)
            return Change(
                image: images[index].path, truth: label(Int(outcome.truth)), prediction: label(Int(outcome.prediction)),
                outcome: outcome, baselinePrediction: otherIndex < 0 ? nil : label(Int(otherIndex)),
                baselineOutcome: other)
        }
    }
}

extension EvaluationResult {
    /// One row per photo; those that could not be read come last.
    var csv: String {
        let hasBaseline = baseline != nil
        var text =
            "image,truth,truth_index,prediction,prediction_index,probability,probability_of_truth,rank,right,error"
        text += hasBaseline ? ",baseline_prediction,baseline_probability,baseline_right\n" : "\n"
        for (index, outcome) in evaluation.outcomes.enumerated() {
            let (truth, prediction) = (Int(outcome.truth), Int(outcome.prediction))
            text += "\(ThawCommand.csv(images[index].path)),\(ThawCommand.csv(label(truth))),\(truth),"
            text += "\(ThawCommand.csv(label(prediction))),\(prediction),\(ThawCommand.csv(outcome.confidence)),"
            text += "\(ThawCommand.csv(outcome.truthProbability)),\(outcome.rank + 1),\(outcome.isCorrect),"
            if let baseline {
                let other = baseline.evaluation.outcomes[index]
                let otherIndex = Int(baseline.translate(other.prediction))
                text +=
                    ",\(otherIndex < 0 ? "" : ThawCommand.csv(label(otherIndex))),\(ThawCommand.csv(other.confidence)),\(other.isCorrect)"
            }
            text += "\n"
        }
        for failed in failures {
            let failure = failed.failure
            let problem = failure.withoutFile.forCommand
            let truth = failed.image.classIndex
            text += "\(ThawCommand.csv(failed.image.path)),\(ThawCommand.csv(label(truth))),\(truth),,,,,,,"
            text += ThawCommand.csv(problem) + (hasBaseline ? ",,,\n" : "\n")
        }
        return text
    }
}
