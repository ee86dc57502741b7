/// A network at each of its sample sizes, which shows whether it is the same network at all sizes.
///
/// It must have the same operations at all sizes. Only the padding of TensorFlow's SAME, the factors of resizes and the
/// indices of slices may differ: both Core ML dialects can make them depend on the size. Such windows, resizes and indices
/// are marked.
struct SizeVariants {
    /// The model at its default size.
    let base: Model
    /// The other sizes.
    let sizes: [ImageSize]
    private let resizer: any ModelResizer
    /// The indices of the nodes whose padding depends on the size.
    private var following: Set<Int> = []

    /// - Returns: nil for a model whose image has one size.
    /// - Throws: `Failure` naming a node that is different at one of the sizes.
    init?(_ model: Model) throws {
        guard let resizer = model.resizer, let image = model.image, image.sizes != .fixed else { return nil }
        self.resizer = resizer
        let defaultSize = image.size
        sizes = Array(image.sizes.samples(from: defaultSize).dropFirst())
        var base = model
        var paddings = model.graph.nodes.indices.map { Padding(model.graph, $0) }
        for size in sizes {
            let graph = try SizeVariants.resized(resizer, to: size).graph
            try SizeVariants.check(graph, of: model, at: size)
            base.graph.mark(unlike: graph)
            for index in paddings.indices {
                guard let padding = Padding(graph, index) else { continue }
                paddings[index]!.isConstant = paddings[index]!.isConstant && padding.window == paddings[index]!.window
                paddings[index]!.isSame = paddings[index]!.isSame && padding.isSame
                guard paddings[index]!.isConstant || paddings[index]!.isSame else {
                    throw Failure.sizeMatters(graph.nodes[index].name, graph.nodes[index].operation.kind, size)
                }
            }
        }
        following = Set(paddings.indices.filter { paddings[$0].map { !$0.isConstant } ?? false })
        self.base = SizeVariants.marked(base, following)
    }

    /// The model at another size.
    func model(at size: ImageSize) throws -> Model {
        var model = try SizeVariants.resized(resizer, to: size)
        model.graph.mark(unlike: base.graph)
        return SizeVariants.marked(model, following)
    }

    private static func resized(_ resizer: any ModelResizer, to size: ImageSize) throws -> Model {
        do { return try resizer.model(at: size) } catch let failure as Failure { throw failure.atSize(size) }
    }

    /// Checks that a graph has the same operations as the model, with the same names, and that a classifier's output has the
    /// same shape.
    private static func check(_ graph: Graph, of model: Model, at size: ImageSize) throws {
        for (one, other) in zip(model.graph.nodes, graph.nodes)
        where one.name != other.name || one.operation.kind != other.operation.kind {
            throw Failure.sizeMatters(one.name, one.operation.kind, size)
        }
        guard graph.nodes.count == model.graph.nodes.count, let first = graph.outputs.first,
            model.classifier == nil || graph[first.value] == model.graph[model.graph.outputs[0].value]
        else { throw Failure.sizeMatters(graph.outputs.first?.name ?? "", "output", size) }
    }

    private static func marked(_ model: Model, _ following: Set<Int>) -> Model {
        var model = model
        for index in following {
            var operation = model.graph.nodes[index].operation as! any WindowOperation
            operation.window.followsSize = true
            model.graph.nodes[index].operation = operation
        }
        for (index, node) in model.graph.nodes.enumerated() {
            if let operation = node.operation.followingImageSize() { model.graph.nodes[index].operation = operation }
        }
        return model
    }

    /// The padding of a node's window.
    private struct Padding {
        var window: Window
        var isConstant = true
        /// Whether it is SAME padding at this size.
        var isSame: Bool

        /// - Returns: nil for a node without a window.
        init?(_ graph: Graph, _ index: Int) {
            let node = graph.nodes[index]
            guard let operation = node.operation as? any WindowOperation else { return nil }
            window = operation.window
            let image = graph[node.inputs[0]].shape
            isSame =
                window.height.same(image[1]) == window.height && window.width.same(image[2]) == window.width
        }
    }
}

extension Graph {
    /// Marks the parameters that are other than those of the same graph for another image size, or that are marked there.
    fileprivate mutating func mark(unlike other: Graph) {
        for (index, node) in other.nodes.enumerated() where nodes.indices.contains(index) {
            let operation = nodes[index].operation.followingImageSize(unlike: node.operation)
            if let operation { nodes[index].operation = operation }
        }
    }
}
