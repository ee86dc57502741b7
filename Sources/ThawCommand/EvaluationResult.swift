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
