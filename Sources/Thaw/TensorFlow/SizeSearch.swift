/// Finds an image size that a graph leaves open from the first layer that takes a fixed number of values: a reshape to
/// known sizes, or a dense layer.
///
/// Sizes are tried by importing the part of the graph before that layer.
struct SizeSearch {
    /// The sizes that fit a layer.
    struct Finding {
        /// The layer's name for messages.
        var layer: String
        /// The sizes in ascending order.
        var sizes: [ImageSize]
        /// The number of channels that fits, if the graph leaves it open.
        var channels: Int?
    }

    /// A layer, its input, and the number of values that it takes.
    private struct Layer {
        var node: NodeDefinition
        var input: String
        var count: Int
        /// The sizes of a reshape's result after the batch.
        var sizes: [Int] = []
    }

    /// The shape of a node's output for an image of this size and number of channels; nil if it is impossible.
    typealias Trial = (_ node: String, _ size: ImageSize, _ channels: Int?) -> Shape?

    private let image: InputImage
    private let input: String
    private let nodes: [NodeDefinition]
    private var constants: GraphConstants
    private let trial: Trial

    /// The longest side that is tried.
    private static let largest = 4096
    /// The number of layers that are tried.
    private static let maximumLayers = 4

    /// - Parameter nodes: The nodes that the outputs need, in topological order.
    init(
        _ image: InputImage, input: String, through nodes: [NodeDefinition], _ graph: GraphIndex,
        trial: @escaping Trial
    ) {
        (self.image, self.input, self.nodes, self.trial) = (image, input, nodes, trial)
        constants = GraphConstants(graph)
    }

    /// - Returns: nil if nothing is open, or if no layer determines a size.
    mutating func find(_ options: ImportOptions) -> Finding? {
        let choices: [Int?] = image.knowsChannels(options) ? [nil] : [1, 3]
        let open = image.openSize(options)
        guard open != nil || choices.count > 1 else { return nil }
        for layer in layers() {
            if let finding = asImage(layer, open), options.size.map({ $0 == finding.sizes[0] }) ?? true {
                return finding
            }
            for channels in choices {
                if let size = options.size {
                    guard channels != nil, count(layer, size, channels) == layer.count else { continue }
                    return Finding(layer: layer.node.label, sizes: [size], channels: channels)
                }
                guard let open else { return nil }
                let sizes = sizes(layer, open, channels)
                if !sizes.isEmpty { return Finding(layer: layer.node.label, sizes: sizes, channels: channels) }
            }
        }
        return nil
    }

    // MARK: Layers

    /// The first layers after the input that take a fixed number of values.
    private mutating func layers() -> [Layer] {
        var dependsOnInput: Set<String> = [input]
        var layers: [Layer] = []
        for node in nodes where node.name != input && layers.count < SizeSearch.maximumLayers {
            let sources = node.data.map { GraphIndex.Reference($0).node }
            guard sources.contains(where: dependsOnInput.contains) else { continue }
            dependsOnInput.insert(node.name)
            guard node.data.count >= 2, dependsOnInput.contains(sources[0]) else { continue }
            if node.has(.reshape), let sizes = constants.sizesAfterBatch(node.data[1]) {
                let count = Shape(sizes).checkedCount ?? 0
                guard count > 0 else { continue }
                layers.append(Layer(node: node, input: sources[0], count: count, sizes: sizes))
            } else if node.has(.dense), let weights = constants.value(node.data[1]), weights.shape.rank == 2 {
                let count = weights.shape[node.flag("transpose_b") ? 1 : 0]
                layers.append(Layer(node: node, input: sources[0], count: count))
            }
        }
        return layers
    }

    /// The size according to a reshape of the input itself to an image.
    private func asImage(_ layer: Layer, _ open: (width: Int?, height: Int?)?) -> Finding? {
        guard let open, open.width == nil, open.height == nil, layer.sizes.count == 3, isInput(layer.input) else {
            return nil
        }
        let isLast = [1, 3].contains(layer.sizes[2])
        guard isLast || [1, 3].contains(layer.sizes[0]) else { return nil }
        let channels = layer.sizes[isLast ? 2 : 0]
        let (height, width) = isLast ? (layer.sizes[0], layer.sizes[1]) : (layer.sizes[1], layer.sizes[2])
        let size = ImageSize(width: width, height: height)
        guard trial(input, size, channels)?.elementCount == layer.count else { return nil }
        return Finding(layer: layer.node.label, sizes: [size], channels: channels)
    }

    /// Whether a node is the input, or returns it unchanged.
    private func isInput(_ name: String) -> Bool {
        var name = name
        while name != input {
            guard let node = nodes.first(where: { $0.name == name }), node.has([.identity, .cast]) else {
                return false
            }
            name = GraphIndex.Reference(node.data[0]).node
        }
        return true
    }

    // MARK: Sizes

    /// The number of values that a layer gets; nil if it is impossible, or if the values are not all of one image.
    private func count(_ layer: Layer, _ size: ImageSize, _ channels: Int?) -> Int? {
        guard let shape = trial(layer.input, size, channels) else { return nil }
        // A layer that only keeps the channel axis takes any number of pixels.
        if !layer.sizes.isEmpty, shape.rank > 2, shape.last == layer.count { return nil }
        if layer.sizes.isEmpty, shape.rank != 2 || shape[0] != 1 { return nil }
        return shape.elementCount
    }

    /// The sides of square images that fit a layer. The larger an image, the more values.
    private func sizes(_ layer: Layer, _ open: (width: Int?, height: Int?), _ channels: Int?)
        -> [ImageSize]
    {
        func size(_ side: Int) -> ImageSize {
            ImageSize(width: open.width ?? side, height: open.height ?? side)
        }
        // A layer that does not depend on the size cannot determine it.
        guard count(layer, size(64), channels) != count(layer, size(1024), channels) else { return [] }
        /// The first side for which a layer gets more values than the limit.
        func firstSide(above limit: Int) -> Int {
            var (low, high) = (1, SizeSearch.largest + 1)
            while low < high {
                let middle = (low + high) / 2
                if count(layer, size(middle), channels) ?? 0 > limit { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let first = firstSide(above: layer.count - 1)
        let end = firstSide(above: layer.count)
        guard first < end, end <= SizeSearch.largest else { return [] }
        return (first..<end).map(size)
    }
}

extension NodeDefinition {
    /// The name for messages.
    fileprivate var label: String { "'\(name)' (\(op))" }
}
