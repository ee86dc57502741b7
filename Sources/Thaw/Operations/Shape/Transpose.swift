/// A permutation of the axes: axis i of the result is axis `order[i]` of the input.
struct Transpose: Operation {
    var order: [Int]

    init(_ order: [Int]) { self.order = order }

    var kind: String { "Transpose" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard order.sorted() == Array(0..<inputs[0].shape.rank) else {
            throw Failure.wrongRank(order.count, inputs[0].shape)
        }
        return [TensorType(inputs[0].shape.permuted(order), inputs[0].element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] { [inputs[0].transposed(order)] }
}

// MARK: Facts

extension Transpose {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .kept(order.firstIndex(of: axis)!) }

    var keepsElements: Bool { true }
    func range(inputs count: Int, _ range: (Int) -> ClosedRange<Double>?) -> ClosedRange<Double>? { range(0) }
    func isIdentity(_ inputs: [TensorType]) -> Bool { order == Array(order.indices) }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let from = inputs[0]
        let moved = order.filter { from[$0] != 1 }
        let targets = from.indices.map { axis in moved.firstIndex(of: axis) ?? -1 }
        let groups = AxisGroups(from) { targets[$1] == targets[$0] + 1 }
        let leaders = groups.map { targets[$0.leader] }
        return (Transpose(groups.indices.sorted { leaders[$0] < leaders[$1] }), groups)
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Transpose", ["order \(Words.list(order))"])
    }
}

// MARK: TensorFlow

extension Transpose {
    static let tensorFlow = [
        TensorFlowRule("Transpose", axes: .permuted, roles: .map) { node, context in
            let order = try node.integers(1, "order of axes")
            guard order.sorted() == Array(0..<(try node.input(0).shape.rank)) else {
                throw node.refused("\(order) is not a permutation of the \(try node.input(0).shape.rank) axes")
            }
            return [try context.add(Transpose(order), node.input(0), name: node.name)]
        }
    ]
}

extension ImportContext {
    /// Adds an operation on an image that is in the order of the node's `data_format`.
    ///
    /// - Parameter body: Receives the image as batch, height, width, channel and returns the result in the same
    ///   order.
    /// - Throws: `Failure` if channels are first in a tensor that is not an image.
    mutating func image(
        _ node: TensorFlowNode, _ input: Operand, _ body: (Operand, inout ImportContext) throws -> Operand
    ) throws -> Operand {
        switch try node.string("data_format", default: "NHWC") {
        case "NHWC": return try body(input, &self)
        case "NCHW":
            guard input.shape.rank == 4 else { throw Failure.wrongRank(4, input.shape) }
            let last = try add(Transpose(Graph.toLast), input, name: node.name + "/to_nhwc")
            return try add(Transpose(Graph.toFirst), body(last, &self), name: node.name + "/to_nchw")
        case let format:
            throw node.refused("the data format \(format) is not supported", remedy: "expected NHWC or NCHW")
        }
    }
}

// MARK: Neural network

extension Transpose: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { $0.transpose.axes = order }
    }
}

extension Transpose {
    static let neural = [
        NeuralRule("transpose") { layer, reading in
            [try reading.add(Transpose(layer.parameters.axes), layer.input(), layer)]
        },
        NeuralRule("permute") { layer, reading in
            // The axes are sequence, channel, height, width. The sequence has size 1 here and remains the first.
            let axes: [Int] = layer.parameters.axis
            guard axes.count == 4, axes[0] == 0, axes.sorted() == [0, 1, 2, 3],
                try layer.input().shape.rank == 4
            else {
                throw layer.refused("the order \(axes) is not supported")
            }
            return [try reading.add(Transpose(axes), layer.input(), layer)]
        },
    ]
}

// MARK: ML Program

extension Transpose: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("transpose", node, ["x": .value(node.input), "perm": .integers(order)])
    }
}

extension Transpose {
    static let mil = [
        MILRule("transpose") { op, reading in
            let x = try op.operand()
            let order = try naming(location: op.location) { try op.integers("perm").map { try x.shape.axis($0) } }
            return [try reading.add(Transpose(order), x, op)]
        }
    ]
}

// MARK: Engine

extension Transpose: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .dataMovement(DataMovement(transposing: inputs[0].shape, order))
    }
}

// MARK: Integers

extension Transpose: QuantizedMovement {
    func integerOperation(zeroPoint: Int) -> (any Operation)? { self }
}
