/// A tensor broadcast to a shape, as in NumPy.
struct BroadcastTo: Operation {
    var shape: Shape

    var kind: String { "BroadcastTo" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard try inputs[0].shape.broadcast(with: shape) == shape else {
            throw Failure.cannotBroadcast(inputs[0].shape, shape)
        }
        return [TensorType(shape, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let sourceIndex = inputs[0].shape.broadcastIndex(in: shape)
        return inputs[0].withElements { x in
            [Tensor(shape: shape, element: inputs[0].element) { x[sourceIndex($0)] }]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        guard inputs[0].shape.rank == shape.rank else { return nil }
        return Reordered(BroadcastTo(shape: shape.permuted(orders[0])), inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension BroadcastTo {
    var family: Family { .arrangement }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let target = axis + shape.rank - inputs[0].shape.rank
        return inputs[0].shape[axis] == shape[target] ? .kept(target) : .rearranged
    }

    var broadcasts: Bool { true }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        guard inputs[0].rank == output.rank else { return nil }
        let groups = AxisGroups(output, broadcasting: inputs)
        return (BroadcastTo(shape: groups.merged(output)), groups)
    }

    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? {
        var shape = shape
        let shapeAxis = axis + shape.rank - inputs[0].shape.rank
        shape[shapeAxis] = shape[shapeAxis] / batch * count
        return BroadcastTo(shape: shape)
    }
}

// MARK: TensorFlow

extension BroadcastTo {
    static let tensorFlow = [
        TensorFlowRule("BroadcastTo", axes: .lost, roles: []) { node, context in
            let shape = Shape(try node.integers(1, "shape"))
            return [try context.add(BroadcastTo(shape: shape), node.input(0), name: node.name)]
        },
        // The common broadcast shape of two shapes.
        TensorFlowRule("BroadcastArgs", axes: .lost, roles: []) { node, _ in
            let shapes = [try node.constant(0, "first shape"), try node.constant(1, "second shape")]
            for shape in shapes where shape.shape.rank != 1 { throw Failure.wrongRank(1, shape.shape) }
            let result = try Shape(shapes[0].integers).broadcast(with: Shape(shapes[1].integers))
            return [
                .constant(Tensor(integers: result.dimensions, shape: [result.rank], element: shapes[0].element))
            ]
        },
    ]
}

// MARK: Neural network

extension BroadcastTo: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { $0.broadcastToStatic.targetShape = shape.dimensions }
    }
}

extension BroadcastTo {
    static let neural = [
        NeuralRule("broadcastToStatic") { layer, reading in
            let shape = Shape(layer.parameters.targetShape as [Int])
            return [try reading.add(BroadcastTo(shape: shape), layer.input(), layer)]
        }
    ]
}

// MARK: ML Program

extension BroadcastTo: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let whole = block.broadcast(node.input, to: shape, node, "tile")
        var copy = node
        copy.inputs = [whole]
        block.add("identity", copy, ["x": .value(whole)])
    }
}

// MARK: Engine

extension BroadcastTo: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .dataMovement(DataMovement(broadcasting: inputs[0].shape, to: output.shape))
    }
}
