/// Normalization to length 1 along some axes: y = x / √max(Σ x², epsilon), where the sum is over the elements along
/// `axes`.
struct L2Normalization: Operation {
    /// Ascending, counted from the front.
    var axes: [Int]
    /// The lower bound for the squared length.
    var epsilon: Float

    var kind: String { "L2Normalization" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        if let axis = axes.first(where: { !shape.indices.contains($0) }) { throw Failure.noSuchAxis(axis, of: shape) }
        return [TensorType(shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        var kept = shape
        for axis in axes { kept[axis] = 1 }
        let group = kept.places(in: shape)
        return inputs[0].withFloats { x in
            var squares = [Double](repeating: 0, count: kept.elementCount)
            for i in 0..<x.count { squares[group(i)] += Double(x[i]) * Double(x[i]) }
            return [
                Tensor(shape: shape) { y in
                    for i in 0..<x.count {
                        let square = squares[group(i)]
                        y[i] = Float(
                            Double(x[i]) / (square < Double(epsilon) ? Double(epsilon) : square).squareRoot())
                    }
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let moved = orders[0].indices.filter { axes.contains(orders[0][$0]) }
        return Reordered(L2Normalization(axes: moved, epsilon: epsilon), inputs: orders, outputs: orders)
    }
}

// MARK: Neural network

extension L2Normalization: NeuralOperation {
    /// Length, bound, quotient. (The dedicated layer adds its epsilon to the sum of squares.)
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        var narrow = node
        for axis in axes { narrow.outputs[0].shape[axis] = 1 }
        var length = layers.addPart(narrow, "length", node.inputs) { layer in
            layer.reduceL2.axes = axes
            layer.reduceL2.keepDims = true
        }
        if epsilon > 0 {
            length = layers.addPart(narrow, "bound", [length]) { layer in
                layer.unary.type = "THRESHOLD"
                layer.unary.alpha = epsilon.squareRoot()
            }
        }
        layers.add(node.name, [node.input, length], node.outputs) { $0.choose("divideBroadcastable") }
    }
}

// MARK: ML Program

extension L2Normalization: MILOperation {
    /// Length, bound, quotient. (The dedicated operation adds its epsilon to the sum of squares.)
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        var narrow = node.input.shape
        for axis in axes { narrow[axis] = 1 }
        block.inFloats(node) { node, block in
            let x = MILArgument.value(node.input)
            var length = block.part(
                "reduce_l2_norm", node, "length", shape: narrow,
                ["x": x, "axes": .integers(axes), "keep_dims": .bool(true)])
            if epsilon > 0 {
                length = block.part(
                    "maximum", node, "bound", shape: narrow,
                    ["x": .value(length), "y": .number(epsilon.squareRoot())])
            }
            block.add("real_div", node, ["x": x, "y": .value(length)])
        }
    }
}

// MARK: Engine

extension L2Normalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        axes.isEmpty ? nil : .lengthNormalization(axes: axes, epsilon: epsilon)
    }
}
