extension Normalization: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let shape = node.input.shape
        if shape.rank == 4, axes == [2, 3], let scale = channels(scale, 1, shape),
            let offset = channels(offset, 0, shape)
        {
            return layers.add(node) { $0.writeInstance(epsilon, scale, offset) }
        }
        // A whole image with one value per channel: as instances of one tall channel, so that nothing has to be
        // broadcast.
        if !followsSize, shape.rank == 4, axes == [1, 2, 3], isByChannel(scale, shape), isByChannel(offset, shape) {
            return try writeImage(node, to: &layers)
        }
        try layers.requireExactArrays()
        // The layer contains the sizes of its axes; reductions do not.
        if followsSize, axes != [1, 2] { return try writeParts(node, to: &layers) }
        if Normalization.areLast(axes, shape.rank), let scale = last(scale, 1, shape),
            let offset = last(offset, 0, shape)
        {
            return layers.add(node) { layer in
                layer.layerNormalization.normalizedShape = scale.shape.dimensions
                layer.layerNormalization.eps = epsilon
                layer.layerNormalization.gamma = .weights(scale)
                layer.layerNormalization.beta = .weights(offset)
            }
        }
        if shape.rank == 4, axes == [1, 2], let turned = reordered([Graph.toFirst], [TensorType(shape)]) {
            return try write(turned.operation as! Normalization, betweenTransposes: node, to: &layers)
        }
        try writeParts(node, to: &layers)
    }

    /// An image with its channels last, which the layer expects first.
    private func write(
        _ turned: Normalization, betweenTransposes node: NeuralNode, to layers: inout NeuralLayers
    ) throws {
        let shape = node.input.shape.permuted(Graph.toFirst)
        let first = NeuralBlob(name: node.output.name + "/first", shape: shape)
        let normal = NeuralBlob(name: node.output.name + "/normal", shape: shape)
        try Transpose(Graph.toFirst).write(
            NeuralNode(name: node.name + "/first", inputs: node.inputs, outputs: [first]), to: &layers)
        try turned.write(NeuralNode(name: node.name + "/normal", inputs: [first], outputs: [normal]), to: &layers)
        try Transpose(Graph.toLast).write(
            NeuralNode(name: node.name, inputs: [normal], outputs: node.outputs), to: &layers)
    }

    private func isByChannel(_ constant: Tensor?, _ shape: Shape) -> Bool {
        guard let constant, constant.elementCount > 1 else { return true }
        let padded = constant.shape.padded(to: 4)
        return padded[1] == constant.elementCount && padded[1] == shape[1]
    }

    /// One value per channel of an image, or nil if the values vary within a channel.
    func channels(_ constant: Tensor?, _ absent: Float, _ shape: Shape) -> Tensor? {
        guard isByChannel(constant, shape) else { return nil }
        guard let constant, constant.elementCount > 1 || shape[1] == 1 else {
            return Tensor([Float](repeating: constant?.floats[0] ?? absent, count: shape[1]), shape: [shape[1]])
        }
        return constant.reshaped([shape[1]])
    }

    /// The values for the axes, broadcast to their shape, or nil if they vary along other axes.
    private func last(_ constant: Tensor?, _ absent: Float, _ shape: Shape) -> Tensor? {
        let part = Shape(axes.map { shape[$0] })
        guard let constant else { return Tensor([Float](repeating: absent, count: part.elementCount), shape: part) }
        let own = constant.shape.padded(to: shape.rank)
        guard own.prefix(shape.rank - axes.count).allSatisfy({ $0 == 1 }) else { return nil }
        return BroadcastTo(shape: part).evaluate([constant.reshaped(Shape(own.suffix(axes.count))).asFloat32])[0]
    }

    /// Reshape, instance normalization, reshape, scale.
    private func writeImage(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        let shape = node.input.shape
        let tall: Shape = [shape[0], 1, shape[1] * shape[2], shape[3]]
        let one = Tensor([1], shape: [1])
        func part(_ name: String, _ shape: Shape) -> NeuralBlob {
            NeuralBlob(name: node.output.name + "/" + name, shape: shape)
        }
        let image = part("image", tall)
        try Reshape(tall).write(
            NeuralNode(name: node.name + "/image", inputs: node.inputs, outputs: [image]), to: &layers)
        let normal = part("normal", tall)
        layers.add(node.name + "/normal", [image], [normal]) { $0.writeInstance(epsilon, one, Tensor([0], shape: [1])) }
        guard scale != nil || offset != nil else {
            return try Reshape(shape).write(
                NeuralNode(name: node.name, inputs: [normal], outputs: node.outputs), to: &layers)
        }
        let back = part("channels", shape)
        try Reshape(shape).write(
            NeuralNode(name: node.name + "/channels", inputs: [normal], outputs: [back]), to: &layers)
        let channels: Shape = [shape[1], 1, 1]
        layers.add(node.name, [back], node.outputs) { layer in
            layer.scale.shapeScale = channels.dimensions
            layer.scale.scale = .weights(self.channels(scale, 1, shape)!)
            layer.scale.hasBias = true
            layer.scale.shapeBias = channels.dimensions
            layer.scale.bias = .weights(self.channels(offset, 0, shape)!)
        }
    }

    /// For any axes: mean, difference, mean of squared differences, and the rest.
    private func writeParts(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        var narrow = node
        for axis in axes { narrow.outputs[0].shape[axis] = 1 }
        func mean(_ name: String, _ input: NeuralBlob) -> NeuralBlob {
            layers.addPart(narrow, name, [input]) { layer in
                layer.reduceMean.axes = axes
                layer.reduceMean.keepDims = true
            }
        }
        let center = mean("mean", node.input)
        let centered = layers.addPart(node, "centered", [node.input, center]) { $0.choose("subtractBroadcastable") }
        let square = layers.addPart(node, "square", [centered, centered]) { $0.choose("multiply") }
        let variance = mean("variance", square)
        let inverse = layers.addPart(narrow, "inverse", [variance]) { layer in
            layer.writePower(-0.5)
            layer.unary.shift = epsilon
        }
        let steps = [scale.map { Binary(.multiply, constant: $0) }, offset.map { Binary(.add, constant: $0) }]
            .compactMap { $0 }
        let isLast = steps.isEmpty
        var value = NeuralBlob(name: node.output.name + (isLast ? "" : "/normal"), shape: node.output.shape)
        layers.add(node.name + (isLast ? "" : "/normal"), [centered, inverse], [value]) {
            $0.choose("multiplyBroadcastable")
        }
        for (index, step) in steps.enumerated() {
            let name = index == steps.count - 1 ? "" : "/scaled"
            let result = NeuralBlob(name: node.output.name + name, shape: node.output.shape)
            try step.write(NeuralNode(name: node.name + name, inputs: [value], outputs: [result]), to: &layers)
            value = result
        }
    }
}

extension Message {
    /// Configures a layer that normalizes each channel of each image.
    fileprivate mutating func writeInstance(_ epsilon: Float, _ scale: Tensor, _ offset: Tensor) {
        self.batchnorm.channels = scale.elementCount
        self.batchnorm.computeMeanVar = true
        self.batchnorm.instanceNormalization = true
        // 0 would select the default 1e-5.
        self.batchnorm.epsilon = epsilon == 0 ? Float.leastNonzeroMagnitude : epsilon
        self.batchnorm.gamma = .weights(scale)
        self.batchnorm.beta = .weights(offset)
    }
}

// MARK: Reading

extension Normalization {
    static let neural = [
        NeuralRule("layerNormalization") { layer, reading in
            let shape = reading.shape(try layer.input())
            let part: [Int] = layer.parameters.normalizedShape
            guard !part.isEmpty, part.count <= shape.rank, Array(shape.suffix(part.count)) == part else {
                throw layer.refused("a normalization of \(Shape(part)) does not fit a tensor of shape \(shape)")
            }
            let normalization = Normalization(
                axes: Array(shape.rank - part.count..<shape.rank), epsilon: layer.parameters.eps,
                scale: try layer.weights(layer.parameters.gamma, Shape(part)).unless(1),
                offset: try layer.weights(layer.parameters.beta, Shape(part)).unless(0))
            return [try reading.add(normalization, [layer.input()], layer)]
        }
    ]

    /// Imports statistics that are computed for each image or for the batch: a mode of the layer `batchnorm`.
    static func read(_ layer: NeuralLayer, _ reading: inout NeuralReading, channels: Int, epsilon: Float) throws
        -> Graph.Value
    {
        let shape: Shape = [channels, 1, 1]
        let normalization = Normalization(
            axes: layer.parameters.instanceNormalization ? [2, 3] : [0, 2, 3], epsilon: epsilon,
            scale: try layer.weights(layer.parameters.gamma, shape).unless(1),
            offset: try layer.weights(layer.parameters.beta, shape).unless(0))
        return try reading.add(normalization, [layer.input()], layer)
    }
}
