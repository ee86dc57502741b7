import Kernels

/// The layouts in which each value is needed, and the one that its producer writes.
///
/// Convolutions, pooling and the operations after them work on blocks, everything else on plain tensors. A first layer
/// reads rows. A halo is as large as the most demanding consumer of that layout needs.
struct LayoutAssignment {
    /// The layout that the producer writes. It is one of the demands.
    private(set) var native: [Graph.Value: LayoutKind] = [:]
    /// The layouts in which the value is needed, each with its halo.
    private(set) var demands: [Graph.Value: [LayoutKind: Halo]] = [:]

    /// The values that are inside the memory of another.
    private(set) var slices = ConcatenationSlices()

    /// The number of channels in a block.
    private let blockWidth: Int

    init(_ graph: Graph, _ nodes: [PlannedNode], blockWidth: Int) {
        self.blockWidth = blockWidth
        for port in graph.inputs { native[port.value] = .plain }
        for node in nodes {
            for output in node.outputs { native[output] = preferred(node, graph) }
        }
        for port in graph.outputs { demand(port.value, .plain) }
        for node in nodes.reversed() {
            if node.traits.canWritePlain, let kinds = demands[node.outputs[0]]?.keys, Array(kinds) == [.plain] {
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
        slices = ConcatenationSlices(graph, nodes, blockWidth: blockWidth) { [native] in native[$0] == .blocked }
        shareHalos()
    }

    /// Values that share memory share one halo.
    private mutating func shareHalos() {
        var halos: [Graph.Value: Halo] = [:]
        for (value, slice) in slices.byValue {
            halos[slice.whole] = (halos[slice.whole] ?? Halo()).union(demands[value]![.blocked]!)
        }
        for (value, slice) in slices.byValue { demands[value]![.blocked] = halos[slice.whole]! }
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
        let hasBlocks =
            graph[node.outputs[0]].shape.rank == 4 && node.inputs.contains { native[$0] == .blocked }
        return switch node.traits.writes {
        case .plain: .plain
        case .blocks: .blocked
        case .likeInputs: hasBlocks ? .blocked : .plain
        case .likeInputsIf(let condition):
            hasBlocks && condition(node.inputs.map { graph[$0].shape }, blockWidth) ? .blocked : .plain
        }
    }

    private mutating func addDemands(of node: PlannedNode, _ graph: Graph) {
        if let residual = node.residual { demand(residual, node.traits.residual ?? .blocked) }
        if let gates = node.gates { demand(gates, .plain) }
        // Intermediate results of fused nodes have no layout.
        if let first = node.before.first { return addDemands(of: first, graph) }
        switch node.traits.reads {
        case .plain: for input in node.inputs { demand(input, .plain) }
        case .blocks: demand(node.inputs[0], .blocked)
        case .borderedBlocks(let halo): demand(node.inputs[0], .blocked, halo)
        case .slidingWindow(let window):
            demand(node.inputs[0], convolutionReads(node.inputs[0], window, graph), Halo(window))
        case .imageAndChannels(let image):
            demand(node.inputs[image], .blocked)
            demand(node.inputs[1 - image], .plain)
        case .likeOutput:
            // Operations fused with a convolution write blocks.
            let kind = node.outputs.first.flatMap { native[$0] } ?? .blocked
            var halo = Halo()
            if case .inputWithBorder = node.traits.memory, kind == .blocked {
                halo = node.traits.border + demands[node.outputs[0]]![.blocked]!
            }
            for input in node.inputs { demand(input, kind, halo) }
        }
    }
}

extension DataMovement {
    /// Whether whole blocks of the channels of an image of this shape move together.
    func keepsBlocks(of shape: Shape, width: Int) -> Bool {
        filling == nil && pieces.allSatisfy { $0.input == 0 && $0.ranges(of: shape, blockWidth: width) != nil }
    }
}

extension DataMovement.Piece {
    /// The range of each axis that it copies from an image of this shape; nil if it does anything else, or if its channels
    /// are not whole blocks.
    func ranges(of shape: Shape, blockWidth: Int) -> [StridedSlice.Range]? {
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
