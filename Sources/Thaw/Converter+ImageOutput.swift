extension Converter {
    /// The image output, if there is one. Notes about it are appended to `notes`.
    ///
    /// An output automatically becomes an image if it has the shape of an image no smaller than the input, does not contain
    /// class probabilities, and has a known range. If the range covers all pixels, the values are pixels; otherwise they are
    /// stretched to 0 to 255. If an image output is requested but the range is unknown, a trial determines it; otherwise the
    /// output uses the inverse of the input's scaling.
    /// - Throws: `Failure` if an image output is requested but no output is an image, if the named output is none, or if the
    ///   scaling does not fit.
    func imageOutput(
        _ model: Model, _ notes: inout [Note], _ pixelRange: PixelRangeTrial? = nil
    ) throws -> ImageOutput? {
        let isRequested = options.imageOutput == true || options.describesImageOutput
        guard options.imageOutput != false || isRequested else { return nil }
        let graph = model.graph
        let named = try options.imageOutputName.map { [try index(ofOutput: $0, graph)] }
        let possible = named ?? Array(graph.outputs.indices)
        let candidates = possible.compactMap { index in model.imageForm(ofOutput: index).map { (index, $0) } }
        guard let (index, form) = candidates.first else {
            if isRequested {
                throw Failure.noImageOutput(possible.map { (graph.outputs[$0].name, graph[graph.outputs[$0].value]) })
            }
            return nil
        }
        let port = graph.outputs[index]
        if !isRequested, let reason = model.reasonAgainstImage(port.value, form) {
            notes.append(.arrayOutput(port.name, because: reason))
            return nil
        }
        let color =
            options.outputColor ?? (form.channels == 1 ? .gray : model.image?.color == .bgr ? .bgr : .rgb)
        guard color.channels == form.channels else {
            throw Failure.outputColorDiffers(port.name, color.rawValue, form.channels)
        }
        let range = graph.range(of: port.value)
        let trial = index == 0 ? pixelRange : nil
        guard
            let (scaling, isAssumed) = try outputScaling(
                form, range: range, inputScaling: model.image?.scaling, trial, isRequested: isRequested)
        else {
            notes.append(.arrayOutputOfUnknownRange(port.name))
            return nil
        }
        if isAssumed { notes.append(.outputRangeAssumed(port.name)) }
        let image = ImageOutput(
            index: index, form: form, color: color, scaling: scaling,
            exceedsPixels: range.map { !scaling.staysWithinPixels($0) } ?? true)
        notes.append(.imageOutput(port.name))
        notes += image.formulas.map(Note.formula)
        return image
    }

    /// The scaling from the values of an output to pixels, and whether it is only assumed; nil if the range is unknown and
    /// no image output is requested.
    /// - Parameters:
    ///   - range: The range of the values; nil if it is unknown.
    ///   - trial: The trial that determined the range of this output; nil if there was none.
    private func outputScaling(
        _ form: ImageForm, range: ClosedRange<Double>?, inputScaling: PixelScaling?, _ trial: PixelRangeTrial?,
        isRequested: Bool
    ) throws -> (scaling: PixelScaling, isAssumed: Bool)? {
        if options.outputScale != nil || options.outputBias != nil {
            let scaling = PixelScaling(
                scale: try (options.outputScale ?? [1]).ofChannels(form.channels, .outputScale),
                bias: try (options.outputBias ?? [0]).ofChannels(form.channels, .outputBias))
            return (scaling, false)
        }
        if let range { return (.overPixels(range, channels: form.channels), false) }
        guard isRequested else { return nil }
        if let trial, trial.output.scale.count == form.channels { return (trial.output, false) }
        return (inputScaling?.undone(channels: form.channels) ?? .identity(channels: form.channels), true)
    }

    /// - Throws: `Failure` if there is no output of this name.
    private func index(ofOutput name: String, _ graph: Graph) throws -> Int {
        let names = graph.outputs.map(\.name)
        // A signature may have given the output another name.
        let index = names.firstIndex(of: name) ?? options.outputs.firstIndex(of: name)
        guard let index, names.indices.contains(index) else { throw Failure.unknownImageOutput(name, names) }
        return index
    }

    /// The model with its output as an image output, if it is not one yet.
    func withImageOutput(_ model: Model) throws -> Model {
        var model = model
        if model.imageOutput == nil {
            var notes: [Note] = []
            model.imageOutput = try imageOutput(model, &notes)
        }
        return model
    }
}

extension Model {
    /// The form of an output that can be an image; nil for other outputs.
    fileprivate func imageForm(ofOutput index: Int) -> ImageForm? {
        let type = graph[graph.outputs[index].value]
        // If the input is a single row or column, the output may be one too.
        let isLine = image.map { $0.width == 1 || $0.height == 1 } ?? false
        return type.element == .float32 ? ImageForm(type.shape, mayBeLine: isLine) : nil
    }

    /// The reason why an output with the shape of an image is probably not one: per-location scores and text scores have the
    /// shape of small images too.
    fileprivate func reasonAgainstImage(_ value: Graph.Value, _ form: ImageForm) -> String? {
        let rank = graph[value].shape.rank
        if let image {
            // The first of three axes is the batch, if there is one.
            guard !form.isChannelsFirst || rank == graph[graph.inputs[0].value].shape.rank else {
                return "has no channel axis"
            }
            guard form.width >= image.width, form.height >= image.height else {
                return "is smaller than the input image"
            }
        } else if rank < 4 {
            return "has no channel axis"
        }
        return graph.isSoftmax(value) ? "contains class probabilities" : nil
    }
}

extension Converter.Options {
    /// Whether an option is given that has no meaning without an image output.
    var describesImageOutput: Bool {
        imageOutputName != nil || outputScale != nil || outputBias != nil || outputColor != nil
    }
}

extension PixelScaling {
    /// The scaling from values in `range` to pixels: the identity if the range covers all pixels, otherwise linear.
    static func overPixels(_ range: ClosedRange<Double>, channels: Int) -> PixelScaling {
        if range.lowerBound <= 1 && range.upperBound >= 254 { return .identity(channels: channels) }
        let scale = 255 / (range.upperBound - range.lowerBound)
        return PixelScaling(
            scale: Array(repeating: scale, count: channels),
            bias: Array(repeating: -scale * range.lowerBound, count: channels))
    }

    /// Values that round to pixels. The limit for that is 0.5; the rest is a margin for the network's rounding errors.
    private static let roundingToPixels = -0.4...255.4

    /// Whether all values in `range` become values that round to pixels.
    fileprivate func staysWithinPixels(_ range: ClosedRange<Double>) -> Bool {
        zip(scale, bias).allSatisfy { scale, bias in
            [range.lowerBound, range.upperBound].allSatisfy { Self.roundingToPixels.contains($0 * scale + bias) }
        }
    }

    /// The inverse scaling. If the number of channels differs, the first channel's is used for all.
    func undone(channels: Int) -> PixelScaling {
        guard scale.allSatisfy({ $0 != 0 }) else { return .identity(channels: channels) }
        let indices = (0..<channels).map { scale.count == channels ? $0 : 0 }
        return PixelScaling(scale: indices.map { 1 / scale[$0] }, bias: indices.map { -bias[$0] / scale[$0] })
    }
}
