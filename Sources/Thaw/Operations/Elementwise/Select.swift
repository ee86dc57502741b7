/// An elementwise choice between two tensors by a condition, with broadcasting of all three.
struct Select: Operation {
    var kind: String { "Select" }
    var isElementwise: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (a, b) = (inputs[1], inputs[2])
        guard a.element == b.element else { throw Failure.elementTypesDiffer(a.element.rawValue, b.element.rawValue) }
        let shape = try a.shape.broadcast(with: b.shape).broadcast(with: inputs[0].shape)
        return [TensorType(shape, a.element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0]
        let indices = inputs.map { $0.shape.broadcastIndex(in: output.shape) }
        return inputs[0].withElements { condition in
            inputs[1].withElements { a in
                inputs[2].withElements { b in
                    [
                        Tensor(shape: output.shape, element: output.element) {
                            condition[indices[0]($0)] != 0 ? a[indices[1]($0)] : b[indices[2]($0)]
                        }
                    ]
                }
            }
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        guard inputs.allSatisfy({ $0.shape.rank == inputs[0].shape.rank }) else { return nil }
        // One order for all. The order that comes from a spatial operation is worth keeping.
        let identity = Array(0..<inputs[0].shape.rank)
        let order = orders.first { $0 != identity } ?? identity
        return Reordered(self, inputs: orders.map { _ in order }, outputs: [order])
    }
}

// MARK: Facts

extension Select {
    var family: Family { .arithmetic }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        .broadcast(inputs[input].shape, axis, with: inputs.map(\.shape))
    }
}

// MARK: TensorFlow

extension Select {
    static let tensorFlow = [
        TensorFlowRule("SelectV2", axes: .kept, roles: [.select, .comparison, .averaging]) { node, context in
            try context.add(Select(), try (0..<3).map { try node.input($0) }, name: node.name)
        },
        TensorFlowRule("Select", axes: .kept, roles: [.select, .comparison, .averaging]) { node, context in
            var inputs = try (0..<3).map { try node.input($0) }
            guard inputs[1].shape == inputs[2].shape else {
                throw Failure.shapesDiffer(inputs[1].shape, inputs[2].shape).at(node.name)
            }
            // A vector of conditions selects along the first axis. Otherwise there is a single condition, or one per
            // element.
            let rank = inputs[1].shape.rank
            if inputs[0].shape.rank == 1, rank > 1, inputs[0].shape[0] == inputs[1].shape[0] {
                let shape = Shape(inputs[0].shape.dimensions + [Int](repeating: 1, count: rank - 1))
                inputs[0] = try context.add(Reshape(shape), inputs[0], name: node.name + "/condition")
            } else if inputs[0].shape.rank > 0, inputs[0].shape != inputs[1].shape {
                throw Failure.shapesDiffer(inputs[0].shape, inputs[1].shape).at(node.name)
            }
            return try context.add(Select(), inputs, name: node.name)
        },
    ]
}

// MARK: Neural network

extension Select: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { $0.choose("whereBroadcastable") }
    }
}

extension Select {
    static let neural = [
        NeuralRule("whereBroadcastable") { layer, reading in
            try reading.add(Select(), (0..<3).map { try layer.input($0) }, layer)
        }
    ]
}

// MARK: ML Program

extension Select: MILOperation {
    /// Core ML requires all three to have the shape of the result.
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let names = ["condition", "first", "second"]
        let whole = zip(node.inputs, names).map { block.broadcast($0, to: node.output.shape, node, $1) }
        let condition = block.cast(whole[0], to: .bool)
        block.add("select", node, ["cond": .value(condition), "a": .value(whole[1]), "b": .value(whole[2])])
    }
}

extension Select {
    static let mil = [
        MILRule("select") { op, reading in
            try reading.add(Select(), [op.operand("cond"), op.operand("a"), op.operand("b")], op)
        }
    ]
}
