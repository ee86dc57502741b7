/// Determines the values of a network that are rounded when it is quantized, and the nodes that read them.
///
/// The quantized part begins at the first layer and ends after the last. A value is rounded after the clamps that
/// follow it: a convolution and its ReLU have one range.
struct QuantizationPlan {
    let graph: Graph
    /// The values that are rounded, in the order of the graph.
    private(set) var values: [Graph.Value] = []
    /// The layers that read them, by index among the nodes.
    private(set) var layers: [Int] = []
    /// For each node, whether it computes with quantized values, by index.
    private(set) var participates: [Bool]
    private var names: [String]
    /// For each value, the value after the clamps that are part of it, by index.
    let ends: [Graph.Value]
    /// Values with the same quantization parameters: the inputs and outputs of nodes that only select.
    private(set) var groups: [[Graph.Value]] = []

    init(_ graph: Graph) {
        self.graph = graph
        names = Array(repeating: "", count: graph.types.count)
        for port in graph.inputs { names[port.value.index] = port.name }
        for node in graph.nodes {
            for (index, output) in node.outputs.enumerated() {
                names[output.index] = index == 0 ? node.name : "\(node.name):\(index)"
            }
        }
        let roles = graph.nodes.map { graph.quantizedRole(of: $0) }
        ends = graph.endsOfBounds(roles)
        // Whether a value comes from the quantized part of the network, and whether that part continues after it.
        var comesFrom = [Bool](repeating: false, count: graph.types.count)
        for port in graph.inputs { comesFrom[port.value.index] = graph[port.value].element == .float32 }
        for (node, role) in zip(graph.nodes, roles) where role != .floating {
            guard role == .layer || node.inputs.contains(where: { comesFrom[$0.index] }) else { continue }
            for output in node.outputs { comesFrom[output.index] = true }
        }
        var leadsTo = [Bool](repeating: false, count: graph.types.count)
        participates = [Bool](repeating: false, count: graph.nodes.count)
        var isRead = leadsTo
        for index in graph.nodes.indices.reversed() {
            let (node, role) = (graph.nodes[index], roles[index])
            switch role {
            case .floating: continue
            case .layer: layers.append(index)
            case .bound, .selection, .arithmetic:
                guard node.outputs.contains(where: { leadsTo[$0.index] }),
                    node.inputs.contains(where: { comesFrom[$0.index] })
                else { continue }
            }
            for input in node.inputs { leadsTo[input.index] = true }
            participates[index] = true
            // Clamps that are part of the previous value do not read quantized values.
            if role == .bound, ends[node.inputs[0].index] != node.inputs[0] { continue }
            for input in node.inputs { isRead[input.index] = true }
        }
        layers.reverse()
        values = graph.types.indices.filter { isRead[$0] }.map { Graph.Value(index: $0) }
        groups = sharedGroups(roles)
    }

    /// The groups of values with the same quantization parameters, in order, each value in one group.
    private func sharedGroups(_ roles: [QuantizedRole]) -> [[Graph.Value]] {
        var leaders = Array(graph.types.indices)
        func leader(_ index: Int) -> Int {
            var index = index
            while leaders[index] != index { index = leaders[index] }
            return index
        }
        for (index, node) in graph.nodes.enumerated() where roles[index] == .selection && participates[index] {
            let all = (node.inputs + node.outputs).map { leader(ends[$0.index].index) }
            for other in all { leaders[leader(other)] = leader(all.min()!) }
        }
        let members = Dictionary(grouping: values) { leader($0.index) }
        return members.keys.sorted().map { members[$0]! }
    }

    /// The name of the node that computes a value, or of the input.
    func name(of value: Graph.Value) -> String { names[value.index] }
}

extension Graph {
    /// The role of a node in a quantized network. Only nodes on floating-point values have one.
    func quantizedRole(of node: Node) -> QuantizedRole {
        guard !node.inputs.isEmpty, (node.inputs + node.outputs).allSatisfy({ self[$0].element == .float32 }) else {
            return .floating
        }
        return node.operation.quantizedRole
    }

    /// For each value, the value after the clamps that belong to it: those that are its only consumer.
    fileprivate func endsOfBounds(_ roles: [QuantizedRole]) -> [Value] {
        let counts = readerCounts
        var takesBounds = [Bool](repeating: false, count: types.count)
        for port in inputs { takesBounds[port.value.index] = true }
        var isPart = [Bool](repeating: false, count: nodes.count)
        for (index, node) in nodes.enumerated() {
            let input = node.inputs.first?.index
            isPart[index] = roles[index] == .bound && takesBounds[input!] && counts[input!] == 1
            // A selection passes quantized values through, which clamping would change.
            let computes = roles[index] == .layer || roles[index] == .arithmetic || isPart[index]
            for output in node.outputs { takesBounds[output.index] = computes }
        }
        var ends = types.indices.map { Value(index: $0) }
        for (node, isPart) in zip(nodes, isPart).reversed() where isPart {
            ends[node.inputs[0].index] = ends[node.outputs[0].index]
        }
        return ends
    }
}

/// The quantization parameters of a value: uint8, with one scale and zero point.
struct QuantizedValue: Hashable, Sendable {
    var scale: Float
    var zeroPoint: Int

    var lowest: Float { Float(0 - zeroPoint) * scale }
    var highest: Float { Float(255 - zeroPoint) * scale }

    /// The parameters for values of this range, which is extended to contain 0.
    ///
    /// The scale is a float16 value, so that a program that computes in float16 has the same one.
    init(_ low: Float, _ high: Float) {
        let (low, high) = (min(low, 0), max(high, 0))
        let length = high > low ? (high - low) / 255 : 1
        let rounded = float(fromHalf: half(from: length))
        scale = rounded.isFinite && rounded >= 0x1p-14 ? rounded : max(length, .leastNormalMagnitude)
        zeroPoint = Int(min(255, max(0, (-low / scale).rounded())))
    }

    init(scale: Float, zeroPoint: Int) { (self.scale, self.zeroPoint) = (scale, zeroPoint) }

    var affine: AffineScale { AffineScale([scale], zeroPoints: [zeroPoint]) }
}

extension Graph {
    /// The graph without the rounding of quantization-aware training, and the parameters of the values that were
    /// rounded. They are still clamped to the range of the levels, which may be fewer than 256.
    func withoutLevels() -> (graph: Graph, codes: [Value: QuantizedValue]) {
        var result = self
        var found: [(value: Value, codes: QuantizedValue)] = []
        for (index, node) in nodes.enumerated() {
            guard let levels = node.operation as? any LevelOperation, let codes = levels.codes else { continue }
            let range = levels.levelRange
            result.nodes[index].operation = Unary(.clip(range.low, range.high))
            found.append((node.outputs[0], QuantizedValue(scale: codes.scale, zeroPoint: codes.zeroPoint)))
        }
        let plan = QuantizationPlan(result)
        return (result, Dictionary(found.map { (plan.ends[$0.value.index], $0.codes) }) { _, last in last })
    }

    /// The quantized network: values are rounded to quantized values and back before the nodes that read quantized
    /// values.
    ///
    /// - Parameters:
    ///   - codes: The parameters of the values that are rounded.
    ///   - kept: The names of the nodes that read the unrounded values.
    func quantized(_ codes: [Value: QuantizedValue], keeping kept: Set<String> = []) throws -> Graph {
        try withCodes(codes, keeping: kept) {
            [
                ("quantized", AffineQuantize(scale: $0.affine, element: .uint8)),
                ("dequantized", AffineDequantize(scale: $0.affine)),
            ]
        }
    }

    /// The same values computed by arithmetic for which the engine has kernels.
    func rounded(_ codes: [Value: QuantizedValue], keeping kept: Set<String> = []) throws -> Graph {
        try withCodes(codes, keeping: kept) { code in
            let scale = Tensor([code.scale], shape: [])
            return [
                ("scaled", Binary(.divide, constant: scale)), ("whole", Unary(.round)),
                ("held", Unary(.clip(Float(-code.zeroPoint), Float(255 - code.zeroPoint)))),
                ("rounded", Binary(.multiply, constant: scale)),
            ]
        }
    }

    /// The network quantized with the parameters of quantization-aware training; nil if it was not trained so.
    func quantizedAsTrained() throws -> Graph? {
        var (result, codes) = withoutLevels()
        guard !codes.isEmpty else { return nil }
        for group in QuantizationPlan(result).groups {
            guard let code = group.lazy.compactMap({ codes[$0] }).first else { continue }
            for value in group where codes[value] == nil { codes[value] = code }
        }
        for index in result.nodes.indices {
            guard let layer = nodes[index].operation as? any QuantizableLayer, codes[nodes[index].inputs[0]] != nil,
                layer.weightCodes == nil
            else { continue }
            result.nodes[index].operation = layer.withRoundedWeights
        }
        return try result.quantized(codes)
    }

    private func withCodes(
        _ codes: [Value: QuantizedValue], keeping kept: Set<String>,
        _ steps: (QuantizedValue) -> [(name: String, operation: any Operation)]
    ) throws -> Graph {
        let plan = QuantizationPlan(self)
        var indices: [String: Int] = [:]
        for (index, node) in nodes.enumerated() { indices[node.name] = index }
        var rounded: [Value: Value] = [:]
        return try rebuilt { node, arrived, builder in
            guard plan.participates[indices[node.name]!], !kept.contains(node.name),
                node.inputs.allSatisfy({ codes[$0] != nil })
            else { return nil }
            var inputs = arrived
            for (index, value) in node.inputs.enumerated() {
                if rounded[value] == nil {
                    let name = plan.name(of: value)
                    rounded[value] = try steps(codes[value]!).reduce(arrived[index]) { value, step in
                        try builder.add(step.operation, [value], name: "\(name)/\(step.name)")[0]
                    }
                }
                inputs[index] = rounded[value]!
            }
            return try builder.add(node.operation, inputs, name: node.name)
        }
    }

    /// Whether values are quantized.
    var hasCodes: Bool {
        nodes.contains { $0.operation.family == .quantization && self[$0.outputs[0]].element != .float32 }
    }
}
