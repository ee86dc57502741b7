import Kernels

extension PlannedNode {
    fileprivate var takesResidual: Bool { traits.residual != nil && residual == nil && activation == nil }

    /// Whether quantized values can be added to its result.
    fileprivate var takesQuantizedResidual: Bool { traits.addsQuantized && residual == nil }

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
        guard let expansion = traits.expansion, residual == nil, gates == nil, before.isEmpty else { return false }
        return expansion.isPointwise || graph[inputs[0]].shape[3] < kernels.blockWidth
    }

    /// Whether the node is fused with the pointwise convolution that is its only consumer.
    fileprivate func joinsPointwise(filters: Tensor, _ graph: Graph, _ kernels: any KernelTable.Type) -> Bool {
        let shape = graph[outputs[0]].shape
        guard shape.rank == 4, let limits = traits.bands else { return false }
        let expansionWeights = before.reduce(0) { $0 + ($1.traits.expansion?.weightCount ?? 0) }
        return shape[3] >= limits.minimumBlocks * kernels.blockWidth
            && shape.dropFirst().reduce(1, *) * kernels.valueType.size >= limits.minimumImageBytes
            && (expansionWeights + filters.elementCount) * kernels.valueType.size <= limits.maximumWeightBytes
    }

    /// The image and the gates of a product that can be applied to the weights of the pointwise convolution that is its
    /// only consumer, if there are fewer weights than values in the image.
    fileprivate func gating(filters: Tensor, _ graph: Graph) -> (image: Graph.Value, gates: Graph.Value)? {
        let shape = graph[outputs[0]].shape
        guard traits.isGating, shape[0] == 1, filters.elementCount < shape.elementCount,
            let image = inputs.firstIndex(where: { graph[$0].shape == shape }),
            graph[inputs[1 - image]].shape == [1, 1, 1, shape[3]]
        else { return nil }
        return (inputs[image], inputs[1 - image])
    }

    /// Releases the depthwise convolution that a pointwise one has been fused with, if another depthwise convolution
    /// follows that can be fused with the pointwise one instead. The larger of the images before and after the
    /// pointwise convolution is the one to keep out of memory.
    fileprivate mutating func release(_ graph: Graph) -> PlannedNode? {
        guard let node = before.first, case .depthwise = node.traits.fusion, residual == nil,
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
            graph, FusedNodes(graph, kernels).nodes, kernels: kernels, integers: integers, threads: threads,
            choice: choice
        ) { FormRow($1.form).addSteps(&$0, $1) }
    }
}

/// The nodes of a graph in order, with activations and residual additions fused into the convolutions before them.
///
/// Only nodes with a single consumer are fused. The convolution moves to the position of the last node fused into it,
/// so that everything it reads has been computed.
private struct FusedNodes {
    private let graph: Graph
    private let kernels: any KernelTable.Type
    private let consumerCounts: [Int]
    /// Nil for nodes that have been fused into later ones.
    private var planned: [PlannedNode?] = []
    /// The index of the node that computes a value.
    private var producers: [Graph.Value: Int] = [:]

    var nodes: [PlannedNode] { planned.compactMap { $0 } }

    init(_ graph: Graph, _ kernels: any KernelTable.Type) {
        (self.graph, self.kernels) = (graph, kernels)
        consumerCounts = graph.consumerCounts
        for node in graph.nodes {
            let form = graph.engineForm(of: node, kernels)
            add(
                PlannedNode(
                    name: node.name, operation: node.operation, form: form, traits: FormRow(form).traits,
                    inputs: node.inputs, outputs: node.outputs, multiplyAdds: graph.multiplyAdds(of: node)))
        }
    }

    /// Adds a node, fused with others if possible.
    private mutating func add(_ node: PlannedNode) {
        let inputs = node.inputs.filter { consumerCounts[$0.index] == 1 && producers[$0] != nil }
        let fused: PlannedNode? =
            switch node.traits.fusion {
            case .none: nil
            case .activation(let function): activated(inputs.first, function, output: node.outputs[0])
            case .residual: withResidual(node, inputs)
            case .quantizedResidual(let addition): withQuantizedResidual(node, addition, inputs)
            case .depthwise: depthwise(node, after: inputs.first)
            case .pointwise(let filters): pointwise(node, filters: filters, after: inputs.first)
            }
        append(fused ?? node)
    }

    private mutating func append(_ node: PlannedNode) {
        for output in node.outputs { producers[output] = planned.count }
        planned.append(node)
    }

    private func producer(of value: Graph.Value) -> PlannedNode { planned[producers[value]!]! }

    /// Removes the node at `index`, to be added again as the producer of `output`.
    private mutating func take(_ index: Int, output: Graph.Value) -> PlannedNode {
        var node = planned[index]!
        planned[index] = nil
        node.outputs = [output]
        return node
    }

    /// Removes the node that computes a value, to be added again as the producer of `output`.
    private mutating func takeProducer(of value: Graph.Value, output: Graph.Value) -> PlannedNode {
        take(producers[value]!, output: output)
    }

    /// The index of the node whose result a value has in another shape only, if nothing else reads either.
    private func behindReshape(_ value: Graph.Value) -> Int? {
        guard let index = producers[value], case .input = planned[index]!.traits.memory,
            let source = planned[index]!.inputs.first, consumerCounts[source.index] == 1
        else { return nil }
        return producers[source]
    }

    // Each of the following functions returns the fused node, or nil if the node stays separate. `input` is an input
    // that nothing else reads.

    private mutating func activated(
        _ input: Graph.Value?, _ function: UnaryFunction, output: Graph.Value
    ) -> PlannedNode? {
        guard let input else { return nil }
        if producer(of: input).takes(function) {
            var result = takeProducer(of: input, output: output)
            result.activation = function
            return result
        }
        guard let source = behindReshape(input), planned[source]!.takes(function) else { return nil }
        planned[source]!.activation = function
        return takeProducer(of: input, output: output)
    }

    private mutating func withResidual(_ node: PlannedNode, _ inputs: [Graph.Value]) -> PlannedNode? {
        if let input = last(of: inputs.filter { producer(of: $0).takesResidual }) {
            var result = takeProducer(of: input, output: node.outputs[0])
            result.residual = node.inputs.first { $0 != input }
            return result
        }
        guard let input = inputs.last(where: { takesRows($0) }), let source = behindReshape(input) else { return nil }
        // Rows in another shape. The layer moves here, and the reshape after it.
        var layer = take(source, output: planned[source]!.outputs[0])
        layer.residual = node.inputs.first { $0 != input }
        append(layer)
        return takeProducer(of: input, output: node.outputs[0])
    }

    private mutating func withQuantizedResidual(
        _ node: PlannedNode, _ addition: QuantizedAddition, _ inputs: [Graph.Value]
    ) -> PlannedNode? {
        guard node.inputs[0] != node.inputs[1],
            let input = last(of: inputs.filter { producer(of: $0).takesQuantizedResidual })
        else { return nil }
        var result = takeProducer(of: input, output: node.outputs[0])
        result.residual = node.inputs.first { $0 != input }
        result.addition = node.inputs[0] == input ? addition : addition.swapped
        return result
    }

    /// The value that is computed last.
    private func last(of values: [Graph.Value]) -> Graph.Value? { values.max { producers[$0]! < producers[$1]! } }

    /// Whether a tensor of this shape can be added to the layer that computes its rows.
    private func takesRows(_ value: Graph.Value) -> Bool {
        guard let source = behindReshape(value), let layer = planned[source], layer.traits.residual == .plain else {
            return false
        }
        return layer.takesResidual && graph[layer.outputs[0]].shape.last == graph[value].shape.last
    }

    private mutating func depthwise(_ node: PlannedNode, after input: Graph.Value?) -> PlannedNode? {
        guard let input else { return nil }
        if let before = planned[producers[input]!]!.release(graph) { append(before) }
        // Offsets within a plane of the image between them have 32 bits, although it is never stored.
        let between = Location(graph[input], slot: -1, kind: .blocked, kernels: kernels, halo: node.traits.border)
        guard between.blockStride <= Int32.max, producer(of: input).joinsDepthwise(graph, kernels) else { return nil }
        var result = node
        result.join(takeProducer(of: input, output: input))
        return result
    }

    private mutating func pointwise(_ node: PlannedNode, filters: Tensor, after input: Graph.Value?) -> PlannedNode? {
        guard let input else { return nil }
        var result = node
        if producer(of: input).joinsPointwise(filters: filters, graph, kernels) {
            result.join(takeProducer(of: input, output: input))
            return result
        }
        guard let (image, gates) = producer(of: input).gating(filters: filters, graph) else { return nil }
        planned[producers[input]!] = nil
        result.inputs = [image]
        result.gates = gates
        return result
    }
}
