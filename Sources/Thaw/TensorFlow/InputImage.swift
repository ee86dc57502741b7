/// The input of a graph, and the conversion of an image to the shape that the graph reads.
///
/// Whatever the placeholder's shape, the Graph takes batch, height, width, channel; a reshape or a transpose converts
/// it.
struct InputImage {
    private let node: NodeDefinition
    private let shape: [Int]?
    /// The number of values per row that a matrix product reads, or a reshape to an image, if one follows directly.
    private let rowLength: Int?
    /// What the nodes after the input reveal about the image's channels.
    private let channels: ChannelSearch
    private let worksChannelsFirst: Bool
    /// The number of channels, 1 or 3, of the image that a convolution reads.
    private var depth: Int? { channels.count.flatMap { $0 == 1 || $0 == 3 ? $0 : nil } }

    /// - Parameter nodes: The nodes to compute, each after those that it reads.
    init(_ node: NodeDefinition, through nodes: [NodeDefinition], _ graph: GraphIndex) {
        self.node = node
        worksChannelsFirst = graph.nodes.contains { $0.string("data_format") == "NCHW" }
        shape = node.shapeAttribute
        channels = ChannelSearch(from: node.name, rank: shape?.count, through: nodes, graph)
        rowLength =
            InputImage.rowLength(node.name, nodes, graph) ?? channels.image.flatMap { Shape($0).checkedCount }
    }

    /// The number of values per row of a node that a matrix product reads, if one follows directly.
    private static func rowLength(_ name: String, _ nodes: [NodeDefinition], _ graph: GraphIndex) -> Int? {
        for consumer in nodes where consumer.has(.dense) && consumer.data.count >= 2 {
            guard consumer.data.contains(where: { GraphIndex.Reference($0).node == name }) else { continue }
            guard let weights = graph.source(of: consumer.data[1])?.constant, weights.shape.rank == 2 else { continue }
            return weights.shape[consumer.flag("transpose_b") ? 1 : 0]
        }
        return nil
    }

    /// The error for an input that is not numeric.
    var refusal: Failure? {
        guard let type = node.dataType, type.element == nil else { return nil }
        return Failure.inputNotNumeric(node.name, node.op, "\(type)")
    }

    /// Whether the graph takes batches of any size.
    var isBatchOpen: Bool { shape.map { $0.count != 3 && $0.first ?? 0 < 0 } ?? true }

    /// The sizes of an image, nil if unknown, with a batch of 1 if it has none; nil unless the rank is 3 or 4.
    private var sizesWithBatch: [Int?]? {
        guard let shape, 3...4 ~= shape.count else { return nil }
        let sizes = shape.map { $0 < 0 ? nil : $0 }
        return shape.count == 3 ? [1] + sizes : sizes
    }

    /// Width and height, nil if unknown; nil if both are known, or if the input is not an image.
    func openSize(_ options: ImportOptions) -> (width: Int?, height: Int?)? {
        guard let shape else { return rowLength == nil ? (nil, nil) : nil }
        if let sizes = sizesWithBatch {
            guard let order = order(sizes, options) else { return nil }
            let (height, width) = (sizes[order.axes[1]], sizes[order.axes[2]])
            return height == nil || width == nil ? (width, height) : nil
        }
        switch shape.count {
        case 2: return shape[1] < 0 && rowLength == nil ? (nil, nil) : nil
        case 1: return shape[0] < 0 ? (nil, nil) : nil
        default: return nil
        }
    }

    /// Whether the graph or the options determine the image's number of channels.
    func knowsChannels(_ options: ImportOptions) -> Bool {
        if options.color != nil || depth != nil { return true }
        guard let shape else { return rowLength != nil }
        guard let sizes = sizesWithBatch else { return shape[shape.count - 1] > 0 || rowLength != nil }
        let order = order(sizes, options) ?? .channelsLast
        return sizes[order.axes[3]] ?? 0 > 0
    }

    /// The result of converting the input.
    struct Added {
        /// The value that replaces the node's output.
        var operand: Operand
        var isImage = false
        /// Whether the node's own shape has the channels before height and width.
        var isChannelsFirst = false
        /// Whether neither the graph nor the options determine the image's size.
        var isSizeOpen = false
        var note: Note?
    }

    /// Adds the input to the graph.
    /// - Throws: `Failure` if the size cannot be determined, or if the node does not take an image.
    func add(to context: inout ImportContext, _ options: ImportOptions) throws -> Added {
        guard let form = try self.form(options) else {
            let type = TensorType(Shape(try fixed(options)), integers(options) ?? .float32)
            return Added(
                operand: .edge(context.builder.input(node.name, type), type),
                note: options.isTensor ? nil : doubt)
        }
        let type = TensorType(form.image)
        var operand = Operand.edge(context.builder.input(node.name, type), type)
        if form.isChannelsFirst {
            operand = try context.add(Transpose(Graph.toFirst), operand, name: node.name + "/to_nchw")
        }
        if form.shape != operand.shape {
            operand = try context.add(Reshape(form.shape), operand, name: node.name + "/shape")
        }
        if let element = integers(options) {
            operand = try context.add(Cast(element: element), operand, name: node.name + "/integers")
        }
        let isAssumed = form.shape.rank <= 2 && channels.image == nil && options.size == nil
        return Added(
            operand: operand, isImage: true, isChannelsFirst: form.isChannelsFirst,
            isSizeOpen: form.isSizeOpen && options.size == nil, note: isAssumed ? .rowIsImage(form.image) : nil)
    }

    /// The type of the integers that the graph gets; nil if they are floating point.
    private func integers(_ options: ImportOptions) -> ElementType? {
        options.keepsIntegers ? WideIntegers.element(of: node) : nil
    }

    /// The shape of an array that is not an image, with the batch filled in; all other sizes are known.
    private func fixed(_ options: ImportOptions) throws -> [Int] {
        var sizes = shape ?? options.shape ?? []
        if let given = options.shape {
            guard given.count == sizes.count, zip(sizes, given).allSatisfy({ $0 < 0 || $0 == $1 }) else {
                throw Failure.shapeDiffers(node.name, node.op, given, sizes)
            }
            sizes = given
        }
        if sizes.first ?? 0 < 0 { sizes[0] = options.openBatch }
        guard let count = Shape(sizes).checkedCount else {
            throw Failure.inputNotImage(node.name, node.op, Shape(sizes))
        }
        guard count > 0 else { throw Failure.inputEmpty(node.name, Shape(sizes)) }
        guard count < Limits.declaredElements else { throw Failure.inputTooLarge(node.name, node.op, Shape(sizes)) }
        return sizes
    }

    /// The image, and the shape in which the graph reads it.
    private struct Form {
        var image: Shape
        var shape: Shape
        var isChannelsFirst = false
        /// Whether the graph leaves the image's height or width open.
        var isSizeOpen = false
    }

    /// - Returns: nil for an array that is not an image.
    private func form(_ options: ImportOptions) throws -> Form? {
        if options.isTensor { return nil }
        guard let shape = shape ?? rowLength.map({ [-1, $0] }) else {
            return try form(
                [nil, nil, nil, nil], order([1, nil, nil, nil], options) ?? .channelsLast, hasBatch: true, options)
        }
        if let sizes = sizesWithBatch, let order = order(sizes, options) {
            return try form(sizes, order, hasBatch: shape.count == 4, options)
        }
        let sizes = shape.map { $0 < 0 ? nil : $0 }
        switch shape.count {
        case 1...2 where options.isOneOfSeveral: return nil
        case 2:
            return try flattened(sizes[1] ?? rowLength, batch: sizes[0] ?? options.openBatch, options).map {
                Form(
                    image: $0, shape: [$0[0], $0.dropFirst().reduce(1, *)],
                    isChannelsFirst: isFlatChannelsFirst(options))
            }
        case 1:
            return try flattened(sizes[0], batch: 1, options).map {
                Form(image: $0, shape: [$0.elementCount], isChannelsFirst: isFlatChannelsFirst(options))
            }
        default: break
        }
        if !options.isOneOfSeveral, options.size != nil || options.color != nil {
            throw Failure.inputNotImage(node.name, node.op, Shape(shape))
        }
        return nil
    }

    private func form(_ sizes: [Int?], _ order: Graph.ChannelOrder, hasBatch: Bool, _ options: ImportOptions) throws
        -> Form
    {
        let axes = order.axes
        let (height, width) = (sizes[axes[1]], sizes[axes[2]])
        let image = try image(sizes[0], height, width, sizes[axes[3]], options)
        let shape = order == .channelsFirst ? image.permuted(Graph.toFirst) : image
        return Form(
            image: image, shape: hasBatch ? shape : Shape(shape.dropFirst()), isChannelsFirst: order == .channelsFirst,
            isSizeOpen: height == nil || width == nil)
    }

    // MARK: The order of axes

    /// Whether an axis may be the channel axis of an image.
    private func isChannels(_ size: Int?) -> Bool { size == nil || size == 1 || size == 3 }

    /// The channel axis of a tensor with a batch axis and three others; nil if it is not an image.
    ///
    /// The options decide, then the nodes that read the tensor, then the known sizes of its axes.
    private func order(_ sizes: [Int?], _ options: ImportOptions) -> Graph.ChannelOrder? {
        if let order = options.channels { return order }
        // A batch of sequences, of which the length is known and not the number. No image has a known width and any height.
        if shape?.count == 3, sizes[1] == nil, sizes[2] != nil, options.size == nil, options.color == nil { return nil }
        switch channels.axis {
        case 1? where isChannels(sizes[1]): return .channelsFirst
        case 3?: return isChannels(sizes[3]) ? .channelsLast : nil
        default: break
        }
        let isOpen = sizes.dropFirst().allSatisfy { $0 == nil }
        if isOpen { return worksChannelsFirst ? .channelsFirst : .channelsLast }
        guard let count = sizes[1], isChannels(count), sizes[3] != 1, sizes[3] != 3 else {
            return isChannels(sizes[3]) ? .channelsLast : nil
        }
        // No image has 1 or 3 rows and any width.
        if sizes[3] == nil { return .channelsFirst }
        let isImage = count == 3 && mayBeImage(sizes)
        let isChannelsFirst = (worksChannelsFirst && shape?.count == 4) || isImage || options.color?.channels == count
        return isChannelsFirst ? .channelsFirst : nil
    }

    /// Whether a tensor, if no node reveals its layout, looks like one image with its channels first.
    private func mayBeImage(_ sizes: [Int?]) -> Bool {
        let isNumeric = node.dataType.map { [.float, .half, .uint8].contains($0) } ?? true
        return shape?.count == 4 && isNumeric && sizes[0] ?? 1 == 1 && isChannels(sizes[1])
            && sizes.dropFirst(2).allSatisfy { $0 ?? 5 > 4 }
    }

    /// The note on a tensor that might be an image.
    private var doubt: Note? {
        guard let shape, let sizes = sizesWithBatch, mayBeImage(sizes), channels.axis == nil else { return nil }
        return .channelsUnknown(node.name, Shape(shape))
    }

    // MARK: Sizes

    private func image(_ batch: Int?, _ height: Int?, _ width: Int?, _ channels: Int?, _ options: ImportOptions)
        throws -> Shape
    {
        if let size = options.size {
            guard height ?? size.height == size.height, width ?? size.width == size.width else {
                throw Failure.sizeDiffers(
                    node.name, node.op, size, fixed: (width, height), isLayoutGiven: options.channels != nil)
            }
        }
        let given = options.size ?? options.openSize
        guard let height = height ?? given?.height, let width = width ?? given?.width else {
            throw Failure.sizeUnknown(node.name, node.op)
        }
        let channels = channels ?? depth ?? options.color?.channels ?? options.openChannels ?? 3
        let sizes = Shape([batch ?? options.openBatch, height, width, channels])
        guard height > 0, width > 0 else { throw Failure.inputEmpty(node.name, sizes) }
        guard channels == 1 || channels == 3 else { throw Failure.inputNotImage(node.name, node.op, sizes) }
        if let color = options.color, color.channels != channels, !options.isOneOfSeveral {
            throw Failure.colorDiffers(node.name, node.op, color.rawValue, channels)
        }
        let shape = Shape([max(1, batch ?? options.openBatch), height, width, channels])
        guard shape.declaredCount != nil else {
            throw Failure.inputTooLarge(node.name, node.op, shape)
        }
        return shape
    }

    /// Whether the row of a flat input has the channels one after another.
    private func isFlatChannelsFirst(_ options: ImportOptions) -> Bool {
        if let order = options.channels { return order == .channelsFirst }
        guard let sizes = channels.image else { return false }
        if let axis = channels.axis { return axis == 1 }
        return isChannels(sizes[0]) && !isChannels(sizes[2])
    }

    /// An image whose pixels are a single row: of the shape that a reshape gives it, else with the size given by the options,
    /// or square. Nil if it is not an image.
    private func flattened(_ count: Int?, batch: Int, _ options: ImportOptions) throws -> Shape? {
        if let sizes = channels.image, count == nil || Shape(sizes).checkedCount == count {
            let sizes = isFlatChannelsFirst(options) ? [sizes[1], sizes[2], sizes[0]] : sizes
            if isChannels(sizes[2]) { return try image(batch, sizes[0], sizes[1], sizes[2], options) }
            if options.channels == nil { return nil }
        }
        if let size = options.size {
            let area = max(1, size.width * size.height)
            let channels = options.color?.channels ?? count.map { $0 / area } ?? options.openChannels ?? 3
            let shape = try image(batch, size.height, size.width, channels, options)
            guard count == nil || shape.dropFirst().reduce(1, *) == count else {
                throw Failure.rowDiffers(node.name, node.op, count ?? 0, shape)
            }
            return shape
        }
        guard let count else { throw Failure.sizeUnknown(node.name, node.op) }
        // Shorter rows are rarely images: numbers of features are often squares.
        let smallest = options.color == nil && options.channels == nil ? 8 : 2
        for channels in options.color.map({ [$0.channels] }) ?? [1, 3] {
            let side = Int(Double(count / channels).squareRoot().rounded())
            guard side >= smallest, side * side * channels == count else { continue }
            let shape: Shape = [max(1, batch), side, side, channels]
            guard shape.declaredCount != nil else {
                throw Failure.inputTooLarge(node.name, node.op, shape)
            }
            return shape
        }
        if options.color != nil { throw Failure.sizeUnknown(node.name, node.op) }
        return nil
    }
}
