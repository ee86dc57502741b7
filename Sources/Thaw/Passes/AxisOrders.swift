/// Converts a graph between channels first and channels last in a single pass.
///
/// Every edge carries its current axis order. A transpose only changes that order. An operation that works in any
/// order adopts it, with its axes renumbered and its constants transposed; an operation that requires its own order
/// gets an explicit transpose before it. The same rules convert TensorFlow's order to Core ML's, the reverse, and
/// remove the transposes of NCHW graphs.
extension Graph {
    /// The same computation in a graph whose spatial operations read images in `target` order.
    ///
    /// Outputs keep their axis order.
    ///
    /// - Parameter imageInputs: The indices of the inputs that are images if they have four axes, and change to that order.
    ///   All other inputs keep theirs.
    func reordered(to target: ChannelOrder, imageInputs: Set<Int> = [0]) throws -> Graph {
        var orders = AxisOrders(self, target, imageInputs: imageInputs)
        return try orders.run()
    }
}

private struct AxisOrders {
    private let graph: Graph
    /// The permutation of an image's axes from the graph's order to the target's.
    private let natural: [Int]
    private let imageInputs: Set<Int>
    /// Whether all consumers of a value, by index, are dense layers, possibly after functions of single values.
    private let feedsOnlyDense: [Bool]
    private var builder: GraphBuilder
    /// The new value for each value of the old graph.
    private var placed: [Graph.Value: Placed] = [:]

    private struct Placed {
        var value: Graph.Value
        /// Axis i of the new value is axis `order[i]` of the old one.
        var order: [Int]
        /// Set if the value is an image flattened in its new order: the image's shape in the old order, and the axis
        /// order.
        var flattened: (shape: Shape, order: [Int])?
    }

    init(_ graph: Graph, _ target: Graph.ChannelOrder, imageInputs: Set<Int>) {
        (self.graph, self.imageInputs) = (graph, imageInputs)
        switch (graph.channelOrder, target) {
        case (.channelsLast, .channelsFirst): natural = Graph.toFirst
        case (.channelsFirst, .channelsLast): natural = Graph.toLast
        default: natural = [0, 1, 2, 3]
        }
        feedsOnlyDense = AxisOrders.feedsOnlyDense(graph)
        builder = GraphBuilder(channelOrder: target)
    }

    private static func feedsOnlyDense(_ graph: Graph) -> [Bool] {
        var result = [Bool](repeating: true, count: graph.types.count)
        for port in graph.outputs { result[port.value.index] = false }
        for node in graph.nodes.reversed() {
            let accepts = node.operation is Dense || node.isFunctionOfElements && result[node.outputs[0].index]
            if !accepts { for input in node.inputs { result[input.index] = false } }
        }
        return result
    }

    mutating func run() throws -> Graph {
        for (index, port) in graph.inputs.enumerated() {
            let type = graph[port.value]
            let order = imageInputs.contains(index) ? naturalOrder(type.shape.rank) : identity(type.shape.rank)
            let value = builder.input(port.name, TensorType(type.shape.permuted(order), type.element))
            placed[port.value] = Placed(value: value, order: order)
        }
        for node in graph.nodes { try convert(node) }
        for port in graph.outputs {
            let placed = self.placed[port.value]!
            let order = identity(graph[port.value].shape.rank)
            builder.output(
                port.name, try transposed(placed, to: order, name: port.name + "/order", isOutput: true))
        }
        return builder.graph.pruned()
    }

    private func identity(_ rank: Int) -> [Int] { Array(0..<rank) }
    private func naturalOrder(_ rank: Int) -> [Int] { rank == 4 ? natural : identity(rank) }

    private mutating func convert(_ node: Graph.Node) throws {
        let operands = node.inputs.map { placed[$0]! }
        let types = node.inputs.map { graph[$0] }
        if let transpose = node.operation as? Transpose, operands[0].flattened == nil {
            // new[i] = old[order[i]], and the transposed old[j] = old[transpose[j]]: only the numbering changes.
            let order = operands[0].order.map { transpose.order.firstIndex(of: $0)! }
            placed[node.outputs[0]] = Placed(value: operands[0].value, order: order)
            return
        }
        if try convertFlattening(node, operands, types) || convertDense(node, operands) { return }

        var operation = node.operation
        var inputOrders = types.map { identity($0.shape.rank) }
        var outputOrders = node.outputs.map { identity(graph[$0].shape.rank) }
        if operation.isSpatial {
            inputOrders = types.map { naturalOrder($0.shape.rank) }
            outputOrders = node.outputs.map { naturalOrder(graph[$0].shape.rank) }
        } else if operands.allSatisfy({ $0.flattened == nil }),
            let adapted = operation.reordered(operands.map(\.order), types)
        {
            (operation, inputOrders, outputOrders) = (adapted.operation, adapted.inputs, adapted.outputs)
        } else if node.isFunctionOfElements, operands[0].flattened != nil {
            // A flattened image remains flattened.
            let value = try builder.add(operation, [operands[0].value], name: node.name)[0]
            placed[node.outputs[0]] = Placed(value: value, order: operands[0].order, flattened: operands[0].flattened)
            return
        }
        var inputs: [Graph.Value] = []
        for (operand, order) in zip(operands, inputOrders) {
            inputs.append(try transposed(operand, to: order, name: node.name + "/order"))
        }
        let outputs = try builder.add(operation, inputs, name: node.name)
        for (index, old) in node.outputs.enumerated() {
            placed[old] = Placed(value: outputs[index], order: outputOrders[index])
        }
    }

    // MARK: Flattening

    /// Adds a reshape that flattens each image, if its consumers accept a different element order.
    private mutating func convertFlattening(_ node: Graph.Node, _ operands: [Placed], _ types: [TensorType]) throws
        -> Bool
    {
        guard let reshape = node.operation as? Reshape, let input = operands.first, input.flattened == nil else {
            return false
        }
        let shape = types[0].shape
        guard shape.rank == 4, input.order.first == 0,
            reshape.shape == [shape[0], shape.elementCount / Swift.max(1, shape[0])],
            reshape.reordered([input.order], types) == nil, feedsOnlyDense[node.outputs[0].index]
        else { return false }
        let value = try builder.add(reshape, [input.value], name: node.name)[0]
        placed[node.outputs[0]] = Placed(value: value, order: [0, 1], flattened: (shape, input.order))
        return true
    }

    /// Adds a dense layer after a flattened image. The rows of its matrix are permuted to the image's order.
    private mutating func convertDense(_ node: Graph.Node, _ operands: [Placed]) throws -> Bool {
        guard var dense = node.operation as? Dense, let (shape, order) = operands[0].flattened else { return false }
        let rows = Shape(shape.dropFirst())
        let outputs = dense.matrix.shape[1]
        let matrix = dense.matrix.reshaped(Shape(rows.dimensions + [outputs]))
        // The batch axis comes first; without it, the other axes are numbered one lower.
        dense.matrix = matrix.transposed(order.dropFirst().map { $0 - 1 } + [3]).reshaped([rows.elementCount, outputs])
        placed[node.outputs[0]] = Placed(
            value: try builder.add(dense, [operands[0].value], name: node.name)[0], order: [0, 1])
        return true
    }

    // MARK: Materializing an order

    /// The value with its axes in `order`, transposed if they are in another order.
    private mutating func transposed(
        _ placed: Placed, to order: [Int], name: String, isOutput: Bool = false
    ) throws -> Graph.Value {
        if let (shape, flatOrder) = placed.flattened {
            // Consumers of a flattened image accept its order: see `feedsOnlyDense`.
            preconditionFailure(
                "a flattened image of shape \(shape) in order \(flatOrder) has another consumer")
        }
        guard placed.order != order else { return placed.value }
        let moves = order.map { placed.order.firstIndex(of: $0)! }
        let shape = builder[placed.value].shape
        let target = shape.permuted(moves)
        // If only axes of one element move, nothing moves in memory. But a reshape would fix the size of an output image.
        let long = moves.filter { shape[$0] != 1 }
        let isReshape = long == long.sorted() && !(isOutput && long.count > 1)
        return try builder.add(isReshape ? Reshape(target) : Transpose(moves), [placed.value], name: name)[0]
    }
}
