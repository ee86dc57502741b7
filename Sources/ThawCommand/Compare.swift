import Thaw

/// `thaw compare`: checks whether two models give the same results, and if not, where they first differ.
func runCompare(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let positional = arguments.positional
    let isPipeline = try positional[..<2].map { try Pipeline.isPipeline(contentsOfFile: $0) }
    if isPipeline.contains(true) {
        if let other = isPipeline.firstIndex(of: false) {
            throw Failure.cannotCompareWithPipeline().inFile(positional[other])
        }
        return try comparePipelines(arguments, console)
    }
    let (first, second) = try arguments.pair(positional[0], positional[1], console)
    let files = ImageFiles(Array(positional[2...]))
    let paths = try files.paths()
    guard !paths.isEmpty else { throw Failure.noImages().inFile(positional[2]) }
    let comparison = try naming(file: positional[1]) {
        try Comparison(
            first, second, tolerance: arguments[Options.comparisonTolerance], precision: arguments[Options.precision],
            crop: arguments.crop, decoding: arguments.decoding)
    }
    console.report(arguments[Options.precision])
    return try show(comparison.report(imagesAt: paths, threads: arguments.threads), files, arguments, console)
}

/// The same for two pipelines or detectors.
private func comparePipelines(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let positional = arguments.positional
    for option in [Options.labels as any AnyOption, Options.function] + OptionGroups.graphInput
    where arguments.isGiven(option) {
        throw Failure.networkOption(option.spelling).inFile(positional[0])
    }
    let files = ImageFiles(Array(positional[2...]))
    let paths = try files.paths()
    guard !paths.isEmpty else { throw Failure.noImages().inFile(positional[2]) }
    let first = try Pipeline(contentsOfFile: positional[0])
    let second = try Pipeline(contentsOfFile: positional[1], precision: arguments[Options.precision])
    let tolerance = Comparison.tolerance(of: arguments[Options.precision])
    let comparison = try naming(file: positional[1]) {
        try PipelineComparison(
            first, second, tolerance: arguments[Options.comparisonTolerance] ?? tolerance,
            precision: arguments[Options.precision], crop: arguments.crop, decoding: arguments.decoding)
    }
    console.report(arguments[Options.precision])
    return try show(comparison.report(imagesAt: paths, threads: arguments.threads), files, arguments, console)
}

private func show(
    _ report: Comparison.Report, _ files: ImageFiles, _ arguments: Arguments, _ console: Console
) throws -> ExitStatus {
    for (image, warning) in report.warnings { console.warn("\(image): \(warning)") }
    files.changedFolders.forEach(console.warn)
    switch arguments[Options.reportFormat] {
    case .text:
        for (_, failure) in report.failures { console.report(failure) }
        guard report.imageCount > 0 else { return .failed }
        try console.print(text(of: report))
    case .json: try console.print(json(of: report).text + "\n", restoringNames: false)
    }
    return report.status
}

extension Comparison.Report {
    var status: ExitStatus {
        if imageCount == 0 { return .failed }
        return agrees && failures.isEmpty ? .done : .someInputsFailed
    }
}

extension Arguments {
    /// Loads two models. A graph compared with a Core ML model gets the preprocessing of that model, unless options say
    /// otherwise, and its size if the graph leaves the size open.
    fileprivate func pair(_ first: String, _ second: String, _ console: Console) throws -> (Conversion, Conversion) {
        let paths = [first, second]
        let isGraph = try paths.map { try ![.coreML, .coreMLPackage].contains(ModelFormat(of: $0)) }
        if !isGraph.contains(true),
            let option = ([Options.labels] + OptionGroups.graphInput).first(where: { isGiven($0) })
        {
            throw Failure.optionForGraphs(option.spelling, isComparison: true)
        }
        let models = try zip(paths, isGraph).map {
            try $1 ? nil : Model.load(contentsOfFile: $0, options: converterOptions())
        }
        let preprocessing: [any AnyOption] = [Options.color, Options.preprocess, Options.scale, Options.bias]
        let overridesPreprocessing = preprocessing.contains { isGiven($0) }
        var pair = try paths.indices.map { index -> Conversion in
            if let model = models[index] { return model }
            let image = models[1 - index]?.model.image
            let graph = try graph(at: paths[index], likely: image)
            guard let image, !overridesPreprocessing, let preprocessed = graph.withPreprocessing(of: image) else {
                console.report(graph)
                return graph
            }
            console.note("\(paths[index]) uses the preprocessing of \(paths[1 - index])")
            for formula in preprocessed.model.image?.formulas ?? [] { console.note("\(formula)") }
            console.reportGraph(graph)
            return preprocessed
        }
        for model in models.compactMap({ $0 }) { model.warnings.forEach(console.warn) }
        // A model with flexible input uses the other's size.
        for (one, other) in [(0, 1), (1, 0)] {
            guard pair[one].model.image?.sizes != .fixed, let image = pair[other].model.image else { continue }
            try naming(file: paths[one]) {
                try pair[one].model.setImageSize(image.size)
            }
        }
        return (pair[0], pair[1])
    }

    /// Loads the graph at `path`. It gets the size of `image`, and channels first as in `image`, unless the graph
    /// itself or an option determines them.
    private func graph(at path: String, likely image: ImageInput?) throws -> Conversion {
        var options = try converterOptions()
        let labels = try labels()
        func load() throws -> Conversion { try Model.load(contentsOfFile: path, options: options, labels: labels) }
        guard let image else { return try load() }
        var conversion: Conversion
        do {
            conversion = try load()
        } catch let failure as Failure {
            guard options.size == nil, options.sizes == .fixed else { throw failure }
            options.size = image.size
            conversion = try load()
        }
        if conversion.model.image == nil, image.isChannelsFirst, options.channels == nil {
            options.channels = .channelsFirst
            if let other = try? load() { conversion = other }
        }
        return conversion
    }
}

// MARK: Output

/// The report as text.
///
/// - Parameter hasVerdict: Whether to state that the models agree or disagree, and the tolerance.
func text(of report: Comparison.Report, hasVerdict: Bool = true) -> String {
    func line(_ heading: String, _ text: String) -> String { padded(heading, 21) + text + "\n" }
    func share(_ difference: Comparison.Difference) -> String {
        "\(significant(difference.absolute)), \(significant(difference.relative)) of the range"
    }
    var text = line("images", "\(report.imageCount)")
    if let largest = report.largest {
        text += line("largest difference", "\(share(largest.difference)), in \(largest.image)")
    }
    if hasVerdict { text += line("tolerance", "\(report.tolerance) of the range") }
    if let first = report.firstDifference {
        text += line(
            "first exceeded at", "\(first.node) (\(first.operation)): \(share(first.difference)), in \(first.image)")
    }
    if report.precision != .float32 { text += line("precision", report.precision.rawValue) }
    for (index, layer) in report.lossiestLayers.enumerated() {
        text += line(
            index == 0 ? "largest errors at" : "",
            "\(layer.node) (\(layer.operation)): \(share(layer.difference))")
    }
    if report.labelsCompared > 0 {
        let agreeing = report.labelsCompared - report.differingLabels.count
        text += line("top label", "the same on \(agreeing) of \(report.labelsCompared)")
        for labels in report.differingLabels.prefix(10) {
            text += line(
                "",
                "\(labels.image): \(labels.first) → \(labels.second)"
                    + (labels.isExplained && hasVerdict ? ", nearly tied" : ""))
        }
        if report.differingLabels.count > 10 { text += line("", "and \(report.differingLabels.count - 10) more") }
    }
    if !hasVerdict, report.agrees { return text }
    return text + line("", report.agrees ? "the models agree" : "the models disagree")
}

extension Comparison.Report {
    /// The layers with the largest differences, in the order of the graph.
    fileprivate var lossiestLayers: [Comparison.NodeDifference] {
        let order = layers.indices.sorted { layers[$0].difference.relative > layers[$1].difference.relative }
        return order.prefix(10).sorted().map { layers[$0] }
    }
}

/// The report as JSON.
private func json(of report: Comparison.Report) -> JSON {
    let errors = report.failures.map { ResultPrinter.json($0.image, $0.failure) }
    return .object([
        ("images", JSON(report.imageCount)), ("tolerance", JSON(floating: report.tolerance)),
        ("largest", report.largest.map(json) ?? .null), ("first_exceeded", report.firstDifference.map(json) ?? .null),
        ("precision", .string(report.precision.rawValue)), ("layers", .array(report.layers.map(json))),
        ("labels_compared", JSON(report.labelsCompared)),
        ("labels_agreeing", JSON(report.labelsCompared - report.differingLabels.count)),
        ("differing_labels", .array(report.differingLabels.map(json))), ("errors", .array(errors)),
        ("agree", .bool(report.imageCount > 0 && report.agrees)),
    ])
}

private func json(_ largest: (difference: Comparison.Difference, image: String, output: String)) -> JSON {
    var members = largest.difference.members
    members += [("image", .string(largest.image)), ("output", .string(largest.output))]
    return .object(members)
}

private func json(_ value: Comparison.NodeDifference) -> JSON {
    var members: [(key: String, value: JSON)] = [
        ("node", .string(value.node)), ("operation", .string(value.operation)),
    ]
    members += value.difference.members
    members.append(("image", .string(value.image)))
    return .object(members)
}

private func json(_ labels: Comparison.Report.DifferingLabels) -> JSON {
    .object([
        ("image", .string(labels.image)), ("first", .string(labels.first)), ("second", .string(labels.second)),
        ("explained", .bool(labels.isExplained)),
    ])
}

extension Comparison.Difference {
    fileprivate var members: [(key: String, value: JSON)] {
        [("difference", JSON(floating: absolute)), ("relative_difference", JSON(floating: relative))]
    }
}
