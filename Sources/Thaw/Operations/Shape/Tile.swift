/// A tensor repeated along its axes.
struct Tile: Operation {
    /// The number of repetitions along each axis.
    var multiples: [Int]

    var kind: String { "Tile" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard multiples.count == shape.rank else { throw Failure.wrongRank(multiples.count, shape) }
        // Merged axes multiply the repetitions, also those of an axis without elements.
        guard Shape(multiples).checkedCount != nil else { throw Failure.impossibleShape(Shape(multiples)) }
        let sizes = try zip(shape, multiples).map { size, multiple in
            let (product, overflow) = size.multipliedReportingOverflow(by: multiple)
            guard multiple >= 0, !overflow else { throw Failure.impossibleShape(shape) }
            return product
        }
        return [TensorType(Shape(sizes), inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0]
        let shape = inputs[0].shape
        let strides = output.shape.strides
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    var index = 0
                    for axis in shape.indices {
                        index = index * shape[axis] + element / strides[axis] % output.shape[axis] % shape[axis]
                    }
                    return x[index]
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(Tile(multiples: orders[0].map { multiples[$0] }), inputs: orders, outputs: orders)
    }
}

// MARK: Facts

extension Tile {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        multiples[axis] == 1 ? .kept(axis) : .rearranged
    }

    /// Axes can be merged if the outer ones are repeated and the inner ones are not.
    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let groups = AxisGroups(output) { multiples[$1] == 1 }
        return (Tile(multiples: groups.map { $0.axes.reduce(1) { $0 * multiples[$1] } }), groups)
    }
}

// MARK: TensorFlow

extension Tile {
    static let tensorFlow = [
        TensorFlowRule("Tile", axes: .resized, roles: []) { node, context in
            [try context.add(Tile(multiples: node.integers(1, "multiples")), node.input(0), name: node.name)]
        }
    ]
}

// MARK: Neural network

extension Tile: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { $0.tile.reps = multiples }
    }
}

extension Tile {
    static let neural = [
        NeuralRule("tile") { layer, reading in
            // A second input replaces the parameter.
            let multiples: [Int] = try layer.inputs.count > 1 ? layer.integers(1) : layer.parameters.reps
            return [try reading.add(Tile(multiples: multiples), layer.input(), layer)]
        }
    ]
}

// MARK: ML Program

extension Tile: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("tile", node, ["x": .value(node.input), "reps": .integers(multiples)])
    }
}

extension Tile {
    static let mil = [
        MILRule("tile") { op, reading in
            [try reading.add(Tile(multiples: op.integers("reps")), op.operand(), op)]
        }
    ]
}

// MARK: Engine

extension Tile: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .dataMovement(DataMovement(tiling: inputs[0].shape, multiples))
    }
}
