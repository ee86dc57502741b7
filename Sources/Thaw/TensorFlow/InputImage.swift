/// The input of a graph, and how an image comes to the shape that the graph reads.
///
/// Whatever the placeholder's shape, the Graph takes batch, height, width, channel; a reshape or a transpose leads over.
struct InputImage {
    private let node: NodeDefinition
    private let shape: [Int]?
    /// The number of values that a matrix product reads of each row, where one stands right behind.
    private let rowLength: Int?

    init(_ node: NodeDefinition, readers: [NodeDefinition], _ survey: GraphSurvey) {
        self.node = node
        if case .shape(let sizes)? = node.attributes["shape"], node.op.hasPrefix("Placeholder") {
            // TensorFlow 1.0 and earlier wrote an empty shape where none was given.
            shape = sizes?.isEmpty == true ? nil : sizes
        } else if case .list(let list)? = node.attributes["_output_shapes"], case .shape(let sizes)? = list.first {
            shape = sizes
        } else {
            shape = nil
        }
        rowLength =
            readers.lazy.filter { $0.op == "MatMul" && $0.inputs.count >= 2 }.compactMap { reader -> Int? in
                var matrix = survey.node(GraphSurvey.Reference(reader.inputs[1]).node)
                while let identity = matrix, identity.op == "Identity", let input = identity.inputs.first {
                    matrix = survey.node(GraphSurvey.Reference(input).node)
                }
                guard case .tensor(let tensor)? = matrix?.attributes["value"], tensor.shape.rank == 2 else {
                    return nil
                }
                if case .bool(true)? = reader.attributes["transpose_b"] { return tensor.shape[1] }
                return tensor.shape[0]
            }.first
    }

    /// Adds the input to the graph and returns what stands for the node's output.
    /// - Throws: `Failure` where the size cannot be told, or where the node takes no image.
    func add(to context: inout ImportContext, _ options: Importer.Options) throws -> Operand {
        if case .type(let type)? = node.attributes["dtype"],
            [.string, .complex64, .complex128, .resource, .variant].contains(type)
        {
            throw Failure.inputNotNumeric(node.name, node.op, "\(type)")
        }
        let form = try self.form(options)
        let value = context.builder.input(node.name, TensorType(form.image))
        let image = Operand.edge(value, TensorType(form.image))
        if form.channelsFirst { return try context.add(Transpose(Graph.toFirst), image, name: node.name + "/to_nchw") }
        return form.shape == form.image
            ? image : try context.add(Reshape(form.shape), image, name: node.name + "/shape")
    }

    /// The image, and the shape in which the graph reads it.
    private struct Form {
        var image: Shape
        var shape: Shape
        var channelsFirst = false
    }

    private func form(_ options: Importer.Options) throws -> Form {
        guard let shape = shape ?? rowLength.map({ [1, $0] }) else { return try shapeless(options) }
        let sizes = shape.map { $0 < 0 ? nil : $0 }
        switch shape.count {
        case 4 where isChannelsFirst(sizes):
            let image = try image(sizes[0], sizes[2], sizes[3], sizes[1], options)
            return Form(image: image, shape: image.permuted(Graph.toFirst), channelsFirst: true)
        case 4:
            let image = try image(sizes[0], sizes[1], sizes[2], sizes[3], options)
            return Form(image: image, shape: image)
        case 3:
            let image = try image(1, sizes[0], sizes[1], sizes[2], options)
            return Form(image: image, shape: Shape(image.dropFirst()))
        case 2:
            let image = try flattened(sizes[1] ?? rowLength, options)
            return Form(image: image, shape: [1, image.elementCount])
        case 1:
            let image = try flattened(sizes[0], options)
            return Form(image: image, shape: [image.elementCount])
        default: throw Failure.inputNotImage(node.name, node.op, Shape(shape))
        }
    }

    /// Whether the channels stand before the height: 1 or 3 of them, and not the same behind.
    private func isChannelsFirst(_ sizes: [Int?]) -> Bool {
        let isChannels = { (size: Int?) in size == 1 || size == 3 }
        return isChannels(sizes[1]) && !isChannels(sizes[3]) && sizes[3] != 4
    }

    private func image(_ batch: Int?, _ height: Int?, _ width: Int?, _ channels: Int?, _ options: Importer.Options)
        throws -> Shape
    {
        if let size = options.size {
            guard height ?? size.height == size.height, width ?? size.width == size.width else {
                throw Failure.sizeDiffers(node.name, node.op, size.width, size.height, width, height)
            }
        }
        guard let height = height ?? options.size?.height, let width = width ?? options.size?.width else {
            throw Failure.sizeUnknown(node.name, node.op)
        }
        let channels = channels ?? options.color?.channels ?? 3
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

    /// An image whose pixels stand in one row: as large as options say, else square.
    private func flattened(_ count: Int?, _ options: Importer.Options) throws -> Shape {
        guard let count else { return try shapeless(options).image }
        if let size = options.size {
            let channels = size.width * size.height > 0 ? count / (size.width * size.height) : 0
            let shape = try image(1, size.height, size.width, options.color?.channels ?? channels, options)
            guard shape.elementCount == count else { throw Failure.rowDiffers(node.name, node.op, count, shape) }
            return shape
        }
        for channels in options.color.map({ [$0.channels] }) ?? [1, 3] {
            let side = Int(Double(count / channels).squareRoot().rounded())
            if side * side * channels == count { return [1, side, side, channels] }
        }
        throw Failure.sizeUnknown(node.name, node.op)
    }

    private func shapeless(_ options: Importer.Options) throws -> Form {
        let image = try image(1, nil, nil, options.color?.channels, options)
        return Form(image: image, shape: image)
    }
}
