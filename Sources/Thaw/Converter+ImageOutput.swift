extension Converter {
    /// The output that is shown as an image, where there is one, and what should be known of it.
    ///
    /// By itself an output becomes an image where its shape is one's that is no smaller than the image that goes in, where it
    /// holds no probabilities of classes, and its range is known: numbers that reach over all pixels are pixels, others are
    /// stretched over them. If it is asked for but the range is not known, a trial tells it; else the image goes out as it
    /// came in, the scaling of the input undone.
    /// - Throws: `Failure` where an image is asked for and none is there, or the scaling does not fit.
    func imageOutput(
        _ model: Model, _ notes: inout [String], _ pixelRange: PixelRangeTrial? = nil
    ) throws -> ImageOutput? {
        let isAsked = options.imageOutput == true || options.saysHowImagesGoOut
        guard options.imageOutput != false || isAsked else { return nil }
        let graph = model.graph
        let candidates = graph.outputs.indices.compactMap { index -> (index: Int, form: ImageForm)? in
            let type = graph[graph.outputs[index].value]
            // Of a line that goes in a line comes out.
            let isLine = model.image.map { $0.width == 1 || $0.height == 1 } ?? false
            guard type.element == .float32, let form = ImageForm(type.shape, mayBeLine: isLine) else { return nil }
            return (index, form)
        }
        guard let (index, form) = candidates.first else {
            if isAsked { throw Failure.givesNoImage(graph.outputs.map { ($0.name, graph[$0.value]) }) }
            return nil
        }
        let port = graph.outputs[index]
        if !isAsked, let reason = model.reasonAgainstImage(port.value, form) {
            notes.append(
                "the output '\(port.name)' has an image's shape, but \(reason): it stays an array; --image-output makes it an image"
            )
            return nil
        }
        let color =
            options.outputColor ?? (form.channels == 1 ? .gray : model.image?.color == .bgr ? .bgr : .rgb)
        guard color.channels == form.channels else {
            throw Failure.outputColorDiffers(port.name, color.rawValue, form.channels)
        }
        let range = graph.range(of: port.value)
        let scaling: PixelScaling
        if options.outputScale != nil || options.outputBias != nil {
            scaling = PixelScaling(
                scale: try numbers("--output-scale", options.outputScale ?? [1], form.channels),
                bias: try numbers("--output-bias", options.outputBias ?? [0], form.channels))
        } else if let range {
            scaling = .overPixels(range, channels: form.channels)
        } else if isAsked, let pixelRange, pixelRange.output.scale.count == form.channels {
            scaling = pixelRange.output
        } else if isAsked {
            scaling = model.image?.scaling.undone(channels: form.channels) ?? .identity(channels: form.channels)
            notes.append(
                "nothing bounds the output '\(port.name)': it goes out as the image came in; --output-scale and --output-bias say otherwise"
            )
        } else {
            notes.append(
                "the output '\(port.name)' has an image's shape but no known range: it stays an array; --image-output makes it an image"
            )
            return nil
        }
        let image = ImageOutput(
            index: index, form: form, color: color, scaling: scaling,
            exceedsPixels: range.map { !scaling.staysWithinPixels($0) } ?? true)
        notes.append("the output '\(port.name)' is an image")
        notes += image.formulas
        return image
    }
}

extension Model {
    /// Why an array like an image is hardly meant to be one: scores of places or of letters have the shape of small images.
    fileprivate func reasonAgainstImage(_ value: Graph.Value, _ form: ImageForm) -> String? {
        if let image, let input = graph.inputs.first {
            // The first of three axes is the batch, where there is one.
            let shape = graph[value].shape
            guard !form.isChannelsFirst || shape.rank == graph[input.value].shape.rank else {
                return "has no axis of channels"
            }
            guard form.width >= image.width, form.height >= image.height else {
                return "is smaller than the image that goes in"
            }
        }
        let producers = graph.producers
        var source = value
        while let node = producers[source], node.operation is Reshape || node.operation is Transpose {
            source = node.inputs[0]
        }
        return producers[source]?.operation is Softmax ? "holds probabilities of classes" : nil
    }
}

extension Converter.Options {
    /// Whether something is said that has no meaning without an image output.
    fileprivate var saysHowImagesGoOut: Bool { outputScale != nil || outputBias != nil || outputColor != nil }
}

extension PixelScaling {
    /// What makes pixels of numbers in `range`: nothing where they reach over all pixels, else a stretch.
    static func overPixels(_ range: ClosedRange<Double>, channels: Int) -> PixelScaling {
        if range.lowerBound <= 1 && range.upperBound >= 254 { return .identity(channels: channels) }
        let scale = 255 / (range.upperBound - range.lowerBound)
        return PixelScaling(
            scale: Array(repeating: scale, count: channels),
            bias: Array(repeating: -scale * range.lowerBound, count: channels))
    }

    /// Whether all of `range` becomes numbers that round to pixels.
    fileprivate func staysWithinPixels(_ range: ClosedRange<Double>) -> Bool {
        zip(scale, bias).allSatisfy { scale, bias in
            [range.lowerBound, range.upperBound].allSatisfy { (-0.4...255.4).contains($0 * scale + bias) }
        }
    }

    /// The scaling that makes pixels of what this one made of pixels; the first channel's, where channels are more or fewer.
    func undone(channels: Int) -> PixelScaling {
        guard scale.allSatisfy({ $0 != 0 }) else { return .identity(channels: channels) }
        let places = (0..<channels).map { scale.count == channels ? $0 : 0 }
        return PixelScaling(scale: places.map { 1 / scale[$0] }, bias: places.map { -bias[$0] / scale[$0] })
    }
}
