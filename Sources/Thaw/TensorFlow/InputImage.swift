/// The input of a graph, and how an image comes to the shape that the graph reads.
///
/// Whatever the placeholder's shape, the Graph takes batch, height, width, channel; a reshape or a transpose leads over.
struct InputImage {
    private let node: NodeDefinition
    private let shape: [Int]?
    /// The number of values that a matrix product reads of each row, where one stands right behind.
    private let rowLength: Int?
    /// The number of channels, 1 or 3, that a convolution reads, where one stands right behind.
    private let depth: Int?
    private let worksChannelsFirst: Bool

    init(_ node: NodeDefinition, readers: [NodeDefinition], _ survey: GraphSurvey) {
        self.node = node
        worksChannelsFirst = survey.nodes.contains {
            if case .string("NCHW")? = $0.attributes["data_format"] { true } else { false }
        }
        if case .shape(let sizes)? = node.attributes["shape"] {
            // TensorFlow 1.0 and earlier wrote an empty shape where none was given.
            shape = sizes?.isEmpty == true ? nil : sizes
        } else if case .list(let list)? = node.attributes["_output_shapes"], case .shape(let sizes)? = list.first {
            shape = sizes
        } else {
            shape = nil
        }
        /// The shapes of the weights of such operations right behind.
        func weights(_ op: String, rank: Int) -> [(reader: NodeDefinition, shape: Shape)] {
            readers.filter { $0.op == op && $0.inputs.count >= 2 }.compactMap { reader in
                var weights = survey.node(GraphSurvey.Reference(reader.inputs[1]).node)
                while let identity = weights, identity.op == "Identity", let input = identity.inputs.first {
                    weights = survey.node(GraphSurvey.Reference(input).node)
                }
                guard case .tensor(let tensor)? = weights?.attributes["value"], tensor.shape.rank == rank else {
                    return nil
                }
                return (reader, tensor.shape)
            }
        }
        rowLength = weights("MatMul", rank: 2).first.map { reader, shape in
            if case .bool(true)? = reader.attributes["transpose_b"] { shape[1] } else { shape[0] }
        }
        depth = weights("Conv2D", rank: 4).first.map { $0.shape[2] }.flatMap { $0 == 1 || $0 == 3 ? $0 : nil }
    }

    /// What is wrong with an input that takes no numbers.
    var refusal: Failure? {
        guard let type = node.dataType, type.element == nil else { return nil }
        return Failure.inputNotNumeric(node.name, node.op, "\(type)")
    }

    /// Adds the input to the graph and returns what stands for the node's output.
    /// - Throws: `Failure` where the size cannot be told, or where the node takes no image.
    func add(to context: inout ImportContext, _ options: ImportOptions) throws -> (operand: Operand, isImage: Bool) {
        guard let form = try self.form(options) else {
            let type = TensorType(Shape(try fixed()))
            return (.edge(context.builder.input(node.name, type), type), false)
        }
        let image = Operand.edge(context.builder.input(node.name, TensorType(form.image)), TensorType(form.image))
        if form.channelsFirst {
            return (try context.add(Transpose(Graph.toFirst), image, name: node.name + "/to_nchw"), true)
        }
        return (
            form.shape == form.image ? image : try context.add(Reshape(form.shape), image, name: node.name + "/shape"),
            true
        )
    }

    /// The shape of an array that is no image: one batch, all else known.
    private func fixed() throws -> [Int] {
        var sizes = shape ?? []
        if sizes.first ?? 0 < 0 { sizes[0] = 1 }
        guard let count = Shape(sizes).checkedCount else {
            throw Failure.inputNotImage(node.name, node.op, Shape(sizes))
        }
        guard count < 1 << 31 else { throw Failure.inputTooLarge(node.name, node.op, Shape(sizes)) }
        return sizes
    }

    /// The image, and the shape in which the graph reads it.
    private struct Form {
        var image: Shape
        var shape: Shape
        var channelsFirst = false
    }

    /// - Returns: nil for an array that is no image.
    private func form(_ options: ImportOptions) throws -> Form? {
        guard let shape = shape ?? rowLength.map({ [1, $0] }) else {
            let image = try image(1, nil, nil, nil, options)
            return Form(image: image, shape: image)
        }
        let sizes = shape.map { $0 < 0 ? nil : $0 }
        switch shape.count {
        case 4 where isChannelsFirst(sizes):
            let image = try image(sizes[0], sizes[2], sizes[3], sizes[1], options)
            return Form(image: image, shape: image.permuted(Graph.toFirst), channelsFirst: true)
        case 4 where isChannels(sizes[3]):
            let image = try image(sizes[0], sizes[1], sizes[2], sizes[3], options)
            return Form(image: image, shape: image)
        case 3 where isChannels(sizes[2]):
            let image = try image(1, sizes[0], sizes[1], sizes[2], options)
            return Form(image: image, shape: Shape(image.dropFirst()))
        case 2:
            return try flattened(sizes[1] ?? rowLength, batch: sizes[0] ?? 1, options).map {
                Form(image: $0, shape: [$0[0], $0.dropFirst().reduce(1, *)])
            }
        case 1:
            return try flattened(sizes[0], batch: 1, options).map { Form(image: $0, shape: [$0.elementCount]) }
        default:
            if options.size != nil || options.color != nil {
                throw Failure.inputNotImage(node.name, node.op, Shape(shape))
            }
            return nil
        }
    }

    /// Whether the graph leaves the image's height or width open.
    var isSizeOpen: Bool {
        guard let shape else { return rowLength == nil }
        switch shape.count {
        case 4: return isChannelsFirst(shape) ? shape[2] < 0 || shape[3] < 0 : shape[1] < 0 || shape[2] < 0
        case 3: return shape[0] < 0 || shape[1] < 0
        default: return false
        }
    }

    /// Whether an axis may be that of an image's channels.
    private func isChannels(_ size: Int?) -> Bool { size == nil || size == 1 || size == 3 }

    /// Whether the channels stand before the height: 1 or 3 of them, in a graph that works in that order.
    private func isChannelsFirst(_ sizes: [Int?]) -> Bool {
        (sizes[1] == 1 || sizes[1] == 3) && !isChannels(sizes[3]) && worksChannelsFirst
    }

    private func image(_ batch: Int?, _ height: Int?, _ width: Int?, _ channels: Int?, _ options: ImportOptions)
        throws -> Shape
    {
        if let size = options.size {
            guard height ?? size.height == size.height, width ?? size.width == size.width else {
                throw Failure.sizeDiffers(node.name, node.op, size.width, size.height, width, height)
            }
        }
        let given = options.size ?? options.openSize
        guard let height = height ?? given?.height, let width = width ?? given?.width else {
            throw Failure.sizeUnknown(node.name, node.op)
        }
        let channels = channels ?? depth ?? options.color?.channels ?? 3
        guard channels == 1 || channels == 3, height > 0, width > 0 else {
            throw Failure.inputNotImage(node.name, node.op, Shape([batch ?? 1, height, width, channels]))
        }
        if let color = options.color, color.channels != channels {
            throw Failure.colorDiffers(node.name, node.op, color.rawValue, channels)
        }
        let shape = Shape([Swift.max(1, batch ?? 1), height, width, channels])
        guard let count = shape.checkedCount, count < 1 << 31 else {
            throw Failure.inputTooLarge(node.name, node.op, shape)
        }
        return shape
    }

    /// An image whose pixels stand in one row: as large as options say, else square. Nil where it is no image.
    private func flattened(_ count: Int?, batch: Int, _ options: ImportOptions) throws -> Shape? {
        if let size = options.size {
            let area = Swift.max(1, size.width * size.height)
            let channels = options.color?.channels ?? count.map { $0 / area } ?? 3
            let shape = try image(batch, size.height, size.width, channels, options)
            guard count == nil || shape.dropFirst().reduce(1, *) == count else {
                throw Failure.rowDiffers(node.name, node.op, count ?? 0, shape)
            }
            return shape
        }
        guard let count else { throw Failure.sizeUnknown(node.name, node.op) }
        for channels in options.color.map({ [$0.channels] }) ?? [1, 3] {
            let side = Int(Double(count / channels).squareRoot().rounded())
            if side > 1, side * side * channels == count { return [max(1, batch), side, side, channels] }
        }
        if options.color != nil { throw Failure.sizeUnknown(node.name, node.op) }
        return nil
    }
}
