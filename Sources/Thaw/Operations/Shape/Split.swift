/// A tensor split into parts along an axis, with one output per part.
struct Split: Operation {
    /// Counted from the front.
    var axis: Int
    /// The size of each part along the axis.
    var sizes: [Int]

    var kind: String { "Split" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        guard sizes.allSatisfy((0...shape[axis]).contains), sizes.reduce(0, +) == shape[axis] else {
            throw Failure.sliceOutside(shape)
        }
        return sizes.map { size in
            var part = shape
            part[axis] = size
            return TensorType(part, inputs[0].element)
        }
    }

    /// The ranges of each part along all axes.
    private func parts(of shape: Shape) -> [[StridedSlice.Range]] {
        var start = 0
        return sizes.map { size in
            defer { start += size }
            return StridedSlice(.init(start: start, count: size), along: axis, of: shape).ranges
        }
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        parts(of: inputs[0].shape).map { StridedSlice(ranges: $0).evaluate(inputs)[0] }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let split = Split(axis: orders[0].firstIndex(of: axis)!, sizes: sizes)
        return Reordered(split, inputs: orders, outputs: sizes.map { _ in orders[0] })
    }
}

// MARK: Facts

extension Split {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        self.axis == axis ? .rearranged : .kept(axis)
    }

    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? { range(0) }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Split", [Set(sizes).count == 1 ? "into \(sizes.count)" : "into \(Words.list(sizes))"])
    }
}

// MARK: TensorFlow

extension Split {
    /// More parts than in any real network.
    private static let largestCount = 1 << 16

    /// A split into equal parts.
    /// - Throws: `Failure` naming the node if the axis cannot be split into this many equal parts.
    init(_ shape: Shape, axis: Int, count: Int, _ node: some SourceNode) throws {
        let size = shape[axis]
        guard (1...Swift.max(1, size)).contains(count), count <= Self.largestCount, size % count == 0 else {
            throw node.refused(
                "axis \(axis) of shape \(shape) cannot be split into \(count) equal parts", remedy: nil)
        }
        self.init(axis: axis, sizes: Array(repeating: size / count, count: count))
    }

    static let tensorFlow = [
        TensorFlowRule("Split", axes: .resized, roles: []) { node, context in
            let input = try node.input(1)
            let axis = try input.shape.axis(try node.integer(0, "axis"))
            let split = try Split(input.shape, axis: axis, count: node.int("num_split", default: 1), node)
            guard split.sizes.count > 1 else { return [input] }
            return try context.add(split, [input], name: node.name)
        },
        TensorFlowRule("SplitV", axes: .resized, roles: []) { node, context in
            let input = try node.input(0)
            let axis = try input.shape.axis(try node.integer(2, "axis"))
            var sizes = try node.integers(1, "sizes")
            let known = sizes.filter { $0 != -1 }
            let unknown = sizes.count - known.count
            guard known.allSatisfy((0...input.shape[axis]).contains), (1...largestCount).contains(sizes.count),
                case let rest = input.shape[axis] - known.reduce(0, +),
                unknown == 0 ? rest == 0 : unknown == 1 && rest >= 0
            else {
                throw node.refused("axis \(axis) of shape \(input.shape) cannot be split into parts of \(sizes)")
            }
            sizes = sizes.map { $0 == -1 ? rest : $0 }
            let filled = sizes.filter { $0 > 0 }
            guard !filled.isEmpty, filled.count < sizes.count else {
                return try context.add(Split(axis: axis, sizes: sizes), [input], name: node.name)
            }
            let split = Split(axis: axis, sizes: filled)
            var parts = filled.count == 1 ? [input] : try context.add(split, [input], name: node.name)
            return sizes.map { size in
                if size > 0 { return parts.removeFirst() }
                var shape = input.shape.dimensions
                shape[axis] = 0
                return .constant(Tensor(shape: Shape(shape), element: input.type.element) { _ in 0 })
            }
        },
        TensorFlowRule("Unpack", axes: .lost, roles: []) { node, context in
            let input = try node.input(0)
            let axis = try input.shape.axis(try node.int("axis", default: 0))
            let count = input.shape[axis]
            guard (1...largestCount).contains(count), try node.int("num", default: count) == count else {
                throw node.refused(
                    "axis \(axis) of shape \(input.shape) cannot be split into \(try node.int("num", default: count)) parts"
                )
            }
            var shape = input.shape.dimensions
            shape.remove(at: axis)
            let split = Split(axis: axis, sizes: [Int](repeating: 1, count: count))
            let parts = count == 1 ? [input] : try context.add(split, [input], name: node.name)
            return try parts.map { try context.add(Reshape(Shape(shape)), $0, name: node.name + "/part") }
        },
    ]
}

// MARK: ML Program

extension Split: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let parts: MILArgument = isEven ? .integer(sizes.count) : .integers(sizes)
        block.add(
            "split", node,
            ["x": .value(node.input), isEven ? "num_splits" : "split_sizes": parts, "axis": .integer(axis)])
    }
}

extension Split {
    static let mil = [
        MILRule("split") { op, reading in
            let x = try op.operand()
            let axis = try op.axis(x)
            var sizes = try op.integers("split_sizes", default: [])
            if sizes.isEmpty {
                sizes = try Split(x.shape, axis: axis, count: op.integer("num_splits"), op).sizes
            }
            guard sizes.count == op.outputCount else {
                throw op.refused("\(sizes.count) parts do not match \(op.outputCount) outputs")
            }
            return try reading.add(Split(axis: axis, sizes: sizes), [x], op)
        }
    ]
}

// MARK: Engine

extension Split: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .dataMovement(DataMovement(taking: parts(of: inputs[0].shape), of: inputs[0].shape))
    }
}
