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

    let graph: Graph
    let kernels: any KernelTable.Type
    let integers: any IntegerKernels.Type
    let choice: AlgorithmChoice
    /// The number of threads that the work is split for.
    let threads: Int
    /// The minimum number of chunks in a step: several per thread, so that all threads finish together. A single thread
    /// needs only one, because neighboring chunks read their overlap twice.
    let minimumChunks: Int
    /// The same for steps in which neighboring chunks even compute their overlap twice.
    let minimumBands: Int
    let layouts: LayoutAssignment
    /// Whether the network has so many layers that rounding errors of the first ones matter.
    let isDeep: Bool
    private(set) var constants = ConstantPool()
    private(set) var steps: [Step] = []
    /// The size of each buffer in bytes.
    private(set) var bufferBytes: [Int] = []
    /// The buffers for the two copies of a Winograd transform, once a layer has needed them.
    private var transformCopies: [Int] = []
    private var locations: [Key: Location] = [:]
    /// The zero points of quantized values.
    private let borderBytes: [Graph.Value: UInt8]

    /// - Parameters:
    ///   - nodes: The graph's nodes in execution order.
    ///   - addSteps: Adds the steps for a node.
    /// - Throws: `Failure` if a tensor is larger than offsets can address.
    init(
        _ graph: Graph, _ nodes: [PlannedNode], kernels: any KernelTable.Type, integers: any IntegerKernels.Type,
        threads: Int, choice: AlgorithmChoice,
        addSteps: (inout Compiler, PlannedNode) -> Void
    ) throws {
        self.graph = graph
        self.kernels = kernels
        self.integers = integers
        borderBytes = Compiler.borderBytes(graph, nodes)
        self.choice = choice
        let threads = min(threads, Workers.maximumCount)
        self.threads = threads
        minimumChunks = threads > 1 ? 4 * threads : 1
        minimumBands = threads > 1 ? max(4, threads) : 1
        layouts = LayoutAssignment(graph, nodes, blockWidth: kernels.blockWidth)
        isDeep = nodes.reduce(0) { $0 + $1.convolutionCount } >= CostModel.deep
        for port in graph.inputs {
            try makeLocations(port.value)
            convert(port.value, name: port.name)
        }
        let lastConsumers = lastConsumersOfResiduals(nodes)
        for (index, node) in nodes.enumerated() {
            if var shared = alias(node) ?? (lastConsumers.contains(index) ? residualLocation(node) : nil) {
                let output = node.outputs[0]
                shared.borderByte = borderByte(output)
                locations[Key(value: output, kind: shared.kind)] = shared
            }
            for output in node.outputs { try makeLocations(output) }
            if !isAlias(node) { addSteps(&self, node) }
            for output in node.outputs { convert(output, name: node.name) }
        }
    }

    /// Sets the precision of a node's products in the steps from `first` on.
    mutating func setPrecision(_ precision: Precision, of name: String, from first: Int) {
        for index in first..<steps.count where steps[index].name == name && steps[index].multiplyAdds > 0 {
            steps[index].precision = precision
        }
    }

    /// The precision of images in blocks and of products. A network may have neither.
    var precision: Precision {
        let hasBlocks = layouts.native.values.contains(.blocked)
        return hasBlocks ? Precision(kernels.valueType) : steps.contains { $0.precision == .bf16 } ? .bf16 : .float32
    }

    /// The location of a value in the layout that its producer writes.
    func native(_ value: Graph.Value) -> Location { location(value, layouts.native[value]!) }

    func location(_ value: Graph.Value, _ kind: LayoutKind) -> Location { locations[Key(value: value, kind: kind)]! }

    mutating func add(_ step: Step) { steps.append(step) }

    /// Whether a step should be split by rows, because the step that writes its input is: then each thread reads its own
    /// results.
    ///
    /// Cores take lines of memory from each other, which takes up to 3 ns for a line that the other has written, and up to
    /// 30 for a write to a line that the other has read (measured on Zen 4, with cores that share no cache).
    func splitsRows(from: Location, to: Location) -> Bool {
        guard to.images < threads, separatesRows(to) else { return false }
        return steps.last { $0.writes.contains(from.slot) }?.isByRows ?? false
    }

    /// Whether each thread's part of a plane is so long that it matters little that a core's prefetcher reads past its end,
    /// where the next thread writes.
    func separatesRows(_ location: Location) -> Bool { threads == 1 || location.blockStride >= threads * (4 << 10) }

    /// A buffer, for example for data that passes between the steps of one node.
    mutating func scratch(byteCount: Int) -> Int {
        bufferBytes.append(byteCount + Memory.readPastEnd)
        return bufferBytes.count - 1
    }

    /// A buffer for each of two threads. All layers share them, and nothing else uses their memory in between, so that
    /// each thread writes only memory that it wrote last.
    mutating func transformCopies(byteCount: Int) -> [Int] {
        if transformCopies.isEmpty { transformCopies = [scratch(byteCount: 0), scratch(byteCount: 0)] }
        for slot in transformCopies {
            bufferBytes[slot] = max(bufferBytes[slot], byteCount + Memory.readPastEnd)
        }
        return transformCopies
    }

    mutating func withConstants<Result>(_ body: (inout ConstantPool) -> Result) -> Result { body(&constants) }

    /// Creates buffers for all layouts of a value that have none yet.
    private mutating func makeLocations(_ value: Graph.Value) throws {
        for (kind, halo) in layouts.demands[value]!.sorted(on: \.key.order) {
            let key = Key(value: value, kind: kind)
            guard locations[key] == nil else { continue }
            if kind == .blocked, let slice = layouts.slices[value], slice.whole != value {
                try makeLocations(slice.whole)
                locations[key] = sliceLocation(value, slice, halo: halo)
                continue
            }
            var location = Location(
                graph[value], slot: -1, kind: kind, kernels: kernels, halo: kind == .plain ? Halo() : halo)
            location.borderByte = borderByte(value)
            guard location.byteCount / location.element.size <= Limits.computedElements else {
                throw Failure.tensorTooLarge(graph[value])
            }
            location.slot = scratch(byteCount: location.byteCount)
            locations[key] = location
        }
    }

    /// The location of a slice in the memory of the whole, which has one already.
    private func sliceLocation(_ value: Graph.Value, _ slice: ConcatenationSlices.Slice, halo: Halo) -> Location {
        let whole = location(slice.whole, .blocked)
        var location = Location(graph[value], slot: whole.slot, kind: .blocked, kernels: kernels, halo: halo)
        location.borderByte = borderByte(value)
        location.firstBlock = slice.firstBlock
        location.wholeBlocks = whole.blocks
        return location
    }

    /// What the border of a value contains: the zero point of quantized values, 0 in all others.
    private func borderByte(_ value: Graph.Value) -> UInt8 { borderBytes[value] ?? 0 }

    private static func borderBytes(_ graph: Graph, _ nodes: [PlannedNode]) -> [Graph.Value: UInt8] {
        var bytes: [Graph.Value: UInt8] = [:]
        for node in nodes {
            for output in node.outputs where graph[output].element == .uint8 {
                let zeroPoint =
                    node.addition.map { Int($0.rounding.zeroPoint) }
                    ?? (node.operation as? any IntegerOperation)?.outputZeroPoint
                bytes[output] = zeroPoint.map { UInt8(clamping: $0) } ?? node.inputs.first.flatMap { bytes[$0] }
            }
        }
        return bytes
    }

    /// The nodes that add a residual that is not read afterwards and does not share its memory.
    private func lastConsumersOfResiduals(_ nodes: [PlannedNode]) -> Set<Int> {
        var last: [Graph.Value: Int] = [:]
        var shared = Set((graph.inputs + graph.outputs).map(\.value))
        for (index, node) in nodes.enumerated() {
            for value in node.inputs { last[value] = index }
            for value in [node.residual, node.gates].compactMap({ $0 }) { last[value] = index }
            if isAlias(node) { shared.formUnion(node.inputs + node.outputs) }
        }
        shared.formUnion(layouts.slices.byValue.keys)
        return Set(
            nodes.indices.filter { index in
                guard let residual = nodes[index].residual else { return false }
                return last[residual] == index && !nodes[index].inputs.contains(residual) && !shared.contains(residual)
            })
    }

    /// The residual's location, if the node's output would have the same layout. Overwriting it is safe for its last
    /// consumer, because each tile reads before it writes, and the memory is already in the cache.
    private func residualLocation(_ node: PlannedNode) -> Location? {
        guard let residual = node.residual, layouts.slices[node.outputs[0]] == nil,
            layouts.native[node.outputs[0]] == .blocked,
            layouts.demands[node.outputs[0]]![.blocked] == layouts.demands[residual]![.blocked]
        else { return nil }
        return location(residual, .blocked)
    }

    /// Whether a node only reinterprets existing memory.
    private func isAlias(_ node: PlannedNode) -> Bool {
        switch node.traits.memory {
        case .own: false
        case .input: true
        case .inputWithBorder: layouts.native[node.outputs[0]] == .blocked
        }
    }

    /// The location that an alias gives its output.
    private func alias(_ node: PlannedNode) -> Location? {
        guard isAlias(node) else { return nil }
        let kind = layouts.native[node.outputs[0]]!
        let input = location(node.inputs[0], kind)
        return kind == .blocked
            ? input.absorbing(node.traits.border)
            : Location(graph[node.outputs[0]], slot: input.slot, kind: kind, kernels: kernels)
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
