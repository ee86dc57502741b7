import Kernels

extension Graph {
    /// Whether any values are quantized, so that their ranges are known.
    var hasRanges: Bool { nodes.contains { $0.operation is AffineQuantize } }

    /// The graph with everything between quantized values computed with 8-bit integers.
    ///
    /// If a value is quantized and dequantized again, its consumers read the quantized value instead, if they have an
    /// integer form. Quantized values are unsigned here: int8 values are shifted by 128. Everything else computes in
    /// floats, as before.
    /// - Throws: `Failure` naming a layer whose weights are not finite: the next quantization would hide its NaN.
    func withIntegers() throws -> Graph {
        let graph = try integersAndSources().graph
        for node in graph.nodes {
            guard let layer = node.operation as? any QuantizableLayer else { continue }
            let weights = [layer.kernel] + [layer.bias].compactMap { $0 }
            guard weights.allSatisfy(\.isFinite) else { throw Failure.weightsNotFinite(node.identity) }
        }
        return graph
    }

    /// The graph with integers, and the node of this graph that each of its nodes replaces, by name.
    func integersAndSources() throws -> (graph: Graph, sources: [String: Node]) {
        let nodesByName = Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0) })
        guard hasRanges else { return (self, nodesByName) }
        var network = QuantizedNetwork(self)
        var integers = try rebuilt { try network.replace($0, $1, &$2) }
        // A name with a number may be free: a layer that is replaced at its quantization was added as floats before.
        var used = Set(integers.nodes.map(\.name))
        var sources: [String: Node] = [:]
        for index in integers.nodes.indices {
            let name = integers.nodes[index].name
            let (source, wanted) = network.origins[name]!
            if used.insert(wanted).inserted {
                integers.nodes[index].name = wanted
                used.remove(name)
            }
            sources[integers.nodes[index].name] = source
        }
        return (integers, sources)
    }
}

extension Tensor {
    /// Whether no element is NaN or infinite.
    fileprivate var isFinite: Bool { withFloats { $0.reduce(0) { $0 + $1 * 0 } == 0 } }
}

extension Failure {
    fileprivate static func weightsNotFinite(_ node: Node) -> Failure {
        Failure(
            .invalidModel, location: "\(node)", "a weight is NaN or infinite", remedy: "8-bit integers would hide it",
            nodes: [node])
    }
}

/// A graph while it is converted to integers.
private struct QuantizedNetwork {
    /// A quantized value: a value of the new graph, and its scale and zero point.
    private struct QuantizedTensor {
        var value: Graph.Value
        var scale: QuantizationParameters
    }

    private let graph: Graph
    private let producers: [Graph.Value: Graph.Node]
    private let consumers: [Graph.Value: [Graph.Node]]
    private let outputs: Set<Graph.Value>
    /// The quantized values of the old graph's floats that have one, and of the old graph's quantized values.
    private var tensors: [Graph.Value: QuantizedTensor] = [:]
    /// For each node that was added, by name, the node of the old graph that it replaces, and the name that it would have if
    /// that were free.
    private(set) var origins: [String: (source: Graph.Node, wanted: String)] = [:]

    init(_ graph: Graph) {
        self.graph = graph
        producers = graph.producers
        consumers = graph.consumers
        outputs = Set(graph.outputs.map(\.value))
    }

    /// - Returns: The values of the new graph that replace the node's outputs.
    mutating func replace(
        _ node: Graph.Node, _ inputs: [Graph.Value], _ builder: inout GraphBuilder
    ) throws -> [Graph.Value] {
        try integers(node, inputs, &builder) ?? add(node.operation, inputs, for: node, &builder)
    }

    /// Adds a node in place of one of the old graph.
    private mutating func add(
        _ operation: any Operation, _ inputs: [Graph.Value], for source: Graph.Node, suffix: String = "",
        _ builder: inout GraphBuilder
    ) throws -> [Graph.Value] {
        let wanted = source.name + suffix
        let values = try builder.add(operation, inputs, name: wanted)
        origins[builder.graph.nodes.last!.name] = (source, wanted)
        return values
    }

    /// - Returns: The values of the new graph that replace the node's outputs, or nil to keep the node.
    private mutating func integers(
        _ node: Graph.Node, _ inputs: [Graph.Value], _ builder: inout GraphBuilder
    ) throws -> [Graph.Value]? {
        if let quantize = node.operation as? AffineQuantize {
            guard let scale = unsignedScale(node, quantize) else { return nil }
            let value = try quantized(node, to: scale, inputs[0], &builder)
            tensors[node.outputs[0]] = QuantizedTensor(value: value, scale: scale)
            return [value]
        }
        if let dequantize = node.operation as? AffineDequantize {
            guard let known = tensors[node.inputs[0]] else { return nil }
            // Its scale may differ from that of the quantization, which multiplies the values.
            let scale = unsignedScale(dequantize, node.inputs[0])!
            tensors[node.outputs[0]] = QuantizedTensor(value: known.value, scale: scale)
            return [try floats(tensors[node.outputs[0]]!, for: node, &builder)]
        }
        if node.inputs.count == 1, graph[node.inputs[0]].element != .float32 {
            guard let known = tensors[node.inputs[0]] else { return nil }
            let operation = node.integerOperation(zeroPoint: known.scale.zeroPoint)!
            let value = try add(operation, [known.value], for: node, &builder)[0]
            tensors[node.outputs[0]] = QuantizedTensor(value: value, scale: known.scale)
            return [value]
        }
        guard node.outputs.count == 1, let known = quantizedTensors(node.inputs) else { return nil }
        let scale = known[0].scale
        if known.allSatisfy({ $0.scale == scale }),
            let operation = (node.operation as? any QuantizedMovement)?.integerOperation(zeroPoint: scale.zeroPoint)
        {
            let value = try add(operation, known.map(\.value), for: node, &builder)[0]
            tensors[node.outputs[0]] = QuantizedTensor(value: value, scale: scale)
            return [try floats(tensors[node.outputs[0]]!, for: node, suffix: "/values", &builder)]
        }
        // Values that are quantized immediately are computed there.
        guard !isOnlyQuantized(node.outputs[0]) else { return nil }
        let use = QuantizedUse(
            inputs: known.map(\.scale), types: node.inputs.map { graph[$0] }, bounds: -.infinity...(.infinity))
        guard let operation = integerOperation(node, use) else { return nil }
        return try add(operation, known.map(\.value), for: node, &builder)
    }

    /// The integer operation of a node that computes; nil if there is none.
    ///
    /// A layer may read values that only happen to be quantized, because they were selected from quantized ones. It then
    /// computes with integers only if its weights are integers too, so that nothing is rounded that the model does not round.
    private func integerOperation(_ node: Graph.Node, _ use: QuantizedUse) -> (any Operation)? {
        if let layer = node.operation as? any QuantizableLayer,
            !(producers[node.inputs[0]]?.operation is AffineDequantize), layer.symmetricWeights == nil
        {
            return nil
        }
        return (node.operation as? any QuantizableOperation)?.integerOperation(use)
    }

    /// The quantized values of a value that a node quantizes.
    private mutating func quantized(
        _ node: Graph.Node, to scale: QuantizationParameters, _ floats: Graph.Value, _ builder: inout GraphBuilder
    ) throws -> Graph.Value {
        var source = node.inputs[0]
        var bounds: ClosedRange<Float> = -.infinity...(.infinity)
        var passed: [any Operation] = []
        while true {
            if let known = tensors[source] {
                if passed.isEmpty, known.scale == scale { return known.value }
                return try lookup(passed, known, scale, for: node, &builder)
            }
            guard let producer = producers[source], producer.outputs.count == 1 else { break }
            if let known = quantizedTensors(producer.inputs) {
                let use = QuantizedUse(
                    inputs: known.map(\.scale), types: producer.inputs.map { graph[$0] }, output: scale,
                    bounds: bounds)
                if let operation = integerOperation(producer, use) {
                    return try add(operation, known.map(\.value), for: producer, &builder)[0]
                }
                if producer.isFunctionOfElements {
                    return try lookup([producer.operation] + passed, known[0], scale, for: producer, &builder)
                }
            }
            // Clamping becomes part of the rounding.
            guard let bound = producer.operation.bound, bound.low <= bound.high,
                max(bound.low, bounds.lowerBound) <= min(bound.high, bounds.upperBound)
            else { break }
            bounds = max(bound.low, bounds.lowerBound)...min(bound.high, bounds.upperBound)
            passed.insert(producer.operation, at: 0)
            source = producer.inputs[0]
        }
        let operation = AffineQuantize(scale: scale.affine, element: .uint8)
        return try add(operation, [floats], for: node, &builder)[0]
    }

    /// Applies elementwise functions to quantized values, with a table.
    private mutating func lookup(
        _ operations: [any Operation], _ known: QuantizedTensor, _ scale: QuantizationParameters,
        for node: Graph.Node, _ builder: inout GraphBuilder
    ) throws -> Graph.Value {
        var values = Tensor((0..<256).map { known.scale.dequantized($0) }, shape: [256])
        for operation in operations { values = try operation.evaluate([values])[0] }
        let table = IntegerLookup(table: values.floats.map { UInt8(scale.quantized($0)) }, zeroPoint: scale.zeroPoint)
        return try add(table, [known.value], for: node, &builder)[0]
    }

    private mutating func floats(
        _ known: QuantizedTensor, for node: Graph.Node, suffix: String = "", _ builder: inout GraphBuilder
    ) throws -> Graph.Value {
        try add(AffineDequantize(scale: known.scale.affine), [known.value], for: node, suffix: suffix, &builder)[0]
    }

    private func quantizedTensors(_ values: [Graph.Value]) -> [QuantizedTensor]? {
        let known = values.compactMap { tensors[$0] }
        return known.isEmpty || known.count < values.count ? nil : known
    }

    /// The unsigned scale and zero point of a quantization; nil if integers are not computed with: there must be a
    /// single scale, and all consumers must dequantize.
    private func unsignedScale(_ node: Graph.Node, _ quantize: AffineQuantize) -> QuantizationParameters? {
        quantize.unsignedScale.flatMap { isOnlyDequantized(node.outputs[0], $0.zeroPoint) ? $0 : nil }
    }

    /// The unsigned scale and zero point of a dequantization; nil if there are several scales.
    private func unsignedScale(_ dequantize: AffineDequantize, _ value: Graph.Value) -> QuantizationParameters? {
        AffineQuantize(scale: dequantize.scale, element: graph[value].element).unsignedScale
    }

    /// Whether all consumers of a quantized value move it, or dequantize it with the zero point that borders of images
    /// have.
    private func isOnlyDequantized(_ value: Graph.Value, _ zeroPoint: Int) -> Bool {
        var values = [value]
        while let value = values.popLast() {
            guard !outputs.contains(value) else { return false }
            for node in consumers[value] ?? [] {
                if let dequantize = node.operation as? AffineDequantize {
                    guard unsignedScale(dequantize, value)?.zeroPoint == zeroPoint else { return false }
                } else {
                    // Padding adds values, and the value that it adds need not be the zero point.
                    guard node.inputs.count == 1, node.integerOperation(zeroPoint: zeroPoint) != nil,
                        graph[node.outputs[0]].shape.elementCount <= graph[value].shape.elementCount
                    else { return false }
                    values.append(node.outputs[0])
                }
            }
        }
        return true
    }

    /// Whether a value, possibly after clamping, is quantized, and not used otherwise.
    private func isOnlyQuantized(_ value: Graph.Value) -> Bool {
        var value = value
        while true {
            guard !outputs.contains(value), let consumers = consumers[value] else { return false }
            let isQuantized = consumers.allSatisfy { node in
                (node.operation as? AffineQuantize).map { unsignedScale(node, $0) != nil } ?? false
            }
            if isQuantized { return true }
            guard consumers.count == 1, consumers[0].operation.bound != nil else { return false }
            value = consumers[0].outputs[0]
        }
    }
}

extension Graph.Node {
    /// The integer operation, if it only moves values.
    fileprivate func integerOperation(zeroPoint: Int) -> (any Operation)? {
        outputs.count == 1 ? (operation as? any QuantizedMovement)?.integerOperation(zeroPoint: zeroPoint) : nil
    }
}
