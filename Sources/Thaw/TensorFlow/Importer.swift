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
    private enum Known {
        case operand(Operand)
        /// On the branch of a switch that is never taken.
        case dead
        /// Depends on a node that could not be converted and has been reported.
        case unknown
    }

    private let survey: GraphSurvey
    private var context = ImportContext()
    private var known: [String: [Known]] = [:]
    private var refusal = Refusal()
    private var origins: QuantizedOrigins

    private init(_ survey: GraphSurvey) {
        self.survey = survey
        origins = QuantizedOrigins(survey)
    }

    /// - Throws: `Failure` if inputs or outputs cannot be determined, and for nodes that cannot be converted, with the
    ///   cut that would help if there is one.
    static func run(_ definition: GraphDefinition, _ options: ImportOptions) throws -> Result {
        let flat = try FlatGraph(definition, options)
        if let arrays = try options.arrays ?? ArrayInputs.types(flat, options) { return try run(flat, arrays) }
        if let inputs = try SeveralInputs.find(flat, options) {
            var options = options
            options.isOneOfSeveral = true
            do { return try run(flat, flat.outputs, inputs, options) } catch let refusal as Refusal {
                throw refusal.failure(hint: nil)
            }
        }
        let input = try InputNode(flat.survey, outputs: flat.names, given: options.input, size: options.size)
        let options = options.forInput(input.name)
        let known = try withOpenSize(flat, input, options)
        do {
            var result = try run(flat, flat.outputs, [input], known.options)
            result.notes.insert(contentsOf: known.notes, at: 0)
            return result
        } catch let refusal as Refusal {
            if refusal.unsupported.isEmpty, let hint = try sizeHint(flat, input, options) {
                var failure = refusal.failure(hint: nil)
                failure.hint = hint
                throw failure
            }
            let order = try input.survey.order(from: flat.names, stoppingAt: []).map { input.survey.nodes[$0] }
            let search = CutSearch(order, input: input.name, outputs: flat.names, refused: refusal.nodes)
            guard !refusal.holdsVariables else { throw refusal.failure(hint: nil) }
            let words = search.words(input.survey.node(input.name)?.imageSize) { name, outputs, size in
                var cut = known.options
                cut.input = name ?? options.input
                cut.size = size ?? (name == nil ? known.options : options).size
                return try? weights(
                    flat, outputs == flat.names ? flat.outputs : outputs.map { FlatGraph.Output($0) }, cut)
            }
            throw refusal.failure(hint: words)
        }
    }

    /// The number of weights of the graph with this cut.
    private static func weights(_ flat: FlatGraph, _ outputs: [FlatGraph.Output], _ options: ImportOptions) throws
        -> Int
    {
        let input = try InputNode(
            flat.survey, outputs: outputs.map(\.reference.node), given: options.input, size: options.size)
        return try run(flat, outputs, [input], options).graph.parameterCount
    }

    /// - Parameter inputs: The inputs, each found in the graph that the previous one returned.
    static func run(
        _ flat: FlatGraph, _ outputs: [FlatGraph.Output], _ inputs: [InputNode], _ options: ImportOptions
    ) throws -> Result {
        let names = outputs.map(\.reference.node)
        let cut = inputs.last!.survey
        let order = try cut.order(from: names, stoppingAt: [])
        for input in inputs where !order.contains(where: { cut.nodes[$0].name == input.name }) {
            throw Failure.outputIndependentOfInput(names, input.name)
        }
        try requireNoOpenSwitch(order.map { cut.nodes[$0] }, but: Set(inputs.map(\.name)))
        var importer = Importer(cut)
        var images: [Image] = []
        var isBatchOpen = false
        var shape: Shape?
        var notes = inputs.flatMap(\.notes)
        for index in order {
            let node = cut.nodes[index]
            if let input = inputs.first(where: { $0.name == node.name }) {
                let image = InputImage(node, through: order.map { cut.nodes[$0] }, cut)
                if let failure = image.refusal {
                    importer.refusal.add(failure, of: node)
                    importer.known[node.name] = [.unknown]
                    continue
                }
                let added = try image.add(to: &importer.context, options.forInput(node.name))
                importer.known[node.name] = [.operand(added.operand)]
                notes += [added.note].compactMap { $0 }
                isBatchOpen = isBatchOpen || image.isBatchOpen
                shape = shape ?? added.operand.shape
                guard added.isImage else { continue }
                images.append(
                    Image(
                        node: node.name, takesPixels: input.takesPixels, isDecoded: input.isDecoder,
                        isSizeOpen: added.isSizeOpen, isChannelsFirst: added.isChannelsFirst))
            } else {
                importer.known[node.name] = try importer.results(of: node)
            }
        }
        guard importer.refusal.isEmpty else { throw importer.refusal }
        let constants = outputs.filter { importer.constant(of: $0) != nil }.map(\.name)
        guard constants.isEmpty else {
            throw Failure.outputIndependentOfInput(
                constants, nil, others: outputs.map(\.name).filter { !constants.contains($0) })
        }
        for output in outputs { try importer.addOutput(output) }
        let nodeNames = order.map { cut.nodes[$0].name }
        notes += flat.assumptions(of: nodeNames)
        var graph = importer.context.builder.graph.pruned()
        if isBatchOpen, options.openBatch == 1, inputs.count == 1 {
            let finding = FixedBatch.find(in: graph) { batch in
                var larger = options
                larger.openBatch = batch
                return try? run(flat, outputs, inputs, larger).graph
            }
            if let finding { throw Failure.wrongBatchSize(finding.batch).at(finding.node) }
        }
        // In the order in which they were found, but images first.
        images.sort { image, other in
            inputs.firstIndex { $0.name == image.node }! < inputs.firstIndex { $0.name == other.node }!
        }
        let first = images.map(\.node) + inputs.map(\.name).filter { name in !images.contains { $0.node == name } }
        graph.inputs = first.compactMap { name in graph.inputs.first { $0.name == name } }
        let warning = importer.trainingWarning(flat, image: shape)
        if isBatchOpen, warning == nil, let name = graph.nodeAcrossBatch {
            notes.append(.batchCombined(name))
        }
        return Result(
            graph: graph, images: images, nodeNames: nodeNames, notes: notes, warnings: [warning].compactMap { $0 })
    }

    /// The warning about batch normalization in training mode.
    /// - Parameter image: The shape of the image input, which may have no batch axis.
    private func trainingWarning(_ flat: FlatGraph, image: Shape?) -> Note? {
        let batch = image?.rank == 4 ? image![0] : 1
        return flat.training?.warning { input in
            let reference = GraphSurvey.Reference(input)
            guard let results = known[reference.node], results.indices.contains(reference.output),
                case .operand(let operand) = results[reference.output]
            else { return false }
            return operand.shape.rank >= 2 && operand.shape[0] == batch
        }
    }

    /// - Throws: `Failure` naming the Boolean placeholders whose value is unknown.
    private static func requireNoOpenSwitch(_ nodes: [NodeDefinition], but inputs: Set<String>) throws {
        let switches = nodes.filter { $0.isOpenSwitch && !inputs.contains($0.name) }
        guard switches.isEmpty else { throw Failure.switchesOpen(switches.map(\.name)) }
    }

    /// The graph with these arrays as its inputs, in the order of their names; an output may be a constant.
    private static func run(_ flat: FlatGraph, _ arrays: [String: TensorType]) throws -> Result {
        let survey = flat.survey
        let order = try survey.order(from: flat.names, stoppingAt: Set(arrays.keys))
        try requireNoOpenSwitch(order.map { survey.nodes[$0] }, but: Set(arrays.keys))
        var importer = Importer(survey)
        for (name, type) in arrays.sorted(on: \.key) {
            importer.known[name] = [.operand(.edge(importer.context.builder.input(name, type), type))]
        }
        for index in order where arrays[survey.nodes[index].name] == nil {
            importer.known[survey.nodes[index].name] = try importer.results(of: survey.nodes[index])
        }
        guard importer.refusal.isEmpty else { throw importer.refusal.failure(hint: nil) }
        for output in flat.outputs {
            if let tensor = importer.constant(of: output) {
                let value = try importer.context.edge(.constant(tensor), name: output.reference.node)
                importer.context.builder.output(output.name, value)
            } else {
                try importer.addOutput(output)
            }
        }
        let nodeNames = order.map { survey.nodes[$0].name }
        return Result(
            graph: importer.context.builder.graph.pruned(), images: [], nodeNames: nodeNames,
            notes: flat.assumptions(of: nodeNames.filter { arrays[$0] == nil }))
    }

    /// The value of an output that does not depend on the input.
    private func constant(of output: FlatGraph.Output) -> Tensor? {
        guard let results = known[output.reference.node], results.indices.contains(output.reference.output),
            case .operand(let operand) = results[output.reference.output]
        else { return nil }
        return operand.constant
    }

    private mutating func addOutput(_ output: FlatGraph.Output) throws {
        let reference = output.reference
        if let node = survey.node(reference.node), Quantized.givesQuantized(node.op, output: reference.output) {
            throw Failure.quantizedOutput(node.name, node.op)
        }
        guard let results = known[reference.node], results.indices.contains(reference.output),
            case .operand(.edge(let value, _)) = results[reference.output]
        else { throw Failure.outputNotComputed(reference.node, reference.output) }
        context.builder.output(output.name, value)
    }

    // MARK: Nodes

    private mutating func results(of node: NodeDefinition) throws -> [Known] {
        let references = node.inputs.map { GraphSurvey.Reference($0) }.filter { !$0.isControl }
        let inputs = references.map { reference -> Known in
            guard let results = known[reference.node] else { return .unknown }
            if results.indices.contains(reference.output) { return results[reference.output] }
            // A node that was not converted, or is never computed, has a single state for all outputs.
            switch results.first {
            case .operand?:
                let isArgmax = survey.node(reference.node)?.op == "MaxPoolWithArgmax"
                refusal.add(
                    isArgmax
                        ? Failure.positionsOfLargest(node.name, node.op, reference.node)
                        : Failure.missingOutput(node.name, node.op, reference.text), of: node)
                return .unknown
            case let other: return other ?? .unknown
            }
        }
        if node.has([.switching, .selecting]) { return try branch(node, inputs) }
        if node.has(.merge) { return merge(node, inputs) }
        if node.has(.barrier) { return [] }
        if inputs.contains(where: { if case .dead = $0 { true } else { false } }) { return [.dead] }
        guard let rule = Operations.tensorFlow[node.op] else {
            refusal.add(node)
            return [.unknown]
        }
        let operands = inputs.compactMap { if case .operand(let operand) = $0 { operand } else { nil } }
        guard operands.count == inputs.count else { return [.unknown] }
        do {
            try origins.check(node)
            let results = try naming(node: Failure.Node(name: node.name, op: node.op)) {
                let node = ShortIntegers.matchingImage(TensorFlowNode(definition: node, inputs: operands))
                try ShortIntegers.checkImage(node, rule, context)
                let results = try ShortIntegers(node)?.build(rule, &context) ?? rule.build(node, &context)
                // Without inputs, they are the file's constants.
                if !operands.isEmpty { try context.count(results, from: operands) }
                return results
            }
            return results.map { .operand($0) }
        } catch let failure as Failure {
            refusal.add(failure, of: node)
            return [.unknown]
        }
    }

    /// A switch on a constant passes its input to the selected branch: output 1 if the predicate is true, otherwise
    /// output 0. With several branches, the constant is the index; any other value selects the last branch.
    private mutating func branch(_ node: NodeDefinition, _ inputs: [Known]) throws -> [Known] {
        var count = 2
        if node.has(.selecting) {
            guard case .int(let sides)? = node.attributes["num_outs"], (1...Importer.mostSides).contains(sides) else {
                throw Failure.badAttribute(node.name, node.op, "num_outs")
            }
            count = sides
        }
        var sides = [Known](repeating: .unknown, count: count)
        guard inputs.count == 2, case .operand(let predicate) = inputs[1] else { return sides }
        guard let constant = predicate.constant, constant.elementCount == 1 else {
            refusal.add(Failure.dataDependent(node.name, node.op), of: node)
            return sides
        }
        let number = constant.integers[0]
        let side = node.has(.selecting) ? (0..<count).contains(number) ? number : count - 1 : number != 0 ? 1 : 0
        sides = [Known](repeating: .dead, count: count)
        sides[side] = inputs[0]
        return sides
    }

    /// More branches than any real condition has.
    private static let mostSides = 1 << 16

    /// A merge passes on the input that is computed; its second output is the index of that input.
    private func merge(_ node: NodeDefinition, _ inputs: [Known]) -> [Known] {
        for (index, input) in inputs.enumerated() {
            if case .dead = input { continue }
            return [input, .operand(.constant(Tensor(Double(index), element: .int32)))]
        }
        return [.dead, .dead]
    }
}
