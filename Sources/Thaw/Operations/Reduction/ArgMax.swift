/// The index of the largest or smallest element along an axis; the first one in case of ties. As in TensorFlow, NaN
/// counts as the smallest value for the maximum, and as the largest for the minimum.
struct ArgMax: Operation {
    /// Counted from the front.
    var axis: Int
    var element = ElementType.int64
    /// Whether the axis is kept with size 1.
    var keepsAxis = false
    /// Whether to find the minimum.
    var isMinimum = false

    var kind: String { isMinimum ? "ArgMin" : "ArgMax" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        var shape = inputs[0].shape.dimensions
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: inputs[0].shape) }
        guard shape[axis] > 0 else { throw Failure.emptyAxis(axis, of: inputs[0].shape) }
        if keepsAxis { shape[axis] = 1 } else { shape.remove(at: axis) }
        return [TensorType(Shape(shape), element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let count = shape[axis]
        let step = shape.strides[axis]
        let output = try! outputTypes(inputs.map(\.type))[0]
        let worst = isMinimum ? Double.infinity : -.infinity
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: element) { element in
                    let start = element / step * step * count + element % step
                    func value(_ index: Int) -> Double {
                        let value = x[start + index * step]
                        return value.isNaN ? worst : value
                    }
                    var best = (index: 0, value: value(0))
                    for index in 1..<count {
                        let candidate = value(index)
                        if isMinimum ? candidate < best.value : candidate > best.value { best = (index, candidate) }
                    }
                    return Double(best.index)
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        var copy = self
        copy.axis = order.firstIndex(of: axis)!
        if keepsAxis { return Reordered(copy, inputs: orders, outputs: orders) }
        let left = order.filter { $0 != axis }
        return Reordered(copy, inputs: orders, outputs: [left.map { $0 > axis ? $0 - 1 : $0 }])
    }
}

// MARK: Facts

extension ArgMax {
    var family: Family { .arrangement }
    var selectedIndexOutput: Int? { 0 }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        if axis == self.axis { return .combined }
        return .kept(keepsAxis || axis < self.axis ? axis : axis - 1)
    }
}

// MARK: TensorFlow

extension ArgMax {
    static let tensorFlow = [
        ("ArgMax", TensorFlowRoles([.argMax, .choice, .comparison])), ("ArgMin", []),
    ].map { name, roles in
        TensorFlowRule(name, axes: .lost, roles: roles) { node, context in
            let input = try node.input(0)
            let axis = try input.shape.axis(try node.integer(1, "axis"))
            let element = try node.element("output_type", default: .int64)
            let operation = ArgMax(axis: axis, element: element, isMinimum: node.op == "ArgMin")
            return [try context.add(operation, input, name: node.name)]
        }
    }
}

// MARK: Neural network

extension ArgMax: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            let kind = isMinimum ? "argMin" : "argMax"
            layer[kind]["axis"] = axis
            layer[kind]["removeDim"] = !keepsAxis
        }
    }
}

extension ArgMax {
    static let neural = [
        NeuralRule("argMax", "argMin") { layer, reading in
            let axis = try layer.input().shape.axis(layer.parameters.axis)
            let argMax = ArgMax(
                axis: axis, element: .int64, keepsAxis: !(layer.parameters.removeDim as Bool),
                isMinimum: layer.kind == "argMin")
            return [try reading.asFloats(reading.add(argMax, layer.input(), layer), layer)]
        }
    ]
}

// MARK: ML Program

extension ArgMax: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            isMinimum ? "reduce_argmin" : "reduce_argmax", node,
            ["x": .value(node.input), "axis": .integer(axis), "keep_dims": .bool(keepsAxis)])
    }
}

extension ArgMax {
    static let mil = [
        MILRule("reduce_argmax", "reduce_argmin") { op, reading in
            let x = try op.operand()
            let operation = ArgMax(
                axis: try op.axis(x, default: -1), element: .int32,
                keepsAxis: try op.bool("keep_dims", default: false), isMinimum: op.kind == "reduce_argmin")
            return [try reading.add(operation, x, op)]
        }
    ]
}
