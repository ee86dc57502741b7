extension Model {
    /// The preprocessing as one formula per channel of each image, with the image's name if there are several.
    public var formulas: [String] {
        let images = images
        return images.flatMap { image in
            images.count == 1 ? image.formulas : image.formulas.map { "\(image.name), \($0)" }
        }
    }
}

extension Model {
    /// The graph with pixels instead of the network's values at its image output: batch, height, width, channel, not yet
    /// rounded. If no output is an image, the graph itself.
    func graphOfPixels() throws -> Graph {
        guard let image = imageOutput else { return graph }
        let name = graph.outputs[image.index].name
        let pixels = try graph.rebuiltOutputs { index, value, builder in
            guard index == image.index else { return value }
            func add(_ operation: any Operation, _ input: Graph.Value, _ part: String) throws -> Graph.Value {
                try builder.add(operation, [input], name: name + "/" + part)[0]
            }
            var value = value
            if builder[value].shape != image.form.shape { value = try add(Reshape(image.form.shape), value, "shape") }
            if image.form.isChannelsFirst { value = try add(Transpose(Graph.toLast), value, "order") }
            if !image.scaling.isIdentity {
                value = try add(
                    BatchNormalization(ChannelArithmetic(scale: image.scaling.scale, offset: image.scaling.bias)),
                    value, "pixels"
                )
            }
            return image.exceedsPixels ? try add(Unary(.clip(0, 255)), value, "bounds") : value
        }
        // Removes transposes to channels first that only this output needed.
        return try pixels.reordered(to: .channelsLast).withoutIdentities()
    }

    /// The inverse of `graphOfPixels`: removes the scaling from the end of a graph that returns pixels, if it is there.
    /// - Parameters:
    ///   - scaling: The scaling to remove; nil means that the pixels are the network's own values.
    ///   - hasBounds: Whether the pixels are clamped to 0 and 255 after the scaling.
    func withoutPixels(_ scaling: PixelScaling?, hasBounds: Bool) throws -> Model {
        guard let scaling, var image = imageOutput else { return self }
        let producers = graph.producers
        var value = graph.outputs[image.index].value
        image.exceedsPixels = hasBounds
        if hasBounds {
            guard let node = producers[value], node.operation.bound == Bound(low: 0, high: 255) else { return self }
            value = node.inputs[0]
        }
        var found = ChannelArithmetic.identity(channels: image.form.channels)
        while !found.isClose(to: scaling) {
            guard let node = producers[value], node.inputs.count == 1 else { return self }
            let input = graph[node.inputs[0]]
            if !node.operation.keepsElements {
                // Channels-first operations are examined in their channels-last form.
                let isFirst = image.form.isChannelsFirst && input.shape.rank == 4
                let operation = isFirst ? node.operation.reordered([Graph.toLast], [input])?.operation : node.operation
                let type = isFirst ? TensorType(input.shape.permuted(Graph.toLast), input.element) : input
                guard let operation,
                    let arithmetic = ChannelArithmetic(operation, on: type)?.of(channels: image.form.channels)
                else { return self }
                found = arithmetic.followed(by: found)
            }
            // The tensor before the reshape or transpose must be an image too.
            guard let form = ImageForm(input.shape, mayBeLine: true),
                (form.width, form.height) == (image.form.width, image.form.height),
                form.channels == image.form.channels
            else { return self }
            // A transpose of a square image may exchange its rows and columns.
            let (height, target) = (form.heightAxis(input), image.form.heightAxis(graph[value]))
            for offset in 0...1 where node.operation.keepsElements {
                let use = node.operation.use(ofAxis: height + offset, of: 0, [input])
                guard use == .kept(target + offset) || use == .regrouped else { return self }
            }
            image.form = form
            value = node.inputs[0]
        }
        image.scaling = scaling
        var model = self
        model.graph.outputs[image.index].value = value
        model.graph = model.graph.pruned()
        model.imageOutput = image
        return model
    }
}

extension ChannelArithmetic {
    fileprivate static func identity(channels: Int) -> ChannelArithmetic {
        ChannelArithmetic(
            scale: Array(repeating: 1, count: channels), offset: Array(repeating: 0, count: channels))
    }

    /// The same for this number of channels: unchanged, or repeated if all channels are equal.
    fileprivate func of(channels: Int) -> ChannelArithmetic? {
        if scale.count == channels { return self }
        guard let factor = scale.first, let summand = offset.first, scale.allSatisfy({ $0 == factor }),
            offset.allSatisfy({ $0 == summand })
        else { return nil }
        return ChannelArithmetic(
            scale: Array(repeating: factor, count: channels), offset: Array(repeating: summand, count: channels))
    }

    /// Whether it equals this scaling, up to rounding to half precision.
    fileprivate func isClose(to scaling: PixelScaling) -> Bool {
        zip(scale + offset, scaling.scale + scaling.bias).allSatisfy { abs($0 - $1) <= 0x1p-10 * max(1, abs($1)) }
    }
}
