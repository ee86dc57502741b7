/// Converts a TensorFlow graph to a `Graph`: cut to its outputs, with constants folded, and without nodes that do
/// nothing at inference.
///
/// Nodes are visited in topological order. All nodes that cannot be converted are collected and reported together.
struct Importer {
    /// The graph with its inputs.
    struct Result {
        var graph: Graph
        /// The image inputs, which are the graph's first inputs: float32, batch, height, width, channel.
        var images: [Image]
        /// The names of the nodes that were kept, in order.
        var nodeNames: [String]
        /// Notes: inferences and assumptions, one sentence each.
        var notes: [Note]
        /// Whether the output was detected, in a graph that was made for training.
        var isForTraining: Bool
        /// Warnings about a graph that can be converted.
        var warnings: [Note] = []

        var takesImage: Bool { !images.isEmpty }
    }

    /// An input that is an image.
    struct Image {
        /// The node that it replaces.
        var node: String
        /// Whether the graph itself shows that the image's values are pixels, 0 to 255.
        var takesPixels: Bool
        /// Whether the graph itself decodes its images.
        var isDecoded: Bool
        /// Whether only `openSize` determines the image's size.
        var isSizeOpen: Bool
        /// Whether the graph's own input has channels first.
        var isChannelsFirst: Bool
    }

    /// The state of a node's output.
    enum OutputState {
        case value(Operand)
        /// On the branch of a switch that is never taken.
        case dead
        /// Depends on a node that could not be converted and has been reported.
        case failed
    }

    let graph: GraphIndex
    var context = ImportContext()
    /// The states of the outputs of the nodes that were visited.
    private(set) var states: [String: [OutputState]] = [:]
    var unsupported = UnsupportedNodes()
    /// Whether a node needs integers where an input is floating point.
    var needsIntegers = false
    /// Whether an array that is an input has integers.
    private(set) var hasIntegerArrays = false
    var origins: QuantizedOrigins

    private init(_ graph: GraphIndex) {
        self.graph = graph
        origins = QuantizedOrigins(graph)
    }

    /// - Throws: `Failure` if inputs or outputs cannot be determined, and for nodes that cannot be converted, with the
    ///   cut that would help if there is one.
    static func run(_ source: GraphSource, _ options: ImportOptions) throws -> Result {
        let flat = try FlatGraph(source.index, source.definition.functions, options)
        if let arrays = try options.arrays ?? ArrayInputs.types(flat, options) { return try run(flat, arrays) }
        guard let inputs = try SeveralInputs.find(flat, options) else { return try runWithOneInput(flat, options) }
        var options = options
        options.isOneOfSeveral = true
        do { return try run(flat, flat.outputs, inputs, options) } catch let unsupported as UnsupportedNodes {
            throw unsupported.failure(hint: nil)
        }
    }

    /// - Parameter inputs: The inputs, each found in the graph that the previous one returned.
    static func run(
        _ flat: FlatGraph, _ outputs: [FlatGraph.Output], _ inputs: [InputNode], _ options: ImportOptions
    ) throws -> Result {
        let cut = inputs.last!.graph
        let nodes = try nodes(of: cut, neededBy: outputs.map(\.reference.node), inputs)
        var importer = Importer(cut)
        let read = try importer.add(nodes, inputs, options)
        let needsIndices = importer.hasIntegerArrays && importer.context.builder.graph.hasFloatIndices
        if importer.needsIntegers || needsIndices, !options.keepsIntegers,
            inputs.contains(where: { WideIntegers.element(of: cut.node($0.name)) != nil })
        {
            var options = options
            options.keepsIntegers = true
            return try run(flat, outputs, inputs, options)
        }
        guard importer.unsupported.isEmpty else { throw importer.unsupported }
        try importer.requireDependence(of: outputs)
        for output in outputs { try importer.addOutput(output) }
        var graph = importer.context.builder.graph.pruned()
        if read.isBatchOpen, options.openBatch == 1, inputs.count == 1 {
            try requireAnyBatch(graph) { batch in
                var larger = options
                larger.openBatch = batch
                return try? run(flat, outputs, inputs, larger).graph
            }
        }
        let images = read.images(inOrderOf: inputs)
        let first = images.map(\.node) + inputs.map(\.name).filter { name in !images.contains { $0.node == name } }
        graph.inputs = first.compactMap { name in graph.inputs.first { $0.name == name } }
        let nodeNames = nodes.map(\.name)
        var notes = inputs.flatMap(\.notes) + read.notes + flat.assumptions(of: nodeNames)
        let warning = importer.trainingWarning(flat, image: read.shape)
        if read.isBatchOpen, warning == nil, let name = graph.nodeAcrossBatch {
            notes.append(.batchCombined(name))
        }
        return Result(
            graph: graph, images: images, nodeNames: nodeNames, notes: notes, isForTraining: flat.isForTraining,
            warnings: [warning].compactMap { $0 })
    }

    // MARK: Steps

    /// The nodes to import, each after those that it reads.
    /// - Throws: `Failure` if the outputs do not need all inputs, or need a Boolean placeholder without a value.
    private static func nodes(of cut: GraphIndex, neededBy names: [String], _ inputs: [InputNode]) throws
        -> [NodeDefinition]
    {
        let nodes = try cut.nodes(neededBy: names)
        for input in inputs where !nodes.contains(where: { $0.name == input.name }) {
            throw Failure.outputIndependentOfInput(names, input.name)
        }
        try requireNoBooleanPlaceholder(nodes, but: Set(inputs.map(\.name)))
        return nodes
    }

    /// What the import of the nodes reveals about the inputs.
    private struct InputsRead {
        /// The inputs that are images, in the order of the graph.
        var images: [Image] = []
        var isBatchOpen = false
        /// The shape of the first input.
        var shape: Shape?
        var notes: [Note] = []

        /// The images in the order in which the inputs were found.
        func images(inOrderOf inputs: [InputNode]) -> [Image] {
            images.sorted { image, other in
                inputs.firstIndex { $0.name == image.node }! < inputs.firstIndex { $0.name == other.node }!
            }
        }
    }

    /// Adds the nodes to the graph. Those that cannot be converted are added to `unsupported`.
    private mutating func add(_ nodes: [NodeDefinition], _ inputs: [InputNode], _ options: ImportOptions) throws
        -> InputsRead
    {
        var read = InputsRead()
        for node in nodes {
            guard let input = inputs.first(where: { $0.name == node.name }) else {
                states[node.name] = try results(of: node)
                continue
            }
            let image = InputImage(node, through: nodes, graph)
            if let failure = image.refusal {
                unsupported.add(failure, of: node)
                states[node.name] = [.failed]
                continue
            }
            let inputOptions = options.forInput(node.name)
            let added = try image.add(to: &context, inputOptions)
            states[node.name] = [.value(added.operand)]
            read.notes += [added.note].compactMap { $0 }
            read.isBatchOpen = read.isBatchOpen || image.isBatchOpen
            read.shape = read.shape ?? added.operand.shape
            guard added.isImage else {
                hasIntegerArrays = hasIntegerArrays || WideIntegers.element(of: node) != nil
                continue
            }
            // A scaled image would be truncated.
            let takesIntegers = inputOptions.keepsIntegers && WideIntegers.element(of: node) != nil
            read.images.append(
                Image(
                    node: node.name, takesPixels: input.takesPixels || takesIntegers, isDecoded: input.isDecoder,
                    isSizeOpen: added.isSizeOpen, isChannelsFirst: added.isChannelsFirst))
        }
        return read
    }

    /// - Throws: `Failure` naming the outputs that are constants.
    private func requireDependence(of outputs: [FlatGraph.Output]) throws {
        let constants = outputs.filter { constant(of: $0) != nil }.map(\.name)
        guard constants.isEmpty else {
            throw Failure.outputIndependentOfInput(
                constants, nil, others: outputs.map(\.name).filter { !constants.contains($0) })
        }
    }

    /// - Parameter convert: Imports the graph with another batch; nil if that fails.
    /// - Throws: `Failure` naming a node that takes batches of one size only.
    private static func requireAnyBatch(_ graph: Graph, import convert: (_ batch: Int) -> Graph?) throws {
        guard let finding = FixedBatch.find(in: graph, import: convert) else { return }
        throw Failure.wrongBatchSize(finding.batch).at(finding.node)
    }

    /// The warning about batch normalization in training mode.
    /// - Parameter image: The shape of the image input, which may have no batch axis.
    private func trainingWarning(_ flat: FlatGraph, image: Shape?) -> Note? {
        let batch = image?.rank == 4 ? image![0] : 1
        return flat.training?.warning { input in
            guard let shape = operand(at: GraphIndex.Reference(input))?.shape else { return false }
            return shape.rank >= 2 && shape[0] == batch
        }
    }

    /// - Throws: `Failure` naming the Boolean placeholders whose value is unknown.
    private static func requireNoBooleanPlaceholder(_ nodes: [NodeDefinition], but inputs: Set<String>) throws {
        let switches = nodes.filter { $0.isBooleanPlaceholder && !inputs.contains($0.name) }
        guard switches.isEmpty else { throw Failure.booleansUnset(switches.map(\.name)) }
    }

    /// The graph with these arrays as its inputs, in the order of their names; an output may be a constant.
    private static func run(_ flat: FlatGraph, _ arrays: [String: TensorType]) throws -> Result {
        let graph = flat.graph
        let nodes = try graph.nodes(neededBy: flat.names, stoppingAt: Set(arrays.keys))
        try requireNoBooleanPlaceholder(nodes, but: Set(arrays.keys))
        var importer = Importer(graph)
        for (name, type) in arrays.sorted(on: \.key) {
            importer.states[name] = [.value(.edge(importer.context.builder.input(name, type), type))]
        }
        for node in nodes where arrays[node.name] == nil {
            importer.states[node.name] = try importer.results(of: node)
        }
        guard importer.unsupported.isEmpty else { throw importer.unsupported.failure(hint: nil) }
        for output in flat.outputs {
            if let tensor = importer.constant(of: output) {
                let value = try importer.context.edge(.constant(tensor), name: output.reference.node)
                importer.context.builder.output(output.name, value)
            } else {
                try importer.addOutput(output)
            }
        }
        let nodeNames = nodes.map(\.name)
        return Result(
            graph: importer.context.builder.graph.pruned(), images: [], nodeNames: nodeNames,
            notes: flat.assumptions(of: nodeNames.filter { arrays[$0] == nil }), isForTraining: flat.isForTraining,
            warnings: [importer.trainingWarning(flat, image: arrays.values.map(\.shape).first { $0.rank == 4 })]
                .compactMap { $0 })
    }

    /// The value of an output that does not depend on the input.
    private func constant(of output: FlatGraph.Output) -> Tensor? { operand(at: output.reference)?.constant }

    /// The value of a node's output; nil if it is not computed.
    private func operand(at reference: GraphIndex.Reference) -> Operand? {
        guard let results = states[reference.node], results.indices.contains(reference.output),
            case .value(let operand) = results[reference.output]
        else { return nil }
        return operand
    }

    private mutating func addOutput(_ output: FlatGraph.Output) throws {
        let reference = output.reference
        if let node = graph.node(reference.node), Quantized.returnsQuantized(node.op, output: reference.output) {
            throw Failure.quantizedOutput(node.name, node.op)
        }
        guard case .edge(let value, _)? = operand(at: reference) else {
            throw Failure.outputNotComputed(reference.node, reference.output)
        }
        context.builder.output(output.name, value)
    }
}
