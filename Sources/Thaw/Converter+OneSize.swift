/// The steps of a conversion.
extension Converter {
    func convertOneSize(_ source: GraphSource, labels: Labels?) throws -> Conversion {
        if labels != nil, options.imageOutput == true || options.describesImageOutput {
            throw Failure.imageOfClassifier(options.imageOutputName)
        }
        var imported = try imported(source, labels)
        for input in imported.graph.inputs {
            let shape = imported.graph[input.value].shape
            guard shape.elementCount > 0 else { throw Failure.inputEmpty(input.name, shape) }
        }
        let ofInputs = try nameInputs(of: &imported, source)
        var notes = notes(on: imported, source)
        if let labels {
            let isOpen = options.outputs.isEmpty
            let fitting = imported.graph.putFirst(classCount: labels.names.count, prefersProbabilities: isOpen)
            if isOpen, fitting.count > 1 { notes.append(.classOutputChosen(fitting)) }
        }
        if source.isForTraining || imported.isForTraining, let port = imported.graph.outputs.first {
            notes.append(.outputDetected(port.name, imported.graph[port.value]))
        }
        var conversion = try conversion(of: imported, source, notes)
        for index in imported.images.indices {
            try addImage(index, ofInputs[index], imported, source, to: &conversion, isClassifier: labels != nil)
        }
        addNotesOnInputs(imported, to: &conversion)
        try conversion.model.graph.validate()
        if let labels {
            try addLabels(labels, imported.graph, to: &conversion)
        } else {
            conversion.model.imageOutput = try imageOutput(
                conversion.model, &conversion.notes, conversion.pixelRange)
        }
        try conversion.model.rename(options.renamings)
        conversion.notes += conversion.model.makeNamesUnique()
        for (name, text) in options.metadata.features.sorted(on: \.key) {
            try conversion.model.describe(name, text)
        }
        return conversion
    }

    /// Notes on the import's assumptions, and on the outputs that it dropped.
    private func notes(on imported: Importer.Result, _ source: GraphSource) -> [Note] {
        var notes = [source.noteOnAverages].compactMap { $0 } + imported.notes
        if options.outputs.isEmpty, let signature = source.signature {
            if !signature.textOutputs.isEmpty { notes.append(.textOutputsDropped(signature.textOutputs)) }
            if !signature.constantOutputs.isEmpty { notes.append(.constantOutputsDropped(signature.constantOutputs)) }
        }
        return notes
    }

    /// The conversion of a graph before its inputs become images.
    private func conversion(
        of imported: Importer.Result, _ source: GraphSource, _ notes: [Note]
    ) throws -> Conversion {
        let single = try imported.takesImage ? imported.graph.withBatchOfOne() : imported.graph
        var model = Model(graph: try Passes.run(Passes.simplification, on: single), metadata: options.metadata)
        model.metadata.features = [:]
        var conversion = Conversion(model: model, notes: notes, warnings: imported.warnings)
        conversion.assumptions = notes
        conversion.graphWarnings = imported.warnings
        conversion.openSource = imported.images.contains(where: \.isSizeOpen) ? source : nil
        conversion.original = single
        conversion.hasShortWeights = source.definition.nodes.haveShortWeights
        return conversion
    }

    /// The graph as operations. If its output is ambiguous, the hint names one that fits the labels.
    private func imported(_ source: GraphSource, _ labels: Labels?) throws -> Importer.Result {
        do { return try Importer.run(source, optionsForImport(of: source)) } catch var failure as Failure {
            guard failure.code == .ambiguousOutputs, let labels, failure.names.count <= Converter.maximumCandidates
            else {
                throw failure
            }
            var options = self.options
            let fitting = failure.names.last { name in
                options.outputs = [name]
                return (try? Converter(options).convertOneSize(source, labels: labels)) != nil
            }
            if let fitting { failure.hint = "\(option: .outputs) \(fitting)" }
            throw failure
        }
    }

    /// With more possible outputs than this, trying them takes long.
    private static let maximumCandidates = 8

    /// The options for reading a graph, with the inputs and outputs of its signature.
    private func optionsForImport(of source: GraphSource) -> ImportOptions {
        var result = importOptions
        if let inputs = source.signature?.inputs {
            // Encoded images are strings; the image input is the decoded image.
            if inputs.count == 1, !source.isText(inputs[0].tensor) {
                result.input = result.input ?? inputs[0].tensor
            }
            for input in inputs {
                let node = GraphIndex.Reference(input.tensor).node
                result.keys[node] = input.key
                if options.arrays?.names.contains(input.key) == true { result.arrayInputs.insert(node) }
            }
        }
        if !source.outputs.isEmpty { result.outputs = source.outputs }
        result.mayRepeatOutputs = source.signature != nil
        return result
    }

    /// Names inputs and outputs by the signature.
    /// - Returns: The options for each input, which may use the name of its node or of the signature.
    /// - Throws: `Failure` for options for an unknown input.
    private func nameInputs(of imported: inout Importer.Result, _ source: GraphSource) throws -> [InputOptions] {
        let nodes = imported.graph.inputs.map(\.name)
        if let signature = source.signature { imported.graph.rename(by: signature) }
        let names = zip(nodes, imported.graph.inputs.map(\.name)).map { [$0, $1] }
        if let unknown = options.inputs.keys.sorted().first(where: { name in !names.contains { $0.contains(name) } }) {
            throw Failure.unknownInput(unknown, imported.graph.inputs.map(\.name))
        }
        return names.map { $0.lazy.compactMap { options.inputs[$0] }.first ?? InputOptions() }
    }

    /// Makes the input at `index` an image, and moves the preprocessing at its beginning out of the graph.
    private func addImage(
        _ index: Int, _ own: InputOptions, _ imported: Importer.Result, _ source: GraphSource,
        to conversion: inout Conversion, isClassifier: Bool
    ) throws {
        let lifting = try conversion.model.graph.withLiftedPreprocessing(ofInput: index)
        if let lifting { conversion.model.graph = lifting.graph }
        let graph = conversion.model.graph
        let lifted = lifting.map { PixelScaling($0.lifted) }
        // A trial needs a single image input.
        if !isClassifier, graph.inputs.count == 1 {
            conversion.pixelRange = pixelRange(graph, lifted, source, imported)
        }
        let decision = try PreprocessingDecision(
            PreprocessingDecision.Evidence(
                options: options.ofImage(at: index, own, graph), graph: graph, index: index, lifted: lifted,
                imported: imported, source: source.definition, trial: conversion.pixelRange))
        let port = graph.inputs[index]
        let shape = graph[port.value].shape
        var image = ImageInput(
            name: port.name, width: shape[2], height: shape[1], color: decision.color, scaling: decision.scaling)
        if let lifted {
            image.scaling = image.scaling.followed(by: lifted)
            image.lifted = lifted
        }
        if image.scaling != conversion.pixelRange?.input { conversion.pixelRange = nil }
        image.isChannelsFirst = imported.images[index].isChannelsFirst
        conversion.notes += decision.notes.filter { !conversion.notes.contains($0) }
        conversion.warnings += decision.warnings.filter { !conversion.warnings.contains($0) }
        if index == 0 {
            conversion.model.image = image
            conversion.isPreprocessingCertain = decision.isCertain
        } else {
            conversion.model.otherImages[index] = image
        }
    }

    private func addNotesOnInputs(_ imported: Importer.Result, to conversion: inout Conversion) {
        let inputs = conversion.model.graph.inputs.map(\.name)
        conversion.notes += conversion.model.formulas.map(Note.formula)
        if imported.images.isEmpty { conversion.notes.append(.arrayInput(count: inputs.count)) }
        if inputs.count > 1 { conversion.notes.append(.severalInputs(inputs)) }
    }

    /// Makes the model a classifier.
    /// - Parameter graph: The graph before the passes.
    private func addLabels(_ labels: Labels, _ graph: Graph, to conversion: inout Conversion) throws {
        do { try labels.check(classCount: conversion.model.classCount) } catch var failure as Failure {
            if let front = graph.scoresNode {
                failure.hint = Failure.choiceHint(graph.outputs[0].name, isIndex: front.isOfIndices, front.name)
            }
            throw failure
        }
        conversion.warnings += labels.warnings
        conversion.model.classifier = ClassifierConfiguration(
            labels: options.hasIntegerLabels ? try labels.integers() : labels.names,
            hasIntegerLabels: options.hasIntegerLabels, probabilities: conversion.model.graph.outputs[0].name)
        try conversion.model.nameClasses(label: options.predictedFeature, probabilities: options.probabilities)
    }
}
