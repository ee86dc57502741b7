import Kernels

/// Turns a graph into the steps of a program.
///
/// Values get locations in buffers, and nodes become steps. If a value is needed in a layout that its producer does not
/// write, a conversion step follows the producer.
struct Compiler {
    private struct Key: Hashable {
        var value: Graph.Value
        var kind: LayoutKind
    }

    /// The largest tensor, in floats, including borders and padding. Offsets are 32-bit integers.
    static let largestTensor = 1 << 29

    let graph: Graph
    let kernels: KernelTable
    let choice: AlgorithmChoice
    /// The minimum number of chunks in a step: several for each thread, so that all threads finish together. A single
    /// thread needs only one, and what neighboring chunks both need is read twice.
    let minimumChunks: Int
    /// The same for steps in which what neighboring chunks both need is even computed twice.
    let minimumBands: Int
    let layouts: LayoutAssignment
    /// Whether the network has so many layers that rounding errors of the first ones matter.
    let isDeep: Bool
    private(set) var constants = ConstantPool()
    private(set) var steps: [Step] = []
    /// The size of each buffer in bytes.
    private(set) var slots: [Int] = []
    private var locations: [Key: Location] = [:]

    /// - Throws: `Failure` if a tensor is larger than offsets can address.
    init(_ graph: Graph, kernels: KernelTable, threads: Int, choice: AlgorithmChoice) throws {
        self.graph = graph
        self.kernels = kernels
        self.choice = choice
        let threads = min(threads, Workers.maximumCount)
        minimumChunks = threads > 1 ? 4 * threads : 1
        minimumBands = threads > 1 ? max(4, threads) : 1
        let nodes = fuse(graph)
        layouts = LayoutAssignment(graph, nodes)
        isDeep = graph.nodes.count { $0.operation is Convolution } >= CostModel.deep
        for port in graph.inputs {
            try makeLocations(port.value)
            convert(port.value, name: port.name)
        }
        let lastConsumers = lastConsumersOfResiduals(nodes)
        for (index, node) in nodes.enumerated() {
            if let alias = alias(node) ?? (lastConsumers.contains(index) ? residualLocation(node) : nil) {
                locations[Key(value: node.outputs[0], kind: alias.kind)] = alias
            }
            for output in node.outputs { try makeLocations(output) }
            if !isAlias(node) { add(node) }
            for output in node.outputs { convert(output, name: node.name) }
        }
    }

    /// The location of a value in the layout that its producer writes.
    func native(_ value: Graph.Value) -> Location { location(value, layouts.native[value]!) }

    func location(_ value: Graph.Value, _ kind: LayoutKind) -> Location { locations[Key(value: value, kind: kind)]! }

    mutating func add(_ step: Step) { steps.append(step) }

    /// A buffer for data that passes between the steps of one node.
    mutating func scratch(floatCount: Int) -> Int {
        slots.append(floatCount * 4 + 64)
        return slots.count - 1
    }

    mutating func withConstants<Result>(_ body: (inout ConstantPool) -> Result) -> Result { body(&constants) }

    /// Creates buffers for all layouts of a value that have none yet.
    private mutating func makeLocations(_ value: Graph.Value) throws {
        for (kind, halo) in layouts.demands[value]!.sorted(by: { $0.key.order < $1.key.order }) {
            let key = Key(value: value, kind: kind)
            guard locations[key] == nil else { continue }
            if kind == .blocked, let slice = layouts.slices[value], slice.whole != value {
                try makeLocations(slice.whole)
                var location = Location(
                    graph[value], slot: self.location(slice.whole, .blocked).slot, kind: kind, halo: halo)
                location.firstBlock = slice.firstBlock
                location.wholeBlocks = self.location(slice.whole, .blocked).blocks
                locations[key] = location
                continue
            }
            let location = Location(graph[value], slot: slots.count, kind: kind, halo: kind == .plain ? Halo() : halo)
            guard location.floatCount <= Compiler.largestTensor else { throw Failure.arrayTooLarge(graph[value]) }
            let size = kind == .plain ? graph[value].element.size : 4
            // A vector load that starts at the last float may read past it.
            slots.append(location.floatCount * size + 64)
            locations[key] = location
        }
    }

    /// The nodes that add a residual that nothing reads afterwards and that shares its memory with nothing else.
    private func lastConsumersOfResiduals(_ nodes: [PlannedNode]) -> Set<Int> {
        var last: [Graph.Value: Int] = [:]
        var shared = Set((graph.inputs + graph.outputs).map(\.value))
        for (index, node) in nodes.enumerated() {
            for value in node.inputs { last[value] = index }
            for value in [node.residual, node.gates].compactMap({ $0 }) { last[value] = index }
            if isAlias(node) { shared.formUnion(node.inputs + node.outputs) }
        }
        shared.formUnion(layouts.slices.slices.keys)
        return Set(
            nodes.indices.filter { index in
                guard let residual = nodes[index].residual else { return false }
                return last[residual] == index && !nodes[index].inputs.contains(residual) && !shared.contains(residual)
            })
    }

    /// The residual's location, if the node's output would have the same layout. Overwriting it is safe for its last
    /// consumer, because each tile reads before it writes. And what has just been read is in the cache.
    private func residualLocation(_ node: PlannedNode) -> Location? {
        guard let residual = node.residual, layouts.slices[node.outputs[0]] == nil,
            layouts.native[node.outputs[0]] == .blocked,
            layouts.demands[node.outputs[0]]![.blocked] == layouts.demands[residual]![.blocked]
        else { return nil }
        return location(residual, .blocked)
    }

    /// Whether a node only reinterprets existing memory.
    private func isAlias(_ node: PlannedNode) -> Bool {
        switch node.form {
        case .reshape: true
        case .border: layouts.native[node.outputs[0]] == .blocked
        default: false
        }
    }

    /// The location that an alias gives its output.
    private func alias(_ node: PlannedNode) -> Location? {
        guard isAlias(node) else { return nil }
        guard case .border(let height, let width) = node.form else {
            return Location(graph[node.outputs[0]], slot: location(node.inputs[0], .plain).slot, kind: .plain)
        }
        return location(node.inputs[0], .blocked).absorbing(
            Halo(top: height.before, bottom: height.after, left: width.before, right: width.after))
    }

    private mutating func add(_ node: PlannedNode) {
        let output = node.outputs[0]
        switch node.form {
        case .convolution(let filters, let bias, let window):
            addConvolution(node, filters: filters, bias: bias, window: window)
        case .depthwise: addDepthwise(node)
        case .dense(let matrix, let bias): addDense(node, matrix: matrix, bias: bias)
        case .pooling(let kind, let window, let countsPadding):
            addPooling(node, kind, window: window, countsPadding: countsPadding)
        case .pixelSum(let factor): addPixelSum(node, factor: factor)
        case .unary(let function): addUnary(node, function)
        case .binary(let function): addBinary(node, function)
        case .binaryChannels(let function, let image): addBinaryChannels(node, function, image: image)
        case .binaryConstant(let function, let operand, let constantFirst):
            addBinary(node, function, operand: operand, constantFirst: constantFirst)
        case .scale(let factor, let offset): addScale(node, factor: factor, offset: offset)
        case .broadcast(let function): addBroadcast(node, function)
        case .broadcastConstant(let function, let operand, let constantFirst):
            addBroadcast(node, function, operand: operand, constantFirst: constantFirst)
        case .softmax(let axis, let isLogarithmic): addSoftmax(node, axis: axis, isLogarithmic: isLogarithmic)
        case .normalization(let axes, let epsilon, let scale, let offset):
            addNormalization(node, axes: axes, epsilon: epsilon, scale: scale, offset: offset)
        case .lengthNormalization(let axes, let epsilon): addLengthNormalization(node, axes: axes, epsilon: epsilon)
        case .imageNormalization(let acrossChannels, let epsilon, let scale, let offset):
            addImageNormalization(
                node, acrossChannels: acrossChannels, epsilon: epsilon, scale: scale, offset: offset)
        case .reduction(let kind, let axes, let factor): addReduction(node, kind, axes: axes, factor: factor)
        case .matrixProduct(let transposeFirst, let transposeSecond):
            addMatrixProduct(node, transposeFirst: transposeFirst, transposeSecond: transposeSecond)
        case .dataMovement(let movement): addDataMovement(node, movement)
        case .border(let height, let width):
            addDataMovement(
                node,
                DataMovement(
                    padding: graph[node.inputs[0]].shape, before: [0, height.before, width.before, 0],
                    after: [0, height.after, width.after, 0], with: 0))
        case .concatenation(let axis):
            layouts.native[output] == .blocked ? addBlockedConcatenation(node) : addConcatenation(node, axis: axis)
        case .resize(let rows, let columns): addResize(node, rows: rows, columns: columns)
        case .localNormalization(let radius, let bias, let alpha, let power):
            addLocalNormalization(node, radius: radius, bias: bias, alpha: alpha, power: power)
        case .interleaving(let phases): addInterleaving(node, phases)
        case .reshape, nil: addReference(node)
        }
    }
}

extension LayoutKind {
    /// A sort key, so that the order is the same in every process.
    fileprivate var order: Int {
        switch self {
        case .plain: 0
        case .rows: 1
        case .blocked: 2
        }
    }
}
