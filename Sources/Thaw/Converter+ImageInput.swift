extension Converter {
    /// Decides how the pixels of one image become the network's input: what the options say, else what the graph itself shows,
    /// else an assumption.
    ///
    /// - Parameters:
    ///   - index: The index of the image among the graph's inputs.
    ///   - own: The options that name this input.
    /// - Returns: The image input, and the notes and warnings that say how it was decided.
    func image(
        _ graph: Graph, _ index: Int, _ own: InputOptions, _ lifted: PixelScaling?, _ result: Importer.Result,
        _ source: GraphDefinition, _ pixelRange: PixelRangeTrial?
    ) throws -> (image: ImageInput, notes: [String], warnings: [String]) {
        let imported = result.images[index]
        var options = options
        let fits = graph.inputs.count == 1 || options.color?.channels == graph[graph.inputs[index].value].shape[3]
        options.color = own.color ?? (fits ? options.color : nil)
        options.scale = own.scale ?? options.scale
        options.bias = own.bias ?? options.bias
        var notes: [String] = []
        var warnings: [String] = []
        let port = graph.inputs[index]
        let shape = graph[port.value].shape
        var color = options.color ?? options.preprocessing?.color ?? (shape[3] == 1 ? .gray : .rgb)
        let scaling: PixelScaling
        if options.scale != nil || options.bias != nil {
            guard options.preprocessing == nil else { throw Failure.scalingTwice() }
            let channels = color.channels
            let scale = try numbers("--scale", options.scale ?? [1], channels)
            // Smaller ones are 0 in the file.
            if let dark = scale.firstIndex(where: { Float($0) == 0 }) {
                throw Failure.scalingByZero("--scale", color.channelNames[dark])
            }
            scaling = PixelScaling(
                scale: scale,
                bias: try numbers("--bias", options.bias ?? [0], channels))
        } else if let preprocessing = options.preprocessing {
            scaling = try preprocessing.scaling(color)
        } else if let lifted {
            scaling = .identity(channels: shape[3])
            notes.append("the arithmetic at the head of the graph became the scaling of the image")
            if options.color == nil, !imported.isDecoded, lifted.centersBlueGreenRed {
                color = .bgr
                notes.append(
                    "colors assumed in the order blue, green, red, as the means go that the graph takes from them; --color rgb says otherwise"
                )
            }
        } else if imported.takesPixels {
            scaling = .identity(channels: shape[3])
            notes.append("the graph itself reads images of 8 bits: pixels go in as they are, 0 to 255")
        } else if let node = graph.preparation(ofInput: index) {
            // What is known of a family was done by the graph already, in its own way.
            scaling = .identity(channels: shape[3])
            warnings.append(
                "the graph prepares its images itself, at '\(node)': pixels go in as they are, 0 to 255; --preprocess, or --scale and --bias, say otherwise"
            )
        } else if let pixelRange {
            scaling = pixelRange.input
            notes.append(
                "the network gives a test image back when pixels go in as \(pixelRange.rangeOfInput); --preprocess, or --scale and --bias, say otherwise"
            )
        } else if shape[3] == 3, let guess = PreprocessingGuess(result, source) {
            let isReversed = options.color != nil && options.color != guess.color
            color = options.color ?? guess.color
            scaling =
                isReversed
                ? PixelScaling(scale: guess.scaling.scale.reversed(), bias: guess.scaling.bias.reversed())
                : guess.scaling
            notes.append(
                "preprocessing assumed from \(guess.reason); --preprocess, or --scale and --bias, say otherwise"
            )
        } else {
            scaling = .identity(channels: shape[3])
            // A network that ends in a tanh mostly takes what it gives.
            let advice =
                graph.endsInTanh
                ? "its output is a tanh, from -1 to 1, and so is probably its input: try --preprocess inception"
                : "say it with --preprocess, or --scale and --bias"
            warnings.append(
                "nothing tells how the network's images were scaled; they go in as they are, 0 to 255: \(advice)")
        }
        if options.color == nil, color == .rgb, !imported.isDecoded, let means = lifted?.risingMeans {
            warnings.append(Failure.risingMeans(means))
        }
        guard color.channels == shape[3] else {
            throw Failure.presetNeedsColor(options.preprocessing?.rawValue ?? "", color.rawValue, "gray")
        }
        let image = ImageInput(name: port.name, width: shape[2], height: shape[1], color: color, scaling: scaling)
        return (image, notes, warnings)
    }

    func numbers(_ option: String, _ values: [Double], _ channels: Int) throws -> [Double] {
        if values.count == channels { return values }
        guard values.count == 1 else { throw Failure.scalingCount(option, values.count, channels) }
        return Array(repeating: values[0], count: channels)
    }
}

extension Graph {
    /// Whether the first output is an image that a tanh gives, with nothing behind it that changes numbers.
    fileprivate var endsInTanh: Bool {
        guard var value = outputs.first?.value, self[value].shape.rank >= 3 else { return false }
        let producers = producers
        while let node = producers[value], node.operation is Reshape || node.operation is Transpose {
            value = node.inputs[0]
        }
        return (producers[value]?.operation as? Unary)?.function == .tanh
    }
}
