/// An array repeated along its axes.
struct Tile: Operation {
    /// How often, one number an axis.
    var multiples: [Int]

    var kind: String { "Tile" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard multiples.count == shape.rank else { throw Failure.wrongRank(multiples.count, shape) }
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
                    var place = 0
                    for axis in shape.indices {
                        place = place * shape[axis] + element / strides[axis] % output.shape[axis] % shape[axis]
                    }
                    return x[place]
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(Tile(multiples: orders[0].map { multiples[$0] }), inputs: orders, outputs: orders)
    }
}

/// An array repeated to fill a shape, as NumPy broadcasts.
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
        let place = inputs[0].shape.places(in: shape)
        return inputs[0].withElements { x in
            [Tensor(shape: shape, element: inputs[0].element) { x[place($0)] }]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        guard inputs[0].shape.rank == shape.rank else { return nil }
        return Reordered(BroadcastTo(shape: shape.permuted(orders[0])), inputs: orders, outputs: orders)
    }
}

// MARK: TensorFlow

extension Tile {
    static let tensorFlow = [
        TensorFlowRule("Tile") { node, context in
            [try context.add(Tile(multiples: node.integers(1, "multiples")), node.input(0), name: node.name)]
        },
        TensorFlowRule("BroadcastTo") { node, context in
            let shape = Shape(try node.integers(1, "shape"))
            return [try context.add(BroadcastTo(shape: shape), node.input(0), name: node.name)]
        },
        // The shape that arrays of two shapes have together.
        TensorFlowRule("BroadcastArgs") { node, _ in
            let shapes = [try node.constant(0, "first shape"), try node.constant(1, "second shape")]
            for shape in shapes where shape.shape.rank != 1 { throw Failure.wrongRank(1, shape.shape) }
            let result = try Shape(shapes[0].integers).broadcast(with: Shape(shapes[1].integers))
            return [
                .constant(Tensor(integers: result.dimensions, shape: [result.rank], element: shapes[0].element))
            ]
        },
    ]
}
