import Kernels

/// The layouts in which each value is needed, and the one that its producer writes.
///
/// Convolutions, poolings and what follows them work on blocks, everything else on plain tensors. A first layer reads
/// rows. A halo is as large as the most demanding consumer of that layout needs.
struct LayoutAssignment {
    /// The layout that the producer writes. It is one of the demands.
    private(set) var native: [Graph.Value: LayoutKind] = [:]
    /// The layouts in which the value is needed, each with its halo.
    private(set) var demands: [Graph.Value: [LayoutKind: Halo]] = [:]

    /// The values that are inside the memory of another.
    private(set) var slices = ConcatenationSlices()

    init(_ graph: Graph, _ nodes: [PlannedNode]) {
        for port in graph.inputs { native[port.value] = .plain }
        for node in nodes {
            for output in node.outputs { native[output] = preferred(node, graph) }
        }
        for port in graph.outputs { demand(port.value, .plain) }
        for node in nodes.reversed() {
            if node.canWritePlain, let kinds = demands[node.outputs[0]]?.keys, Array(kinds) == [.plain] {
                native[node.outputs[0]] = .plain
            }
            for output in node.outputs { demand(output, native[output]!) }
            addDemands(of: node, graph)
        }
        // An input that nothing reads is still written.
        for port in graph.inputs where demands[port.value] == nil { demand(port.value, .plain) }
        for port in graph.inputs {
            native[port.value] = Array(demands[port.value]!.keys) == [.rows] ? .rows : .plain
            demand(port.value, native[port.value]!)
        }
        slices = ConcatenationSlices(graph, nodes) { [native] in native[$0] == .blocked }
        shareHalos()
    }

    /// Values that share memory share one halo.
    private mutating func shareHalos() {
        var halos: [Graph.Value: Halo] = [:]
        for (value, slice) in slices.slices {
            halos[slice.whole] = (halos[slice.whole] ?? Halo()).union(demands[value]![.blocked]!)
        }
        for (value, slice) in slices.slices { demands[value]![.blocked] = halos[slice.whole]! }
    }

    /// The layout that a convolution reads. A plain image with few channels is read as rows: a row of the window is
    /// then one contiguous run.
    func convolutionReads(_ value: Graph.Value, _ window: Window, _ graph: Graph) -> LayoutKind {
        native[value] != .blocked && graph[value].shape[3] < blockWidth && window.width.dilation == 1 ? .rows : .blocked
    }

    private mutating func demand(_ value: Graph.Value, _ kind: LayoutKind, _ halo: Halo = Halo()) {
        demands[value, default: [:]][kind] = (demands[value]?[kind] ?? Halo()).union(halo)
    }

    /// The layout that a node writes if it is free to choose.
    private func preferred(_ node: PlannedNode, _ graph: Graph) -> LayoutKind {
        let isImage = graph[node.outputs[0]].shape.rank == 4
        let isBlocked = isImage && node.inputs.contains { native[$0] == .blocked }
        let hasWholeBlocks = node.inputs.allSatisfy { (graph[$0].shape.last ?? 0) % blockWidth == 0 }
        switch node.form {
        case .convolution, .depthwise, .pooling, .imageNormalization, .resize, .interleaving: return .blocked
        case .unary(let function): return isBlocked && (hasWholeBlocks || function.isFiniteAtZero) ? .blocked : .plain
        case .binary(let function), .binaryConstant(let function, _, _):
            return isBlocked && (hasWholeBlocks || function.isFiniteAtZero) ? .blocked : .plain
        case .binaryChannels: return .blocked
        case .scale, .border: return isBlocked ? .blocked : .plain
        case .concatenation(axis: 3): return isBlocked && hasWholeBlocks ? .blocked : .plain
        case .dataMovement(let movement):
            return isBlocked && movement.keepsBlocks(graph[node.inputs[0]].shape) ? .blocked : .plain
        case .concatenation, .dense, .pixelSum, .softmax, .normalization, .lengthNormalization, .broadcast,
            .broadcastConstant, .reduction, .matrixProduct, .localNormalization, .reshape, nil:
            return .plain
        }
    }

    private mutating func addDemands(of node: PlannedNode, _ graph: Graph) {
        if let residual = node.residual { demand(residual, .blocked) }
        if let gates = node.gates { demand(gates, .plain) }
        // Intermediate results of fused nodes have no layout.
        if let first = node.before.first { return addDemands(of: first, graph) }
        let output = node.outputs.first
        switch node.form {
        case .convolution(_, _, let window):
            demand(node.inputs[0], convolutionReads(node.inputs[0], window, graph), Halo(window))
        case .depthwise(_, _, let window): demand(node.inputs[0], .blocked, Halo(window))
        case .pooling, .pixelSum, .imageNormalization, .resize, .interleaving: demand(node.inputs[0], .blocked)
        case .binaryChannels(_, let image):
            demand(node.inputs[image], .blocked)
            demand(node.inputs[1 - image], .plain)
        case .unary, .binary, .binaryConstant, .scale, .concatenation, .dataMovement:
            // A scale that is fused with a convolution writes blocks.
            for input in node.inputs { demand(input, native[output!] ?? .blocked) }
        case .border(let height, let width) where native[output!] == .blocked:
            let border = Halo(top: height.before, bottom: height.after, left: width.before, right: width.after)
            demand(node.inputs[0], .blocked, border + demands[output!]![.blocked]!)
        case .dense, .softmax, .normalization, .lengthNormalization, .broadcast, .broadcastConstant, .reduction,
            .matrixProduct, .localNormalization, .reshape, .border, nil:
            for input in node.inputs { demand(input, .plain) }
        }
    }
}

extension PlannedNode {
    /// Whether the kernel can write a plain tensor as well as blocks.
    fileprivate var canWritePlain: Bool {
        switch form {
        case .convolution: true
        default: false
        }
    }
}

extension DataMovement {
    /// Whether whole blocks of an image's channels move together.
    fileprivate func keepsBlocks(_ shape: Shape) -> Bool {
        filling == nil && pieces.allSatisfy { $0.input == 0 && $0.ranges(of: shape) != nil }
    }
}

extension DataMovement.Piece {
    /// The ranges that it takes from an image of this shape, if that is all it does and it takes whole blocks of
    /// channels.
    func ranges(of shape: Shape) -> [StridedSlice.Range]? {
        guard shape.rank == 4, sizes.count == 4, outputStart == 0, outputSteps == Shape(sizes).strides,
            !sizes.contains(0)
        else { return nil }
        var rest = inputStart
        var ranges: [StridedSlice.Range] = []
        for (axis, stride) in shape.strides.enumerated() {
            let start = rest / stride
            rest %= stride
            let step = sizes[axis] == 1 ? 1 : inputSteps[axis] / stride
            guard sizes[axis] == 1 || inputSteps[axis] % stride == 0, (0..<shape[axis]).contains(start),
                (0..<shape[axis]).contains(start + (sizes[axis] - 1) * step)
            else { return nil }
            ranges.append(StridedSlice.Range(start: start, count: sizes[axis], step: step))
        }
        let channels = ranges[3]
        let isWhole = channels.count % blockWidth == 0 || channels.start + channels.count == shape[3]
        return channels.step == 1 && channels.start % blockWidth == 0 && isWhole ? ranges : nil
    }
}

extension UnaryFunction {
    /// The lanes past the last channel hold zeros. Their results must not corrupt what multiplies them by zero.
    fileprivate var isFiniteAtZero: Bool { kind != .reciprocalSquareRoot && kind != .reciprocal && kind != .log }
}

extension BinaryFunction {
    /// The same for functions of two values: 0 / 0, and powers of 0.
    fileprivate var isFiniteAtZero: Bool { self != .divide && self != .power }
}
