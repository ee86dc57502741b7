extension Converter {
    /// The value ranges of a super-resolution network's input and output, determined by a trial. Nil if the options give
    /// them, if the network is of another kind, or if the trial is inconclusive.
    /// - Parameter lifted: The preprocessing that was lifted out of the graph.
    func pixelRange(
        _ graph: Graph, _ lifted: PixelScaling?, _ source: GraphSource, _ imported: Importer.Result
    ) -> PixelRangeTrial? {
        guard options.scale == nil, options.bias == nil, options.preprocessing == nil,
            let image = imported.images.first, !image.takesPixels,
            graph.firstPreprocessingNode(quantizing: source.definition.quantizingNodes) == nil, graph.enlargesImage
        else { return nil }
        // Any size will do; a small one is fast.
        var small: Graph?
        if image.isSizeOpen || options.size != nil {
            var options = options
            (options.size, options.openSize, options.sizes) = (nil, ImageSize(width: 64, height: 64), .fixed)
            (options.preprocessing, options.imageOutput, options.renamings) = (.raw, false, [])
            options.metadata = Metadata()
            (options.outputColor, options.outputScale, options.outputBias) = (nil, nil, nil)
            small = try? Converter(options).convertOneSize(source, labels: nil).model.graph
        }
        let tried = small ?? graph
        let channels = tried[tried.inputs[0].value].shape[3]
        let range = tried.outputs.first.flatMap { tried.range(of: $0.value) }
        return PixelRangeTrial.best(
            tried, inputs: lifted.map { [$0] } ?? PixelScaling.usual(channels),
            output: range.map { .overPixels($0, channels: channels) })
    }
}

extension Converter.Options {
    /// These options with the result of a conversion's trial, which then need not be repeated.
    func settled(by conversion: Conversion) -> Converter.Options {
        guard let range = conversion.pixelRange else { return self }
        var options = self
        if conversion.model.image?.lifted == nil {
            (options.scale, options.bias) = (range.input.scale, range.input.bias)
        }
        if let output = conversion.model.imageOutput, options.outputScale == nil, options.outputBias == nil {
            (options.outputScale, options.outputBias) = (output.scaling.scale, output.scaling.bias)
        }
        return options
    }
}

extension Graph {
    /// Whether it takes one image, and its first output is a larger image with the same number of channels.
    fileprivate var enlargesImage: Bool {
        guard inputs.count == 1, let output = outputs.first, self[output.value].element == .float32,
            let form = ImageForm(self[output.value].shape)
        else { return false }
        let shape = self[inputs[0].value].shape
        return shape.rank == 4 && shape[3] == form.channels && form.height > shape[1] && form.width > shape[2]
    }
}
