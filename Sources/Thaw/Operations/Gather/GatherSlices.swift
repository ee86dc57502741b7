/// Slices of an array, each taken by its place along the first axes.
///
/// Inputs: the array, and the places, whose last axis holds one place for each of the array's first axes. What is taken from
/// outside the array is 0.
struct GatherSlices: Operation {
    /// Whether negative places count from the end, as Core ML's do; to TensorFlow they lie outside.
    var countsFromEnd = false

    var kind: String { "GatherSlices" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        guard let depth = inputs[1].shape.last, depth <= shape.rank else {
            throw Failure.shapesDiffer(shape, inputs[1].shape)
        }
        let result = Shape(inputs[1].shape.dropLast() + shape.dropFirst(depth))
        return [TensorType(result, inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let output = try! outputTypes(inputs.map(\.type))[0]
        let shape = inputs[0].shape
        let depth = inputs[1].shape.last!
        let length = shape.dropFirst(depth).reduce(1, *)
        let places = inputs[1].integers
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    var row = 0
                    for axis in 0..<depth {
                        var place = places[element / length * depth + axis]
                        if countsFromEnd, place < 0 { place += shape[axis] }
                        guard (0..<shape[axis]).contains(place) else { return 0 }
                        row = row * shape[axis] + place
                    }
                    return x[row * length + element % length]
                }
            ]
        }
    }
}

// MARK: TensorFlow

extension GatherSlices {
    static let tensorFlow = [
        TensorFlowRule("GatherNd") { node, context in
            try context.add(GatherSlices(), [try node.input(0), try node.input(1)], name: node.name)
        }
    ]
}

// MARK: Neural network

extension GatherSlices: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { $0.choose("gatherND") }
    }
}

extension GatherSlices {
    static let neural = [
        NeuralRule("gatherND") { layer, reading in
            [try reading.add(GatherSlices(countsFromEnd: true), [layer.input(), layer.input(1)], layer)]
        }
    ]
}

// MARK: ML Program

extension GatherSlices: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("gather_nd", node, ["x": .value(node.inputs[0]), "indices": .value(node.inputs[1])])
    }
}

extension GatherSlices {
    static let mil = [
        MILRule("gather_nd") { op, reading in
            guard try op.integer("batch_dims", default: 0) == 0 else {
                throw op.refused("batches of places are not supported")
            }
            let (x, places) = (try op.operand(), try op.operand("indices"))
            let depth = min(places.shape.last ?? 0, x.shape.rank)
            try op.check(places, sizes: Array(x.shape.prefix(depth)), of: x)
            return try reading.add(GatherSlices(countsFromEnd: true), [x, places], op)
        }
    ]
}
