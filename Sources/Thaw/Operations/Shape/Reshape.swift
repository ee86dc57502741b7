/// The same elements in the same order with another shape.
struct Reshape: Operation {
    var shape: Shape

    init(_ shape: Shape) { self.shape = shape }

    var kind: String { "Reshape" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard let count = shape.checkedCount, inputs[0].shape.elementCount == count else {
            throw Failure.elementCount(inputs[0].shape, shape)
        }
        return [TensorType(shape, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] { [inputs[0].reshaped(shape)] }

    /// Axes of one element can be added and removed for any axis order. Axes that are split, or merged with others, must be
    /// adjacent and in their original order.
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        guard let groups = groups(inputs[0].shape) else { return nil }
        var rest = orders[0].filter { inputs[0].shape[$0] != 1 }[...]
        var sequence: [Int] = []
        while let first = rest.first {
            guard let group = groups.first(where: { $0.from.first == first }), rest.starts(with: group.from) else {
                return nil
            }
            rest = rest.dropFirst(group.from.count)
            sequence += group.to
        }
        var axes = sequence.makeIterator()
        let order = shape.indices.map { shape[$0] == 1 ? $0 : axes.next()! }
        return Reordered(Reshape(shape.permuted(order)), inputs: orders, outputs: [order])
    }

    /// The smallest groups of axes that have the same elements before and after, without axes of one element.
    private func groups(_ old: Shape) -> [(from: [Int], to: [Int])]? {
        guard shape.elementCount > 0 else { return nil }
        var (from, to) = (old.indices.filter { old[$0] != 1 }[...], shape.indices.filter { shape[$0] != 1 }[...])
        var groups: [(from: [Int], to: [Int])] = []
        while let first = from.popFirst(), let second = to.popFirst() {
            var group = (from: [first], to: [second])
            var (before, after) = (old[first], shape[second])
            while before != after {
                if before < after {
                    guard let next = from.popFirst() else { return nil }
                    group.from.append(next)
                    before *= old[next]
                } else {
                    guard let next = to.popFirst() else { return nil }
                    group.to.append(next)
                    after *= shape[next]
                }
            }
            groups.append(group)
        }
        return groups
    }
}

// MARK: Facts

extension Reshape {
    var family: Family { .arrangement }
    var keepsElements: Bool { true }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .regrouped }
    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? { range(0) }
    func isIdentity(_ inputs: [TensorType]) -> Bool { inputs[0].shape == shape }
}

// MARK: TensorFlow

extension Reshape {
    static let tensorFlow = [
        TensorFlowRule("Reshape", axes: .lost, roles: [.reshape, .equivalentPrediction, .averaging]) { node, context in
            let input = try node.input(0)
            let reshape = try Reshape(input.shape, to: node.integers(1, "shape"), node)
            return [try context.add(reshape, input, name: node.name)]
        },
        TensorFlowRule("Squeeze", axes: .lost, roles: [.equivalentPrediction, .averaging]) { node, context in
            let input = try node.input(0)
            let key = node.definition.attributes["squeeze_dims"] == nil ? "axis" : "squeeze_dims"
            let axes = try node.ints(key, default: []).map { try input.shape.axis($0) }
            if let axis = axes.first(where: { input.shape[$0] != 1 }) {
                throw node.refused("axis \(axis) of shape \(input.shape) cannot be squeezed because its size is not 1")
            }
            let kept = input.shape.indices.filter { axes.isEmpty ? input.shape[$0] != 1 : !axes.contains($0) }
            return [try context.add(Reshape(Shape(kept.map { input.shape[$0] })), input, name: node.name)]
        },
        TensorFlowRule("ExpandDims", axes: .expanded, roles: .equivalentPrediction) { node, context in
            let input = try node.input(0)
            var shape = input.shape.dimensions
            shape.insert(1, at: try input.shape.newAxis(node.integer(1, "axis")))
            return [try context.add(Reshape(Shape(shape)), input, name: node.name)]
        },
        TensorFlowRule("Shape", axes: .lost, roles: .size) { node, _ in
            let shape = try node.input(0).shape
            let element = try node.element("out_type", default: .int32)
            return [.constant(Tensor(integers: shape.dimensions, shape: [shape.rank], element: element))]
        },
        TensorFlowRule("ShapeN", axes: .lost, roles: .size) { node, _ in
            let element = try node.element("out_type", default: .int32)
            return node.inputs.map {
                .constant(Tensor(integers: $0.shape.dimensions, shape: [$0.shape.rank], element: element))
            }
        },
    ]
}

// MARK: Reading

extension Reshape {
    /// A reshape to these sizes, one of which may be −1 for the remaining elements.
    /// - Throws: `Failure` naming the node if the tensor does not have as many elements.
    init(_ from: Shape, to target: [Int], _ node: some SourceNode) throws {
        let known = Shape(target.filter { $0 != -1 })
        guard known.rank >= target.count - 1, let count = known.checkedCount,
            known.rank == target.count || (count > 0 && from.elementCount % count == 0)
        else {
            throw node.refused("the shape \(Shape(target)) does not fit a tensor of shape \(from)", remedy: nil)
        }
        self.init(Shape(target.map { $0 == -1 ? from.elementCount / count : $0 }))
    }

    /// A reshape that adds axes of size 1.
    /// - Parameter axes: The axes of the result; negative ones count from its end.
    /// - Throws: `Failure` naming the node if they are not valid.
    init(_ from: Shape, adding axes: [Int], _ node: some SourceNode) throws {
        let rank = from.rank + axes.count
        let newAxes = Set(axes.map { $0 < 0 ? $0 + rank : $0 })
        guard newAxes.count == axes.count, newAxes.allSatisfy((0..<rank).contains) else {
            throw node.refused("the axes \(axes) are not valid", remedy: nil)
        }
        var sizes = from.makeIterator()
        self.init(Shape((0..<rank).map { newAxes.contains($0) ? 1 : sizes.next()! }))
    }

    /// Flattens the axes before one, and those from it on: the result is a matrix. The axis after the last one leaves a
    /// single column.
    static func flattening(_ shape: Shape, at axis: Int) throws -> Reshape {
        guard (-shape.rank...shape.rank).contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        let first = axis < 0 ? axis + shape.rank : axis
        return Reshape(Shape([shape.prefix(first), shape.dropFirst(first)].map { $0.reduce(1, *) }))
    }
}

extension ImportContext {
    mutating func reshaped(_ x: Operand, _ shape: Shape, _ node: some SourceNode) throws -> Operand {
        x.shape == shape ? x : try add(Reshape(shape), x, node)
    }
}

// MARK: Engine

extension Reshape: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .reshape }
}

// MARK: Integers

extension Reshape: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
