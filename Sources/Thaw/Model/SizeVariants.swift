/// A network at every size that its image may have, one after the other: what tells whether it is one network.
///
/// At all sizes it has the same operations; only what TensorFlow's SAME pads may differ, which both of Core ML's dialects can
/// leave to the size, and by what an image is resized. Such windows and resizes are marked.
struct SizeVariants {
    /// The model at its standard size.
    let base: Model
    /// The others.
    let sizes: [ImageSize]
    private let resize: @Sendable (ImageSize) throws -> Model
    /// The nodes, by their place, whose padding follows the size.
    private var following: Set<Int> = []

    /// - Returns: nil for a model whose image has one size.
    /// - Throws: `Failure` naming the node that works at one of the sizes only.
    init?(_ model: Model) throws {
        guard let resize = model.inSize, let image = model.image, image.sizes != .fixed else { return nil }
        self.resize = resize
        sizes = Array(image.sizes.samples.dropFirst())
        var paddings = model.graph.nodes.indices.map { Padding(model.graph, $0) }
        for size in sizes {
            let graph = try SizeVariants.resized(resize, to: size).graph
            try SizeVariants.check(graph, of: model, at: size)
            for place in paddings.indices {
                guard let padding = Padding(graph, place) else { continue }
                paddings[place]!.isConstant = paddings[place]!.isConstant && padding.window == paddings[place]!.window
                paddings[place]!.isSame = paddings[place]!.isSame && padding.isSame
                guard paddings[place]!.isConstant || paddings[place]!.isSame else {
                    throw Failure.sizeMatters(graph.nodes[place].name, graph.nodes[place].operation.kind, size)
                }
            }
        }
        following = Set(paddings.indices.filter { paddings[$0].map { !$0.isConstant } ?? false })
        base = SizeVariants.marked(model, following)
    }

    /// The model at another size.
    func model(at size: ImageSize) throws -> Model {
        SizeVariants.marked(try SizeVariants.resized(resize, to: size), following)
    }

    private static func resized(_ resize: (ImageSize) throws -> Model, to size: ImageSize) throws -> Model {
        do { return try resize(size) } catch let failure as Failure { throw failure.atSize(size) }
    }

    /// That a graph has the operations of the model's, under the same names, and gives a classifier's row at any size.
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
        for place in following {
            var operation = model.graph.nodes[place].operation as! any Windowed
            operation.window.followsSize = true
            model.graph.nodes[place].operation = operation
        }
        for (place, node) in model.graph.nodes.enumerated() {
            if var resize = node.operation as? Resize, resize.wholeFactors != nil {
                resize.followsSize = true
                model.graph.nodes[place].operation = resize
            }
            // Over the whole of an image.
            if var norm = node.operation as? Normalization, norm.axes == [1, 2, 3] {
                norm.followsSize = true
                model.graph.nodes[place].operation = norm
            }
        }
        return model
    }

    /// What a node pads its image with.
    private struct Padding {
        var window: Window
        var isConstant = true
        /// Whether it is what SAME comes to at this size.
        var isSame: Bool

        /// - Returns: nil for a node without a window.
        init?(_ graph: Graph, _ place: Int) {
            let node = graph.nodes[place]
            guard let operation = node.operation as? any Windowed else { return nil }
            window = operation.window
            let image = graph[node.inputs[0]].shape
            isSame =
                window.height.same(image[1]) == window.height && window.width.same(image[2]) == window.width
        }
    }
}

/// An operation that slides a window over its image.
private protocol Windowed: Operation {
    var window: Window { get set }
}

extension Convolution: Windowed {}
extension DepthwiseConvolution: Windowed {}
extension Pooling: Windowed {}
