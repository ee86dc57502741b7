extension Converter {
    /// Decides how the pixels of one image become the network's input: by the options, else by the graph itself, else by an
    /// assumption.
    ///
    /// - Parameters:
    ///   - index: The index of the image among the graph's inputs.
    ///   - own: The options that name this input.
    /// - Returns: The image input, and the notes and warnings that say how it was decided.
    func image(
        _ graph: Graph, _ index: Int, _ own: InputOptions, _ lifted: PixelScaling?, _ result: Importer.Result,
        _ source: GraphDefinition, _ pixelRange: PixelRangeTrial?
    ) throws -> (image: ImageInput, notes: [Note], warnings: [Note]) {
        let imported = result.images[index]
        var options = options
        let fits = graph.inputs.count == 1 || options.color?.channels == graph[graph.inputs[index].value].shape[3]
        options.color = own.color ?? (fits ? options.color : nil)
        options.scale = own.scale ?? options.scale
        options.bias = own.bias ?? options.bias
        var notes: [Note] = []
        var warnings: [Note] = []
        let port = graph.inputs[index]
        let shape = graph[port.value].shape
        var color = options.color ?? options.preprocessing?.color ?? (shape[3] == 1 ? .gray : .rgb)
        let scaling: PixelScaling
        if options.scale != nil || options.bias != nil {
            guard options.preprocessing == nil else { throw Failure.scalingTwice() }
            let channels = color.channels
            let scale = try channelValues(.scale, options.scale ?? [1], channels)
            // Smaller values would be 0 in the file.
            if let dark = scale.firstIndex(where: { Float($0) == 0 }) {
                throw Failure.scalingByZero(.scale, color.channelNames[dark])
            }
            scaling = PixelScaling(
                scale: scale,
                bias: try channelValues(.bias, options.bias ?? [0], channels))
        } else if let preprocessing = options.preprocessing {
            scaling = try preprocessing.scaling(color)
        } else if let lifted {
            scaling = .identity(channels: shape[3])
            notes.append(.preprocessingLifted())
            if options.color == nil, !imported.isDecoded, lifted.centersBlueGreenRed {
                color = .bgr
                notes.append(.colorInferred())
            }
        } else if imported.takesPixels {
            scaling = .identity(channels: shape[3])
            notes.append(.takesPixels())
        } else if let node = graph.preparation(ofInput: index) {
            // A family's preprocessing is already done by the graph, in its own way.
            scaling = .identity(channels: shape[3])
            warnings.append(.preprocessesItself(node))
        } else if let pixelRange {
            scaling = pixelRange.input
            notes.append(.pixelRangeFound(pixelRange.rangeOfInput))
        } else if shape[3] == 3, let guess = PreprocessingGuess(result, source) {
            let isReversed = options.color != nil && options.color != guess.color
            color = options.color ?? guess.color
            scaling =
                isReversed
                ? PixelScaling(scale: guess.scaling.scale.reversed(), bias: guess.scaling.bias.reversed())
                : guess.scaling
            notes.append(.preprocessingAssumed(guess.reason))
        } else {
            scaling = .identity(channels: shape[3])
            warnings.append(.preprocessingUnknown(endsInTanh: graph.endsInTanh))
        }
        if options.color == nil, color == .rgb, !imported.isDecoded, let means = lifted?.risingMeans {
            warnings.append(.risingMeans(means))
        }
        guard color.channels == shape[3] else {
            throw Failure.presetNeedsColor(options.preprocessing?.rawValue ?? "", color.rawValue, "gray")
        }
        let image = ImageInput(name: port.name, width: shape[2], height: shape[1], color: color, scaling: scaling)
        return (image, notes, warnings)
    }

    func channelValues(_ option: OptionName, _ values: [Double], _ channels: Int) throws -> [Double] {
        if values.count == channels { return values }
        guard values.count == 1 else { throw Failure.scalingCount(option, values.count, channels) }
        return Array(repeating: values[0], count: channels)
    }
}

extension Graph {
    /// Whether the first output is an image computed by a tanh, with nothing after it that changes values.
    fileprivate var endsInTanh: Bool {
        guard var value = outputs.first?.value, self[value].shape.rank >= 3 else { return false }
        let producers = producers
        while let node = producers[value], node.operation.keepsElements {
            value = node.inputs[0]
        }
        return (producers[value]?.operation as? Unary)?.function == .tanh
    }
}
