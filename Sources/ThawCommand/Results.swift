import Thaw

/// Formats the results of `classify`: a block, line or row per image.
struct ResultPrinter {
    let format: ResultFormat
    let top: Int
    /// Whether the top label is highlighted in color.
    let isColored: Bool
    /// The origin of the results, if each result is to contain it.
    var origin: ResultOrigin?

    var header: String { format == .csv ? "image,rank,label,index,probability,error\n" : "" }

    func text(_ image: String, _ classification: Classification) -> String {
        let predictions = classification.top(top)
        switch format {
        case .text:
            return Console.named(image) + "\n"
                + predictions.enumerated().map { rank, prediction in
                    let number = padded(fixed(Double(prediction.probability), 4), 7, left: true)
                    let label = shown(prediction.label)
                    return
                        "  \(number)  \(isColored && rank == 0 ? TerminalColor.emphasis + label + TerminalColor.reset : label)\n"
                }.joined()
        case .json:
            var members: [(key: String, value: JSON)] = [("image", .string(image))]
            if let warning = classification.warning { members.append(("warning", .string(warning.text.forCommand))) }
            members.append(("predictions", .array(predictions.map(json))))
            if let origin { members.append(("model", .string(origin.text))) }
            return JSON.object(members).text + "\n"
        case .csv:
            return predictions.enumerated().map { rank, prediction in
                "\(csv(image)),\(rank + 1),\(csv(prediction.label)),\(prediction.index),\(csv(prediction.probability)),\n"
            }.joined()
        }
    }

    private func json(_ prediction: Classification.Prediction) -> JSON {
        .object([
            ("label", .string(prediction.label)), ("index", JSON(prediction.index)),
            ("probability", JSON(floating: prediction.probability)),
        ])
    }

    /// The result for an image that failed; nil if the format has none.
    func text(_ image: String, _ failure: Failure) -> String? {
        let problem = failure.withoutFile.forCommand
        return switch format {
        case .text: nil
        case .json: Self.line(image, problem, failure.code)
        case .csv: "\(csv(image)),,,,,\(csv(problem))\n"
        }
    }

    /// The line of JSON for an image that failed.
    static func line(_ image: String, _ problem: String, _ code: Failure.Code) -> String {
        json(image, problem, code).text + "\n"
    }

    /// An image that failed.
    static func json(_ image: String, _ failure: Failure) -> JSON {
        json(image, failure.withoutFile.forCommand, failure.code)
    }

    private static func json(_ image: String, _ problem: String, _ code: Failure.Code) -> JSON {
        .object([("image", .string(image)), ("error", .string(problem)), ("code", .string(code.rawValue))])
    }
}
