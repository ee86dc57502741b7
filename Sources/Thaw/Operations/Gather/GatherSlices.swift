/// Slices of a tensor, each selected by its index along the first axes.
///
/// Inputs: the tensor, and the indices, whose last axis contains one index for each of the tensor's first axes.
/// Slices that are out of bounds are 0.
struct GatherSlices: Operation {
    /// Whether negative indices count from the end, as in Core ML. In TensorFlow they are out of bounds.
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
        let indices = inputs[1].integers
        return inputs[0].withElements { x in
            [
                Tensor(shape: output.shape, element: output.element) { element in
                    var row = 0
                    for axis in 0..<depth {
                        var index = indices[element / length * depth + axis]
                        if countsFromEnd, index < 0 { index += shape[axis] }
                        guard (0..<shape[axis]).contains(index) else { return 0 }
                        row = row * shape[axis] + index
                    }
                    return x[row * length + element % length]
                }
            ]
        }
    }
}

// MARK: Facts

extension GatherSlices {
    var family: Family { .arrangement }
    var indexInput: Int? { 1 }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let rank = inputs[1].shape.rank
        if input == 1 { return axis == rank - 1 ? .combined : .kept(axis) }
        let depth = inputs[1].shape[rank - 1]
        return axis < depth ? .rearranged : .kept(axis - depth + rank - 1)
    }
}

// MARK: TensorFlow

extension GatherSlices {
    static let tensorFlow = [
        TensorFlowRule("GatherNd", axes: .lost, roles: []) { node, context in
            let (x, indices) = (try node.input(0), try node.input(1))
            if let known = indices.constant { try node.check(known, of: x.shape) }
            return try context.add(GatherSlices(), [x, indices], name: node.name)
        }
    ]
}

// MARK: Neural network

extension GatherSlices: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { $0.choose("gatherND") }
    }
}

extension GatherSlices {
    static let neural = [
        NeuralRule("gatherND") { layer, reading in
            try reading.add(GatherSlices(countsFromEnd: true), [layer.input(), layer.input(1)], layer)
        }
    ]
}

// MARK: ML Program

extension GatherSlices: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.withoutBooleans(node) { node, block in
            block.add("gather_nd", node, ["x": .value(node.inputs[0]), "indices": .value(node.inputs[1])])
        }
    }
}

extension GatherSlices {
    static let mil = [
        MILRule("gather_nd") { op, reading in
            let x = try op.operand()
            var indices = try op.operand("indices")
            let batches = try op.integer("batch_dims", default: 0)
            let leading = indices.shape.dropLast()
            guard (0...leading.count).contains(batches), x.shape.prefix(batches).elementsEqual(leading.prefix(batches))
            else {
                throw op.refused(
                    "tensors of shapes \(x.shape) and \(indices.shape) do not share their first \(batches) axes")
            }
            let depth = min(indices.shape.last ?? 0, x.shape.rank - batches)
            try op.check(indices, sizes: Array(x.shape.dropFirst(batches).prefix(depth)), of: x)
            if batches > 0 {
                // The position in the batch becomes a part of the index.
                let strides = Shape(leading).strides
                let positions = Tensor(
                    shape: Shape(leading + [batches]), element: indices.type.element
                ) { Double($0 / batches / strides[$0 % batches] % leading[$0 % batches]) }
                indices = try reading.add(Concatenation(axis: leading.count), [.constant(positions), indices], op)[0]
            }
            return try reading.add(GatherSlices(countsFromEnd: true), [x, indices], op)
        }
    ]
}
