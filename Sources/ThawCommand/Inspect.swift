import Thaw

/// `thaw inspect`: shows the contents of a file, as far as possible even if it cannot be converted or run.
func runInspect(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let contents = try FileContents(
        contentsOfFile: path, tag: arguments[Options.tag], function: arguments[Options.function])
    if contents.isPipeline, arguments.isGiven(Options.graph) { throw Failure.cannotDrawPipeline().inFile(path) }
    var report = Report()
    var model: Model?
    report.add(contents, path)
    do {
        model = try report.add(contents, arguments, console)
    } catch let failure as Failure {
        report.add(placeholders: contents)
        try console.print(report.text)
        console.report(failure)
        // Options for the conversion are given because it is expected to succeed, and may be the reason for the failure.
        for option in [Options.labels as any AnyOption] + OptionGroups.graphInput where arguments.isGiven(option) {
            return .failed
        }
    }
    guard let file = arguments[Options.graph] else { return .done }
    // A model that cannot be loaded cannot be drawn.
    guard let model else { return .failed }
    try file.write(GraphDrawing(model, title: path.split(separator: "/").last.map(String.init) ?? path))
    return .done
}

/// Lines of headings and values.
private struct Report {
    private(set) var text = ""
    /// The names of inputs and outputs that are float16.
    private var halves: Set<String> = []

    private mutating func add(_ heading: String, _ lines: [String]) {
        for (index, line) in lines.enumerated() { text += padded(index == 0 ? heading : "", 16) + line + "\n" }
    }

    private mutating func add(_ heading: String, _ counts: [(kind: String, count: Int)]) {
        let width = counts.map { grouped($0.count).count }.max() ?? 0
        add(heading, counts.map { padded(grouped($0.count), width, left: true) + "  " + $0.kind })
    }

    mutating func add(_ contents: FileContents, _ path: String) {
        halves = contents.halfFeatures
        add("file", [path])
        switch contents.format {
        case .frozenGraph: add("format", ["a frozen TensorFlow graph"])
        case .savedModel: add("format", ["a TensorFlow SavedModel"])
        case .checkpoint: add("format", ["a TensorFlow checkpoint"])
        case .coreML, .coreMLPackage:
            let dialect =
                contents.isPipeline
                ? "a Core ML pipeline" : contents.isProgram ? "an ML Program" : "a Core ML neural network"
            let version = contents.version ?? 0
            let systems = contents.loadableVersion.map { ", for \($0.systems) and later" } ?? ""
            add("format", ["\(dialect), version \(version)\(systems)"])
        }
        add("size", [megabytes(contents.byteCount)])
        add("signatures", contents.signatures)
        add("functions", contents.functions.enumerated().map { $0 == 0 ? "\($1), the default" : $1 })
        if let count = contents.variableCount { add("variables", [grouped(count)]) }
        let isCoreML = contents.format.isCoreML
        add(
            contents.isPipeline ? "kinds" : contents.isProgram ? "operations" : isCoreML ? "layers" : "nodes",
            contents.parts)
        let width = contents.weights.map { grouped($0.count).count }.max() ?? 0
        let forms = contents.weights.map(\.form.count).max() ?? 0
        add(
            "weights",
            contents.weights.map {
                padded(grouped($0.count), width, left: true) + "  " + padded($0.form, forms) + "  "
                    + megabytes($0.bytes)
            })
    }

    /// Adds the model or the pipeline in the file, and prints the report.
    /// - Returns: The model; nil for a pipeline.
    /// - Throws: `Failure` if it cannot be loaded.
    mutating func add(_ contents: FileContents, _ arguments: Arguments, _ console: Console) throws -> Model? {
        let path = arguments.positional[0]
        if contents.isPipeline {
            try arguments.checkOptions(forModelAt: path, isGraph: false, isPipeline: true)
            add(try Pipeline(contentsOfFile: path))
            try console.print(text)
            return nil
        }
        let conversion = try arguments.model(at: path)
        add(conversion.model, isGraph: conversion.isGraph)
        try add(layers: conversion.model)
        try console.print(text)
        conversion.warnings.forEach(console.warn)
        return conversion.model
    }

    mutating func add(placeholders contents: FileContents) {
        add("placeholders", contents.placeholders.map { "\($0.name): \($0.type)" })
    }

    mutating func add(_ pipeline: Pipeline) {
        let width = pipeline.stages.map { "\($0.position) \($0.kind)".count }.max() ?? 0
        add(
            "stages",
            pipeline.stages.map { stage in
                let names = [stage.inputs, stage.outputs].map { names in
                    names.count > 4 ? names.prefix(3).joined(separator: ", ") + ", …" : names.joined(separator: ", ")
                }
                return padded("\(stage.position) \(stage.kind)", width) + "  \(names[0]) → \(names[1])"
            })
        func lines(_ features: [PipelineFeature]) -> [String] {
            features.map { feature in
                let shapes = feature.shapes == .fixed ? "" : " of shape \(feature.shapes)"
                return "\(feature.name): \(feature.type)" + shapes + (feature.isOptional ? ", optional" : "")
            }
        }
        add("inputs", lines(pipeline.inputs))
        add("outputs", lines(pipeline.outputs))
        if let labels = pipeline.labels, let first = labels.first, let last = labels.last {
            add("labels", ["\(labels.count), from '\(first)' to '\(last)'"])
        }
    }

    /// How int8 computes a quantized model.
    mutating func add(layers model: Model) throws {
        let layers = try model.layerPrecisions()
        guard !layers.isEmpty else { return }
        if let record = model.quantization, record.photoCount > 0 {
            let kept = record.photoCount - record.changedCount
            add("quantized", ["\(kept) of \(record.photoCount) photos kept their top label in int8, before writing"])
        }
        let rows = layers.map { layer in
            let range = layer.range.map { "\(short($0.lowerBound)) to \(short($0.upperBound))" } ?? "floating point"
            return (layer.isInteger ? "int8" : "float32", range, "\(layer.name) (\(layer.operation))")
        }
        let width = rows.map(\.1.count).max()!
        add("layers", rows.map { padded($0.0, 9) + padded($0.1, width + 2) + $0.2 })
    }

    private func short(_ value: Float) -> String { fixed(Double(value), 3) }

    mutating func add(_ model: Model, isGraph: Bool) {
        addInputs(model)
        addOutputs(model)
        if let classifier = model.classifier { addLabels(classifier) }
        if isGraph { add("operations", model.graph.operationCounts) }
        add("parameters", [grouped(model.graph.parameterCount)])
        add("multiply-adds", [grouped(model.graph.multiplyAdds)])
        add(model.metadata)
    }

    private mutating func addInputs(_ model: Model) {
        let graph = model.graph
        add(
            "inputs",
            graph.inputs.enumerated().filter { !model.stateInputs.contains($0.offset) }.map { index, port in
                guard let image = model.image(at: index) else {
                    return array(port, graph) + model.arrayNotes(port.name)
                }
                return self.image(port, "\(image.width)×\(image.height)", image.color)
            })
        if let sizes = model.image?.sizes, sizes != .fixed { add("sizes", ["\(sizes)"]) }
        add("preprocessing", model.formulas)
    }

    private func array(_ port: Graph.Port, _ graph: Graph) -> String {
        let type = graph[port.value]
        return "\(port.name): \(halves.contains(port.name) ? TensorType(type.shape, .float16) : type)"
    }

    private func image(_ port: Graph.Port, _ size: String, _ color: ColorLayout) -> String {
        "\(port.name): an image, \(size), \(color.rawValue)" + (halves.contains(port.name) ? ", float16" : "")
    }

    private mutating func addOutputs(_ model: Model) {
        let graph = model.graph
        add(
            "outputs",
            (model.classifier.map { ["\($0.predictedFeature): the top label"] } ?? [])
                + graph.outputs.enumerated().filter { !model.stateOutputs.contains($0.offset) }.map { index, port in
                    if index == 0, model.classifier != nil {
                        return "\(port.name): the probability of each label, \(graph[port.value])"
                            + (model.labelsAreIndependent ? ", independent of the others" : "")
                    }
                    guard let image = model.imageOutput, index == image.index else {
                        return array(port, graph)
                    }
                    return self.image(port, "\(image.form.width)×\(image.form.height)", image.color)
                })
        add("pixels", model.imageOutput?.formulas ?? [])
        add("states", model.stateInputs.sorted().map { "\(graph.inputs[$0].name): \(graph[graph.inputs[$0].value])" })
    }

    private mutating func addLabels(_ classifier: ClassifierConfiguration) {
        let labels = classifier.labels
        let (first, last) = (labels[0], labels[labels.count - 1])
        add(
            "labels",
            [
                classifier.hasIntegerLabels
                    ? "\(labels.count) integers, from \(first) to \(last)"
                    : "\(labels.count), from '\(first)' to '\(last)'"
            ])
    }

    private mutating func add(_ metadata: Metadata) {
        for (heading, value) in [
            ("description", metadata.description), ("author", metadata.author), ("license", metadata.license),
            ("version", metadata.version),
        ] where !value.isEmpty {
            add(heading, value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
        add("features", metadata.features.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
        add("metadata", metadata.userDefined.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })
    }
}
