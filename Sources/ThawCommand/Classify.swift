import Thaw

/// `thaw classify`: results in the order of the images, as they come. One that cannot be read does not stop the others.
func runClassify(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    guard let path = arguments.positional.first else { throw Failure.missingArgument("the model") }
    let images = Array(arguments.positional.dropFirst())
    guard !images.isEmpty else { throw Failure.missingArgument("an image or a folder of images") }
    let conversion = try arguments.model(at: path)
    if conversion.isGraph { console.tell(of: conversion) } else { conversion.warnings.forEach(console.warn) }
    if conversion.model.labelsAreIndependent {
        console.note("the labels do not exclude each other: the probabilities need not add up to 1")
    }
    let files = try ImageFiles.under(images)
    guard !files.isEmpty else { throw Failure.noImages().inFile(images[0]) }

    let crop = arguments.crop
    let threads = arguments.threads
    let classifier = try blaming(path) {
        // Images go one to a thread; where there are fewer, each is spread.
        try Classifier(
            conversion.model, crop: crop, decoding: arguments.decoding, threads: max(1, threads / files.count))
    }
    let format = arguments[Options.resultFormat]
    let top = arguments[Options.top]
    var failures = 0
    if format == .csv { try console.print("image,rank,label,index,probability,error\n") }
    try classifier.classify(imagesAt: files, threads: threads) { file, result in
        switch result {
        case .success(let classification):
            if let warning = classification.warning { console.warn("\(file): \(warning)") }
            try console.print(rows(format, file, classification.top(top)))
        case .failure(let error):
            guard let failure = error as? Failure else { throw error }
            failures += 1
            if let rows = rows(format, file, failure) { try console.print(rows) } else { console.report(failure) }
        }
    }
    return failures == 0 ? .done : failures < files.count ? .someInputsFailed : .failed
}

/// What is printed of an image.
private func rows(_ format: ResultFormat, _ image: String, _ predictions: [Classification.Prediction]) -> String {
    switch format {
    case .text:
        image + "\n"
            + predictions.map { "  \(padded(fixed(Double($0.probability), 4), 7, left: true))  \($0.label)\n" }.joined()
    case .json:
        "{\"image\": \(json(image)), \"predictions\": ["
            + predictions.map {
                "{\"label\": \(json($0.label)), \"index\": \($0.index), \"probability\": \(json($0.probability))}"
            }.joined(separator: ", ") + "]}\n"
    case .csv:
        predictions.enumerated().map { rank, prediction in
            "\(csv(image)),\(rank + 1),\(csv(prediction.label)),\(prediction.index),\(prediction.probability),\n"
        }.joined()
    }
}

/// What is printed of an image that failed; nil where that is no result.
private func rows(_ format: ResultFormat, _ image: String, _ failure: Failure) -> String? {
    let problem = Failure(place: failure.place, failure.problem, remedy: failure.remedy).description
    return switch format {
    case .text: nil
    case .json: "{\"image\": \(json(image)), \"error\": \(json(problem))}\n"
    case .csv: "\(csv(image)),,,,,\(csv(problem))\n"
    }
}
