/// How the pixels of an image become the network's input: by the options, else by the graph itself, else by an assumption.
struct PreprocessingDecision {
    /// What is known about an image of a graph.
    struct Evidence {
        /// The options for this image.
        var options: Converter.Options
        var graph: Graph
        /// The index of the image among the graph's inputs.
        var index: Int
        /// The preprocessing that was moved out of the graph.
        var lifted: PixelScaling?
        var imported: Importer.Result
        var source: GraphDefinition
        /// The result of a trial, if there was one.
        var trial: PixelRangeTrial?

        var channels: Int { graph[graph.inputs[index].value].shape[3] }
        var takesPixels: Bool { imported.images[index].takesPixels }

        /// A node that computes with the image before any weights.
        var preparingNode: String? {
            graph.firstPreprocessingNode(ofInput: index, quantizing: source.quantizingNodes)
        }
    }

    /// What decides, the first that applies.
    enum Basis {
        /// The options give a scale or a bias.
        case options(PixelScaling)
        /// The options name a family of networks.
        case preset(PixelScaling)
        /// The graph's own preprocessing was moved into the image input.
        case lifted(PixelScaling)
        /// It was moved, too, but makes sense only for values from 0 to 1.
        case liftedFromUnitRange
        /// The graph shows that it takes pixels.
        case pixels
        /// A node of the graph prepares the image in its own way.
        case prepared(String)
        /// A trial found the range of the network's input.
        case trial(PixelRangeTrial)
        /// The graph resembles a well-known family.
        case guess(PreprocessingGuess)
        case unknown(endsInTanh: Bool)

        /// - Parameter color: The order of the channels, unless the graph shows another one.
        init(_ known: Evidence, _ color: ColorLayout) throws {
            let (options, lifted) = (known.options, known.lifted)
            if options.scale != nil || options.bias != nil {
                self = .options(try options.scaling(color))
            } else if let preset = options.preprocessing {
                self = .preset(try preset.scaling(color))
            } else if let lifted, known.takesPixels || lifted.expectsPixels {
                self = .lifted(lifted)
            } else if lifted?.expectsUnitRange == true {
                self = .liftedFromUnitRange
            } else if known.takesPixels {
                self = .pixels
            } else if let node = known.preparingNode {
                // A family's preprocessing is already done by the graph.
                self = .prepared(node)
            } else if let trial = known.trial {
                self = .trial(trial)
            } else if known.channels == 3, let guess = PreprocessingGuess(known.imported, known.source) {
                self = .guess(guess)
            } else {
                self = .unknown(endsInTanh: known.graph.endsInTanh)
            }
        }
    }

    let basis: Basis
    /// The order of the image's channels.
    let color: ColorLayout
    /// The scaling of the pixels, without the preprocessing that was moved out of the graph.
    let scaling: PixelScaling
    /// Whether the graph's own means determined `color`.
    private var isColorInferred = false
    /// Whether the options give other values than the graph's own arithmetic expects.
    private let isOutOfRange: Bool
    /// The means of an image in RGB order, if they suggest BGR.
    private let risingMeans: [Double]?

    /// - Throws: `Failure` if the options do not fit the channels of the image.
    init(_ known: Evidence) throws {
        let (options, channels, lifted) = (known.options, known.channels, known.lifted)
        let isDecoded = known.imported.images[known.index].isDecoded
        var color = options.color ?? options.preprocessing?.color ?? (channels == 1 ? .gray : .rgb)
        basis = try Basis(known, color)
        switch basis {
        case .options(let given), .preset(let given): scaling = given
        case .lifted(let lifted):
            scaling = .identity(channels: channels)
            isColorInferred = options.color == nil && !isDecoded && lifted.centersBlueGreenRed
            if isColorInferred { color = .bgr }
        case .liftedFromUnitRange:
            scaling = try Preprocessing.unit.scaling(color)
            isColorInferred = options.color == nil && scaling.followed(by: lifted!).centersBlueGreenRed
            if isColorInferred { color = .bgr }
        case .trial(let trial): scaling = trial.input
        case .guess(let guess):
            color = options.color ?? guess.color
            scaling =
                color == guess.color
                ? guess.scaling
                : PixelScaling(scale: guess.scaling.scale.reversed(), bias: guess.scaling.bias.reversed())
        case .pixels, .prepared, .unknown: scaling = .identity(channels: channels)
        }
        self.color = color
        risingMeans = options.color == nil && color == .rgb && !isDecoded ? lifted?.risingMeans : nil
        isOutOfRange =
            switch basis {
            case .options(let given), .preset(let given):
                lifted?.expectsUnitRange == true && !known.takesPixels
                    && (given.range.low < -0.1 || given.range.high > 1.5)
            default: false
            }
        guard color.channels == channels else {
            throw Failure.presetNeedsColor(options.preprocessing?.rawValue ?? "", color.rawValue, "gray")
        }
    }

    /// Whether the options or the graph decide, not an assumption.
    var isCertain: Bool {
        switch basis {
        case .options, .preset, .lifted, .pixels: true
        case .liftedFromUnitRange, .prepared, .trial, .guess, .unknown: false
        }
    }

    /// What was inferred.
    var notes: [Note] {
        switch basis {
        case .lifted: [.preprocessingLifted()] + (isColorInferred ? [.colorInferred()] : [])
        case .liftedFromUnitRange: [.unitRangeAssumed()] + (isColorInferred ? [.colorInferred()] : [])
        case .pixels: [.takesPixels()]
        case .trial(let trial): [.pixelRangeFound(trial.rangeOfInput)]
        case .guess(let guess): [.preprocessingAssumed(guess.reason)]
        case .options, .preset, .prepared, .unknown: []
        }
    }

    /// What may be wrong.
    var warnings: [Note] {
        var warnings: [Note] = []
        switch basis {
        case .prepared(let node): warnings.append(.preprocessesItself(node))
        case .unknown(let endsInTanh): warnings.append(.preprocessingUnknown(endsInTanh: endsInTanh))
        case .options, .preset, .lifted, .liftedFromUnitRange, .pixels, .trial, .guess: break
        }
        if isOutOfRange { warnings.append(.unitRangeExpected(scaling.range.low, scaling.range.high)) }
        if let risingMeans { warnings.append(.risingMeans(risingMeans)) }
        return warnings
    }
}

extension Converter.Options {
    /// The options for one image: its own take precedence over those for all.
    /// - Parameter index: The index of the image among the graph's inputs.
    func ofImage(at index: Int, _ imageOptions: InputOptions, _ graph: Graph) -> Converter.Options {
        var options = self
        let fits = graph.inputs.count == 1 || color?.channels == graph[graph.inputs[index].value].shape[3]
        options.color = imageOptions.color ?? (fits ? color : nil)
        options.scale = imageOptions.scale ?? scale
        options.bias = imageOptions.bias ?? bias
        return options
    }

    /// The scaling that `scale` and `bias` describe.
    fileprivate func scaling(_ color: ColorLayout) throws -> PixelScaling {
        guard preprocessing == nil else { throw Failure.scalingTwice() }
        let factors = try (scale ?? [1]).ofChannels(color.channels, .scale)
        // Smaller values would be 0 in the file.
        if let dark = factors.firstIndex(where: { Float($0) == 0 }) {
            throw Failure.scalingByZero(.scale, color.channelNames[dark])
        }
        return PixelScaling(scale: factors, bias: try (bias ?? [0]).ofChannels(color.channels, .bias))
    }
}

extension [Double] {
    /// One value per channel.
    /// - Throws: `Failure` naming the option if there is another number of values than one, or one per channel.
    func ofChannels(_ channels: Int, _ option: OptionName) throws -> [Double] {
        if count == channels { return self }
        guard count == 1 else { throw Failure.scalingCount(option, count, channels) }
        return Array(repeating: self[0], count: channels)
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
        return producers[value]?.operation.applies(.tanh) == true
    }
}

extension GraphDefinition {
    /// The names of the nodes that only quantize values, which is no preprocessing.
    var quantizingNodes: Set<String> { Set(nodes.lazy.filter { $0.has(.quantizing) }.map(\.name)) }
}
