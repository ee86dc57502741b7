import Kernels

extension PlannedNode {
    fileprivate var takesResidual: Bool { traits.residual != nil && residual == nil && activation == nil }

    /// Whether quantized values can be added to its result.
    fileprivate var canAddQuantized: Bool {
        guard case .integer(.convolution(let layer, _)) = form, case .quantized = layer.result else { return false }
        return residual == nil
    }

    fileprivate func takes(_ function: UnaryFunction) -> Bool {
        guard activation == nil else { return false }
        return switch traits.activations {
        case .none: false
        case .clamp: function.kind == .clamp
        // Lanes past the last channel hold zeros, and must stay finite.
        case .any: function.isFiniteAtZero
        }
    }

    /// Whether the node is fused with the depthwise convolution that is its only consumer. Only if little is computed
    /// twice at the edges of bands: if each output depends on a single pixel, or if the image has few channels.
    fileprivate func joinsDepthwise(_ graph: Graph, _ kernels: any KernelTable.Type) -> Bool {
        guard case .convolution(_, _, let window) = form, residual == nil, gates == nil, before.isEmpty else {
            return false
        }
        return window.isPointwise || graph[inputs[0]].shape[3] < kernels.blockWidth
    }

    /// Whether the node is fused with the pointwise convolution that is its only consumer.
    fileprivate func joinsPointwise(
        _ window: Window, filters: Tensor, _ graph: Graph, _ kernels: any KernelTable.Type
    ) -> Bool {
        let shape = graph[outputs[0]].shape
        guard window.isPointwise, shape.rank == 4, let limits = traits.bands else { return false }
        let own = before.reduce(0) { $0 + $1.convolutionWeights }
        return shape[3] >= limits.leastBlocks * kernels.blockWidth
            && shape.dropFirst().reduce(1, *) * kernels.valueType.size >= limits.leastImageBytes
            && (own + filters.elementCount) * kernels.valueType.size <= limits.mostWeightBytes
    }

    private var convolutionWeights: Int {
        guard case .convolution(let filters, _, _) = form else { return 0 }
        return filters.elementCount
    }

    /// The image and the gates of a product that can be applied to the weights of the pointwise convolution that is its
    /// only consumer, if there are fewer weights than values in the image.
    fileprivate func gating(
        _ window: Window, filters: Tensor, _ graph: Graph
    ) -> (image: Graph.Value, gates: Graph.Value)? {
        let shape = graph[outputs[0]].shape
        guard traits.isGating, window.isPointwise, shape[0] == 1, filters.elementCount < shape.elementCount,
            let image = inputs.firstIndex(where: { graph[$0].shape == shape }),
            graph[inputs[1 - image]].shape == [1, 1, 1, shape[3]]
        else { return nil }
        return (inputs[image], inputs[1 - image])
    }

    /// Releases the depthwise convolution that a pointwise one has been fused with, if another depthwise convolution
    /// follows that can be fused with the pointwise one instead. The larger of the images before and after the
    /// pointwise convolution is the one to keep out of memory.
    fileprivate mutating func release(_ graph: Graph) -> PlannedNode? {
        guard let node = before.first, case .depthwise = node.form, residual == nil,
            graph[outputs[0]].shape.elementCount >= graph[node.outputs[0]].shape.elementCount
        else { return nil }
        before = []
        inputs = node.outputs
        multiplyAdds -= node.multiplyAdds
        return node
    }

    /// Fuses with the previous node if nothing else reads that node's result.
    fileprivate mutating func join(_ node: PlannedNode) {
        before = [node]
        inputs = node.inputs
        multiplyAdds += node.multiplyAdds
    }
}

extension Compiler {
    /// Fuses the nodes of a graph and compiles them.
    /// - Throws: `Failure` if a tensor is larger than offsets can address.
    init(
        _ graph: Graph, kernels: any KernelTable.Type, integers: any IntegerKernels.Type, threads: Int,
        choice: AlgorithmChoice
    ) throws {
        try self.init(
            graph, fuse(graph, kernels), kernels: kernels, integers: integers, threads: threads, choice: choice
        ) { FormRow($1.form).addSteps(&$0, $1) }
    }
}

/// The nodes of the graph in order, with activations and residual additions fused into the convolutions before them.
///
/// Only nodes with a single consumer are fused. The convolution moves to the position of the last node fused into it,
/// so that everything it reads has been computed.
private func fuse(_ graph: Graph, _ kernels: any KernelTable.Type) -> [PlannedNode] {
    let counts = graph.consumerCounts
    var planned: [PlannedNode?] = []
    var producers: [Graph.Value: Int] = [:]

    /// Removes the node at `index`, to be inserted again as the producer of `output`.
    func take(_ index: Int, output: Graph.Value) -> PlannedNode {
        var node = planned[index]!
        planned[index] = nil
        node.outputs = [output]
        return node
    }

    /// The node whose result a value has in another shape only, if nothing else reads either.
    func behindReshape(_ value: Graph.Value) -> Int? {
        guard let index = producers[value], case .reshape = planned[index]!.form,
            let source = planned[index]!.inputs.first, counts[source.index] == 1
        else { return nil }
        return producers[source]
    }

    /// Whether a tensor of this shape can be added to the layer that computes its rows.
    func takesRows(_ value: Graph.Value) -> Bool {
        guard let source = behindReshape(value), let layer = planned[source], layer.traits.residual == .plain else {
            return false
        }
        return layer.takesResidual && graph[layer.outputs[0]].shape.last == graph[value].shape.last
    }

    for node in graph.nodes {
        let form = graph.engineForm(of: node, kernels)
        var result = PlannedNode(
            name: node.name, operation: node.operation, form: form, traits: FormRow(form).traits, inputs: node.inputs,
            outputs: node.outputs, multiplyAdds: graph.multiplyAdds(of: node))
        let fusible = node.inputs.filter { counts[$0.index] == 1 && producers[$0] != nil }
        switch form {
        case .unary(let function):
            if let input = fusible.first, planned[producers[input]!]!.takes(function) {
                result = take(producers[input]!, output: node.outputs[0])
                result.activation = function
            } else if let input = fusible.first, let source = behindReshape(input), planned[source]!.takes(function) {
                planned[source]!.activation = function
                result = take(producers[input]!, output: node.outputs[0])
            }
        case .depthwise:
            if let input = fusible.first, let before = planned[producers[input]!]!.release(graph) {
                producers[before.outputs[0]] = planned.count
                planned.append(before)
            }
            if let input = fusible.first, planned[producers[input]!]!.joinsDepthwise(graph, kernels) {
                result.join(take(producers[input]!, output: input))
            }
        case .convolution(let filters, _, let window):
            if let input = fusible.first,
                planned[producers[input]!]!.joinsPointwise(window, filters: filters, graph, kernels)
            {
                result.join(take(producers[input]!, output: input))
            } else if let input = fusible.first,
                let (image, gates) = planned[producers[input]!]!.gating(window, filters: filters, graph)
            {
                planned[producers[input]!] = nil
                result.inputs = [image]
                result.gates = gates
            }
        case .integer(.addition(let addition)):
            let candidates = fusible.filter {
                planned[producers[$0]!]!.canAddQuantized && node.inputs[0] != node.inputs[1]
            }
            if let input = candidates.max(by: { producers[$0]! < producers[$1]! }) {
                result = take(producers[input]!, output: node.outputs[0])
                result.residual = node.inputs.first { $0 != input }
                result.addition = node.inputs[0] == input ? addition : addition.swapped
            }
        case .binary(.add):
            let candidates = fusible.filter { planned[producers[$0]!]!.takesResidual }
            if let input = candidates.max(by: { producers[$0]! < producers[$1]! }) {
                result = take(producers[input]!, output: node.outputs[0])
                result.residual = node.inputs.first { $0 != input }
            } else if let input = fusible.last(where: takesRows) {
                // Rows in another shape. The layer moves here, and the reshape after it.
                let source = behindReshape(input)!
                var layer = take(source, output: planned[source]!.outputs[0])
                layer.residual = node.inputs.first { $0 != input }
                producers[layer.outputs[0]] = planned.count
                planned.append(layer)
                result = take(producers[input]!, output: node.outputs[0])
            }
        default: break
        }
        for output in result.outputs { producers[output] = planned.count }
        planned.append(result)
    }
    return planned.compactMap { $0 }
}

extension Graph {
    /// The form in which the engine's kernels compute a node. Most support only float32 tensors.
    fileprivate func engineForm(of node: Node, _ kernels: any KernelTable.Type) -> EngineForm? {
        let blockWidth = kernels.blockWidth
        guard let operation = node.operation as? any EngineOperation,
            (node.inputs + node.outputs).allSatisfy({ self[$0].shape.elementCount > 0 })
        else { return nil }
        let form = operation.engineForm(node.inputs.map { self[$0] }, self[node.outputs[0]])
        guard let form, form.hasSmallBorders else { return nil }
        let elements = Set((node.inputs + node.outputs).map { self[$0].element })
        guard elements == [.float32] || form.supportsQuantized && elements.isSubset(of: [.float32, .uint8]) else {
            return nil
        }
        // The kernel reads a value for every channel of a block.
        if case .binaryChannels(let function, _) = form, self[node.outputs[0]].shape[3] % blockWidth != 0 {
            return .broadcast(function)
        }
        if case .dataMovement = form { return form }
        guard node.outputs.count == 1 else { return nil }
        if elements.contains(.uint8) {
            // Quantized images have blocks of this width, with rows of floats next to them.
            return blockWidth == integerBlockWidth && kernels.valueType == .float32 ? form : nil
        }
        return form.inSections(inputChannels: self[node.inputs[0]].shape.last ?? 1, blockWidth: blockWidth)
    }
}

extension EngineForm {
    /// Whether tensors may be quantized.
    fileprivate var supportsQuantized: Bool {
        switch self {
        case .integer, .reshape, .concatenation, .border: true
        default: false
        }
    }

    /// Here, borders are stored in memory. Large ones are left to the reference implementation, which stores none.
    fileprivate var hasSmallBorders: Bool {
        let border = FormRow(self).traits.border
        return [border.top, border.bottom, border.left, border.right].allSatisfy { $0 <= 256 }
    }
}

extension Window {
    fileprivate var isPointwise: Bool { [height, width].allSatisfy { $0.size == 1 && $0.stride == 1 } && !hasPadding }
}
