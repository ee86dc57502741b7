/// The cumulative sum along an axis.
struct CumulativeSum: Operation, AxisOperation {
    /// Counted from the front.
    var axis: Int
    /// Whether the element itself is excluded.
    var isExclusive = false
    /// Whether the sums run from the end.
    var isReversed = false

    var kind: String { "CumulativeSum" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: inputs[0].shape) }
        return inputs
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let size = shape[axis]
        let step = shape.strides[axis]
        var sums = [Double](repeating: 0, count: shape.elementCount)
        inputs[0].withElements { x in
            for start in 0..<sums.count where start / step % size == 0 {
                var sum = 0.0
                for i in 0..<size {
                    let index = start + (isReversed ? size - 1 - i : i) * step
                    let before = sum
                    sum += x[index]
                    sums[index] = isExclusive ? before : sum
                }
            }
        }
        return [Tensor(shape: shape, element: inputs[0].element) { sums[$0] }]
    }
}

// MARK: Facts

extension CumulativeSum {
    var family: Family { .arithmetic }
}

// MARK: TensorFlow

extension CumulativeSum {
    static let tensorFlow = [
        TensorFlowRule("Cumsum", axes: .kept, roles: .mayOverflow) { node, context in
            let input = try node.input(0)
            let operation = CumulativeSum(
                axis: try input.shape.axis(try node.integer(1, "axis")),
                isExclusive: try node.bool("exclusive", default: false),
                isReversed: try node.bool("reverse", default: false))
            return [try context.add(operation, input, name: node.name)]
        }
    ]
}

// MARK: Neural network

extension CumulativeSum: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.requireVersion(CoreMLVersion.iOS14.rawValue)
        layers.add(node) { layer in
            layer.cumSum.axis = axis
            layer.cumSum.excludeFinalSum = isExclusive
            layer.cumSum.reverse = isReversed
        }
    }
}

extension CumulativeSum {
    static let neural = [
        NeuralRule("cumSum") { layer, reading in
            guard layer.inputs.count == 1 else { throw layer.refused("a computed axis is not supported") }
            let parameters = layer.parameters
            let operation = CumulativeSum(
                axis: try layer.input().shape.axis(parameters.axis),
                isExclusive: parameters.excludeFinalSum, isReversed: parameters.reverse)
            return [try reading.add(operation, layer.input(), layer)]
        }
    ]
}

// MARK: ML Program

extension CumulativeSum: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "cumsum", node,
            [
                "x": .value(node.input), "axis": .integer(axis), "exclusive": .bool(isExclusive),
                "reverse": .bool(isReversed),
            ])
    }
}

extension CumulativeSum {
    static let mil = [
        MILRule("cumsum") { op, reading in
            let x = try op.operand()
            let operation = CumulativeSum(
                axis: try op.axis(x, default: 0), isExclusive: try op.bool("exclusive", default: false),
                isReversed: try op.bool("reverse", default: false))
            return [try reading.add(operation, x, op)]
        }
    ]
}
