/// Channels first or channels last, settled in one pass over the graph.
///
/// Along every edge it carries the order in which the edge's axes stand now. A transpose only changes that order; an
/// operation that can work in any order takes it on, its axes renumbered and its constants turned; one that cannot gets a
/// real transpose before it. So Core ML's order comes from TensorFlow's, the other way round, and NCHW graphs lose their
/// transposes, by the same rules.
extension Graph {
    /// The same computation in a graph whose spatial operations read images in `target` order.
    ///
    /// Outputs keep the order of axes that they had.
    ///
    /// - Parameter imageInput: Whether the first input, if it has four axes, is an image, which changes to that order; all
    ///   others stay, too.
    func reordered(to target: ChannelOrder, imageInput: Bool = true) throws -> Graph {
        var orders = AxisOrders(self, target)
        orders.imageInput = imageInput
        return try orders.run()
    }
}

private struct AxisOrders {
    private let graph: Graph
    /// How an image's axes change from the graph's order to the target's.
    private let natural: [Int]
    var imageInput = true
    private var builder: GraphBuilder
    /// Where each value of the old graph is found in the new one.
    private var placed: [Graph.Value: Placed] = [:]

    private struct Placed {
        var value: Graph.Value
        /// Axis i of the new value is axis `order[i]` of the old one.
        var order: [Int]
        /// Where the value is an image flattened in its new order: the image's shape in the old order, and the order.
        var flattened: (shape: Shape, order: [Int])?
    }

    init(_ graph: Graph, _ target: Graph.ChannelOrder) {
        self.graph = graph
        switch (graph.channelOrder, target) {
        case (.last, .first): natural = Graph.toFirst
        case (.first, .last): natural = Graph.toLast
        default: natural = [0, 1, 2, 3]
        }
        builder = GraphBuilder(channelOrder: target)
    }

    mutating func run() throws -> Graph {
        for (place, port) in graph.inputs.enumerated() {
            let type = graph[port.value]
            let order = imageInput && place == 0 ? naturalOrder(type.shape.rank) : identity(type.shape.rank)
            let value = builder.input(port.name, TensorType(type.shape.permuted(order), type.element))
            placed[port.value] = Placed(value: value, order: order)
        }
        for node in graph.nodes { try place(node) }
        for port in graph.outputs {
            let placed = self.placed[port.value]!
            builder.output(
                port.name, try real(placed, identity(graph[port.value].shape.rank), name: port.name + "/order"))
        }
        return builder.graph.pruned()
    }

    private func identity(_ rank: Int) -> [Int] { Array(0..<rank) }
    private func naturalOrder(_ rank: Int) -> [Int] { rank == 4 ? natural : identity(rank) }

    private mutating func place(_ node: Graph.Node) throws {
        let arrived = node.inputs.map { placed[$0]! }
        let types = node.inputs.map { graph[$0] }
        if let transpose = node.operation as? Transpose, arrived[0].flattened == nil {
            // new[i] = old[order[i]], and the transposed old[j] = old[transpose[j]]: only the numbering changes.
            let places = arrived[0].order.map { transpose.order.firstIndex(of: $0)! }
            placed[node.outputs[0]] = Placed(value: arrived[0].value, order: places)
            return
        }
        if try placeFlattening(node, arrived, types) || placeDense(node, arrived) { return }

        var operation = node.operation
        var inputOrders = types.map { identity($0.shape.rank) }
        var outputOrders = node.outputs.map { identity(graph[$0].shape.rank) }
        if operation.isSpatial {
            inputOrders = types.map { naturalOrder($0.shape.rank) }
            outputOrders = node.outputs.map { naturalOrder(graph[$0].shape.rank) }
        } else if arrived.allSatisfy({ $0.flattened == nil }),
            let taken = operation.reordered(arrived.map(\.order), types)
        {
            (operation, inputOrders, outputOrders) = (taken.operation, taken.inputs, taken.outputs)
        } else if operation is Unary, arrived[0].flattened != nil {
            // Element by element: a flattened image stays one.
            let value = try builder.add(operation, [arrived[0].value], name: node.name)[0]
            placed[node.outputs[0]] = Placed(value: value, order: arrived[0].order, flattened: arrived[0].flattened)
            return
        }
        var inputs: [Graph.Value] = []
        for (place, order) in zip(arrived, inputOrders) {
            inputs.append(try real(place, order, name: node.name + "/order"))
        }
        let outputs = try builder.add(operation, inputs, name: node.name)
        for (index, old) in node.outputs.enumerated() {
            placed[old] = Placed(value: outputs[index], order: outputOrders[index])
        }
    }

    // MARK: Flattening

    /// Places a reshape that makes a row of each image, when what reads it can do with another sequence.
    private mutating func placeFlattening(_ node: Graph.Node, _ arrived: [Placed], _ types: [TensorType]) throws -> Bool
    {
        guard let reshape = node.operation as? Reshape, let input = arrived.first, input.flattened == nil else {
            return false
        }
        let shape = types[0].shape
        guard shape.rank == 4, input.order.first == 0,
            reshape.shape == [shape[0], shape.elementCount / Swift.max(1, shape[0])],
            reshape.reordered([input.order], types) == nil, isReadByDenseOnly(node.outputs[0])
        else { return false }
        let value = try builder.add(reshape, [input.value], name: node.name)[0]
        placed[node.outputs[0]] = Placed(value: value, order: [0, 1], flattened: (shape, input.order))
        return true
    }

    private func isReadByDenseOnly(_ value: Graph.Value) -> Bool {
        guard !graph.outputs.contains(where: { $0.value == value }) else { return false }
        return graph.nodes.filter { $0.inputs.contains(value) }.allSatisfy {
            $0.operation is Dense || ($0.operation is Unary && isReadByDenseOnly($0.outputs[0]))
        }
    }

    /// Places a dense layer behind a flattened image: its rows of weights follow the image's order.
    private mutating func placeDense(_ node: Graph.Node, _ arrived: [Placed]) throws -> Bool {
        guard var dense = node.operation as? Dense, let (shape, order) = arrived[0].flattened else { return false }
        let rows = Shape(shape.dropFirst())
        let outputs = dense.matrix.shape[1]
        let matrix = dense.matrix.reshaped(Shape(rows.dimensions + [outputs]))
        // Without the batch, which stays in front, the image's axes are numbered one less.
        dense.matrix = matrix.transposed(order.dropFirst().map { $0 - 1 } + [3]).reshaped([rows.elementCount, outputs])
        placed[node.outputs[0]] = Placed(
            value: try builder.add(dense, [arrived[0].value], name: node.name)[0], order: [0, 1])
        return true
    }

    // MARK: Making an order real

    /// The value with its axes in `order`, by a transpose where they stand otherwise.
    private mutating func real(_ placed: Placed, _ order: [Int], name: String) throws -> Graph.Value {
        if let (shape, flatOrder) = placed.flattened {
            // Readers of a flattened image take it as it is: see `isReadByDenseOnly`.
            preconditionFailure(
                "a flattened image of shape \(shape) in order \(flatOrder) is read by another operation")
        }
        guard placed.order != order else { return placed.value }
        let moves = order.map { placed.order.firstIndex(of: $0)! }
        let shape = builder[placed.value].shape
        let target = shape.permuted(moves)
        // Where only axes of one element move, nothing moves in memory.
        let isReshape = moves.filter { shape[$0] != 1 } == moves.filter { shape[$0] != 1 }.sorted()
        return try builder.add(isReshape ? Reshape(target) : Transpose(moves), [placed.value], name: name)[0]
    }
}
