import Kernels

/// One value for all elements along some axes: their mean, sum, product, maximum, minimum or L2 norm.
struct Reduction: Operation {
    enum Function: String, Hashable, Sendable, CaseIterable { case mean, sum, maximum, minimum, product, l2Norm }

    var function: Function
    /// Ascending, counted from the front.
    var axes: [Int]
    /// Whether the axes are kept with size 1.
    var keepsAxes: Bool

    var kind: String { "Reduce" + function.rawValue.prefix(1).uppercased() + function.rawValue.dropFirst() }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        var shape = inputs[0].shape.dimensions
        for axis in axes.reversed() {
            guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: inputs[0].shape) }
            if keepsAxes { shape[axis] = 1 } else { shape.remove(at: axis) }
        }
        return [TensorType(Shape(shape), inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let kept = shape.reduced(along: axes)
        let group = kept.broadcastIndex(in: shape)
        let start: Double =
            switch function {
            case .mean, .sum, .l2Norm: 0
            // `Any` of no elements is false.
            case .maximum: inputs[0].element == .bool ? 0 : -.infinity
            case .minimum: .infinity
            case .product: 1
            }
        var results = [Double](repeating: start, count: kept.elementCount)
        inputs[0].withElements { x in
            for i in 0..<shape.elementCount {
                let to = group(i)
                let value = x[i]
                switch function {
                case .mean, .sum: results[to] += value
                case .maximum: if value > results[to] || value.isNaN { results[to] = value }
                case .minimum: if value < results[to] || value.isNaN { results[to] = value }
                case .product: results[to] *= value
                case .l2Norm: results[to] += value * value
                }
            }
        }
        let divisor = function == .mean ? Double(axes.reduce(1) { $0 * shape[$1] }) : 1
        let output = try! outputTypes(inputs.map(\.type))[0]
        return [
            Tensor(shape: output.shape, element: output.element) {
                function == .l2Norm ? results[$0].squareRoot() : results[$0] / divisor
            }
        ]
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        var copy = self
        copy.axes = order.indices.filter { axes.contains(order[$0]) }
        if keepsAxes { return Reordered(copy, inputs: orders, outputs: [order]) }
        // The remaining axes keep their order and are renumbered.
        let left = order.filter { !axes.contains($0) }
        let output = left.map { axis in left.filter { $0 < axis }.count }
        return Reordered(copy, inputs: orders, outputs: [output])
    }
}

// MARK: Facts

extension Reduction {
    var family: Family { .pooling }

    var quantizedRole: QuantizedRole {
        switch function {
        case .mean: .arithmetic
        case .maximum, .minimum: .selection
        case .sum, .product, .l2Norm: .floating
        }
    }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        if axes.contains(axis) { return .combined }
        return .kept(keepsAxes ? axis : axis - axes.count { $0 < axis })
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let from = inputs[0]
        let isReduced = from.indices.map(axes.contains)
        let groups = AxisGroups(from) { isReduced[$0] == isReduced[$1] }
        var merged = self
        merged.axes = groups.indices.filter { isReduced[groups[$0].leader] }
        return merged.axes.isEmpty ? nil : (merged, groups)
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        if axes == [1, 2], function == .mean, inputs[0].shape.rank == 4 { return Caption("Global average pooling") }
        let name = function.rawValue.prefix(1).uppercased() + function.rawValue.dropFirst()
        return Caption(function == .l2Norm ? "L2 norm" : name, ["over axes \(Words.list(axes))"])
    }
}

// MARK: TensorFlow

extension Reduction {
    static let tensorFlow = [
        ("Mean", Function.mean, TensorFlowRoles([.mean, .total, .mayOverflow, .truncates])),
        ("Sum", .sum, [.summation, .total, .mayOverflow]),
        ("Max", .maximum, []),
        ("Min", .minimum, []), ("Prod", .product, .mayOverflow), ("Any", .maximum, []), ("All", .minimum, []),
    ].map { name, function, roles in
        TensorFlowRule(name, axes: .lost, roles: roles) { node, context in
            let input = try node.input(0)
            let axes = try node.integers(1, "list of axes").map { try input.shape.axis($0) }
            guard Set(axes).count == axes.count else { throw node.refused("the axes \(axes) contain duplicates") }
            var reduction = Reduction(
                function: function, axes: axes.sorted(),
                keepsAxes: try node.bool("keep_dims", default: try node.bool("keepdims", default: false)))
            if axes.isEmpty { return [input] }
            guard function == .mean, node.isInteger(input) else {
                return [try context.add(reduction, input, name: node.name)]
            }
            // A sum times the inverse of the count may be slightly less than an integer, and would be truncated to the next.
            reduction.function = .sum
            let sum = try context.add(reduction, input, name: node.name + "/sum")
            let count = Tensor(Double(axes.reduce(1) { $0 * input.shape[$1] }), element: sum.type.element)
            return [try context.combine(.truncateDivide, sum, .constant(count), name: node.name)]
        }
    }
}

// MARK: Engine

extension Reduction: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard !axes.isEmpty, function != .l2Norm else { return nil }
        let count = axes.reduce(1) { $0 * inputs[0].shape[$1] }
        let factor = function == .mean ? 1 / Float(count) : 1
        let isSum = function == .mean || function == .sum
        if inputs[0].shape.rank == 4, axes == [1, 2], isSum { return .pixelSum(factor: factor) }
        let kinds: [Function: ReductionWork.Kind] = [.maximum: .maximum, .minimum: .minimum, .product: .product]
        return .reduction(kinds[function] ?? .sum, axes: axes, factor: factor)
    }
}

// MARK: Integers

extension Reduction: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        let shape = use.types[0].shape
        guard function == .mean, axes == [1, 2], shape.rank == 4, let output = use.output else { return nil }
        let pixels = shape[1] * shape[2]
        let factor = Float(Double(use.inputs[0].scale) / Double(output.scale) / Double(pixels))
        guard pixels * 255 < 1 << 30, factor.isFinite else { return nil }
        return IntegerMean(
            zeroPoint: use.inputs[0].zeroPoint, factor: factor, rounding: output.rounding(bounds: use.bounds),
            keepsAxes: keepsAxes)
    }
}
