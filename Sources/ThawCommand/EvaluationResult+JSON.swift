import Thaw

extension EvaluationResult {
    /// The complete result, without the photos that the model classifies correctly.
    var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("model", .string(model)), ("truth", .string(truth)), ("images", JSON(images.count)),
            ("failed", JSON(failed)), ("top1", evaluation.topAccuracy(1).json),
            ("top5", evaluation.topAccuracy(5).json),
            ("macro_f1", JSON(floating: evaluation.macroF1)), ("log_loss", JSON(floating: evaluation.logLoss)),
            ("calibration", evaluation.calibration?.json ?? .null),
            ("classes", .array(evaluation.classes.map(json))),
            ("confusion", .array(evaluation.confusion.map { JSON([$0.truth, $0.prediction, $0.count]) })),
            ("worst", .array(evaluation.indicesOfWorstMistakes(50).map(mistake))),
        ]
        if let labels = evaluation.labels { members.append(("labels", .array(labels.map(json)))) }
        if let baseline { members.append(("baseline", json(baseline))) }
        return .object(members)
    }

    private func json(_ result: Evaluation.ClassResult) -> JSON {
        .object([
            ("label", .string(label(result.index))), ("index", JSON(result.index)), ("images", JSON(result.imageCount)),
            ("predicted", JSON(result.predictionCount)), ("right", JSON(result.correctCount)),
            ("precision", JSON(floating: result.precision.value)), ("recall", JSON(floating: result.recall.value)),
            ("f1", JSON(floating: result.f1)),
        ])
    }

    private func mistake(_ index: Int) -> JSON {
        let outcome = evaluation.outcomes[index]
        return .object([
            ("image", .string(images[index].path)), ("truth", .string(label(Int(outcome.truth)))),
            ("prediction", .string(label(Int(outcome.prediction)))),
            ("probability", JSON(floating: outcome.confidence)),
            ("probability_of_truth", JSON(floating: outcome.truthProbability)),
        ])
    }

    private func json(_ result: Evaluation.LabelResult) -> JSON {
        .object([
            ("label", .string(label(result.index))), ("index", JSON(result.index)), ("images", JSON(result.imageCount)),
            ("at_half", result.atHalf.json), ("best", result.best.json),
        ])
    }

    private func json(_ baseline: Baseline) -> JSON {
        let (evaluation, comparison) = (baseline.evaluation, baseline.comparison)
        return .object([
            ("model", .string(baseline.model)), ("top1", evaluation.topAccuracy(1).json),
            ("top5", evaluation.topAccuracy(5).json),
            ("both_right", JSON(comparison.bothCorrect)), ("only_model_right", JSON(comparison.onlyFirstCorrect)),
            ("only_baseline_right", JSON(comparison.onlySecondCorrect)),
            ("both_wrong", JSON(comparison.neitherCorrect)),
            ("probability_of_chance", JSON(floating: comparison.pValue)),
            ("changed", .array(changes.map(\.json))),
        ])
    }
}

extension EvaluationResult.Change {
    fileprivate var json: JSON {
        .object([
            ("image", .string(image)), ("truth", .string(truth)), ("prediction", .string(prediction)),
            ("probability", JSON(floating: outcome.confidence)), ("right", .bool(outcome.isCorrect)),
            ("baseline_prediction", JSON(baselinePrediction)),
            ("baseline_probability", JSON(floating: baselineOutcome.confidence)),
            ("baseline_right", .bool(baselineOutcome.isCorrect)),
        ])
    }
}

extension Evaluation.LabelResult.Threshold {
    fileprivate var json: JSON {
        .object([
            ("threshold", JSON(floating: value)), ("predicted", JSON(predictionCount)), ("right", JSON(correctCount)),
            ("precision", JSON(floating: precision.value)), ("recall", JSON(floating: recall.value)),
            ("f1", JSON(floating: f1)),
        ])
    }
}

extension Evaluation.Calibration {
    fileprivate var json: JSON {
        let bins = bins.map { bin -> JSON in
            .object([
                ("from", JSON(floating: bin.range.lowerBound)), ("to", JSON(floating: bin.range.upperBound)),
                ("images", JSON(bin.imageCount)), ("confidence", JSON(floating: bin.meanConfidence)),
                ("right", JSON(floating: bin.accuracy.value)),
            ])
        }
        return .object([
            ("error", JSON(floating: error)), ("mean_confidence", JSON(floating: meanConfidence)),
            ("bins", .array(bins)),
        ])
    }
}

extension Proportion {
    fileprivate var json: JSON {
        .object([
            ("right", JSON(part)), ("share", JSON(floating: value)), ("low", JSON(floating: interval.lowerBound)),
            ("high", JSON(floating: interval.upperBound)),
        ])
    }
}
