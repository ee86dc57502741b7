/// The largest elements along an axis in descending order, or the smallest in ascending order, and their indices. Ties
/// keep their original order.
struct TopK: Operation, AxisOperation {
    /// Counted from the front.
    var axis: Int
    var count: Int
    /// Whether these are the smallest elements.
    var isAscending = false

    var kind: String { "TopK" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        var shape = inputs[0].shape
        guard shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: shape) }
        guard (0...shape[axis]).contains(count) else { throw Failure.sliceOutside(shape) }
        shape[axis] = count
        return [TensorType(shape, inputs[0].element), TensorType(shape, .int32)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let types = try! outputTypes(inputs.map(\.type))
        let size = inputs[0].shape[axis]
        let step = inputs[0].shape.strides[axis]
        let shape = types[0].shape
        var values = [Double](repeating: 0, count: shape.elementCount)
        var indices = values
        inputs[0].withElements { x in
            guard size > 0, count > 0 else { return }
            for row in 0..<inputs[0].elementCount / size {
                let start = row / step * step * size + row % step
                let numbers = (0..<size).map { x[start + $0 * step] }
                let order = numbers.indices.sorted { precedes(numbers, $0, $1) }
                let target = row / step * step * count + row % step
                for (rank, index) in order.prefix(count).enumerated() {
                    values[target + rank * step] = numbers[index]
                    indices[target + rank * step] = Double(index)
                }
            }
        }
        return [
            Tensor(shape: shape, element: types[0].element) { values[$0] },
            Tensor(shape: shape, element: .int32) { indices[$0] },
        ]
    }

    /// Whether the value at `a` comes before that at `b`. NaN comes last.
    private func precedes(_ numbers: [Double], _ a: Int, _ b: Int) -> Bool {
        let (x, y) = (numbers[a], numbers[b])
        if x.isNaN || y.isNaN { return x.isNaN == y.isNaN ? a < b : y.isNaN }
        return x == y ? a < b : isAscending ? x < y : x > y
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? { reordered(orders, outputCount: 2) }
}

// MARK: Facts

extension TopK {
    var family: Family { .arrangement }
    var selectedIndexOutput: Int? { 1 }
}

// MARK: TensorFlow

extension TopK {
    static let tensorFlow = [
        TensorFlowRule("TopKV2", axes: .lost, roles: [.choice, .comparison]) { node, context in
            let input = try node.input(0)
            let count = try node.integer(1, "number of elements")
            let results = try context.add(TopK(axis: input.shape.axis(-1), count: count), [input], name: node.name)
            let element = try node.element("index_type", default: .int32)
            if element == .int32 { return results }
            return [results[0], try context.add(Cast(element: element), results[1], name: node.name + "/indices")]
        }
    ]
}

// MARK: Neural network

extension TopK: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.topK.axis = axis
            layer.topK.K = count
            layer.topK.useBottomK = isAscending
        }
    }
}

extension TopK {
    static let neural = [
        NeuralRule("topK") { layer, reading in
            let x = try layer.input()
            let given = layer.inputs.count > 1 ? layer.inputs[1].constant?.integers : [layer.parameters.K as Int]
            guard let count = given?.first, given?.count == 1 else {
                throw layer.refused("a computed count is not supported", remedy: "expected a constant")
            }
            let operation = TopK(
                axis: try x.shape.axis(layer.parameters.axis), count: count,
                isAscending: layer.parameters.useBottomK)
            return try reading.add(operation, [x], layer).map { try reading.asFloats($0, layer) }
        },
        NeuralRule("argSort") { layer, reading in
            let x = try layer.input()
            let axis = try x.shape.axis(layer.parameters.axis)
            let operation = TopK(
                axis: axis, count: x.shape[axis], isAscending: !(layer.parameters.descending as Bool))
            return [try reading.asFloats(reading.add(operation, [x], layer)[1], layer)]
        },
    ]
}

// MARK: ML Program

extension TopK: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add(
            "topk", node,
            [
                "x": .value(node.input), "k": .integer(count), "axis": .integer(axis),
                "ascending": .bool(isAscending),
            ])
    }
}

extension TopK {
    static let mil = [
        MILRule("topk") { op, reading in
            let x = try op.operand()
            let axis = try op.axis(x, default: -1)
            let count = try op.integer("k", default: 1)
            let operation = TopK(
                axis: axis, count: count == -1 ? x.shape[axis] : count,
                isAscending: try op.bool("ascending", default: false))
            return Array(try reading.add(operation, [x], op).prefix(op.outputCount))
        },
        MILRule("argsort") { op, reading in
            let x = try op.operand()
            let axis = try op.axis(x, default: -1)
            let operation = TopK(
                axis: axis, count: x.shape[axis], isAscending: try op.bool("ascending", default: false))
            return [try reading.add(operation, [x], op)[1]]
        },
    ]
}
