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
            let scale = try channelValues("--scale", options.scale ?? [1], channels)
            // Smaller values would be 0 in the file.
            if let dark = scale.firstIndex(where: { Float($0) == 0 }) {
                throw Failure.scalingByZero("--scale", color.channelNames[dark])
            }
            scaling = PixelScaling(
                scale: scale,
                bias: try channelValues("--bias", options.bias ?? [0], channels))
        } else if let preprocessing = options.preprocessing {
            scaling = try preprocessing.scaling(color)
        } else if let lifted {
            scaling = .identity(channels: shape[3])
            notes.append("the arithmetic at the head of the graph became the image input's preprocessing")
            if options.color == nil, !imported.isDecoded, lifted.centersBlueGreenRed {
                color = .bgr
                notes.append(
                    "BGR input inferred from the means that the graph subtracts; --color rgb overrides this"
                )
            }
        } else if imported.takesPixels {
            scaling = .identity(channels: shape[3])
            notes.append("the graph itself takes 8-bit images: its input is raw pixels, 0 to 255")
        } else if let node = graph.preparation(ofInput: index) {
            // A family's preprocessing is already done by the graph, in its own way.
            scaling = .identity(channels: shape[3])
            warnings.append(
                "the graph preprocesses its images itself, at '\(node)': its input is raw pixels, 0 to 255; --preprocess, or --scale and --bias, override this"
            )
        } else if let pixelRange {
            scaling = pixelRange.input
            notes.append(
                "the network reproduces a test image if its input is scaled to \(pixelRange.rangeOfInput); --preprocess, or --scale and --bias, override this"
            )
        } else if shape[3] == 3, let guess = PreprocessingGuess(result, source) {
            let isReversed = options.color != nil && options.color != guess.color
            color = options.color ?? guess.color
            scaling =
                isReversed
                ? PixelScaling(scale: guess.scaling.scale.reversed(), bias: guess.scaling.bias.reversed())
                : guess.scaling
            notes.append(
                "preprocessing assumed from \(guess.reason); --preprocess, or --scale and --bias, override this"
            )
        } else {
            scaling = .identity(channels: shape[3])
            // A network that ends in a tanh usually takes the same range that it returns.
            let advice =
                graph.endsInTanh
                ? "its output is a tanh, from -1 to 1, so its input probably has that range too: try --preprocess inception"
                : "set it with --preprocess, or --scale and --bias"
            warnings.append(
                "the network's preprocessing is unknown; its input is raw pixels, 0 to 255: \(advice)")
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

    func channelValues(_ option: String, _ values: [Double], _ channels: Int) throws -> [Double] {
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
