extension Normalization: CoreMLOperation {
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        let shape = inputs[0].shape
        let isOfInstances = shape.rank == 4 && axes == [2, 3]
        if isOfInstances, channels(scale, 1, shape) != nil, channels(offset, 0, shape) != nil { return nil }
        return parts.dialect.isProgram
            ? try decomposeForProgram(inputs[0], &parts) : try decomposeForNetwork(inputs[0], &parts)
    }

    private func decomposeForProgram(_ x: Operand, _ parts: inout Decomposition) throws -> Operand? {
        // Squares easily exceed the range of float16.
        if followsSize { return try parts.inFloat32 { try byReductions(x, &$0) } }
        // Factor and offset are part of the operation only if they have the shape of the axes.
        let isWhole = ofAxes(scale, x.shape) != nil && ofAxes(offset, x.shape) != nil
        guard !isWhole, scale != nil || offset != nil else { return nil }
        return try parts.add(
            [("normal", Normalization(axes: axes, epsilon: epsilon))] + affineSteps, to: x)
    }

    private func decomposeForNetwork(_ x: Operand, _ parts: inout Decomposition) throws -> Operand? {
        let shape = x.shape
        if !followsSize, shape.rank == 4, axes == [1, 2, 3], isByChannel(scale, shape), isByChannel(offset, shape) {
            return try asTallChannel(x, &parts)
        }
        // The layer contains the sizes of its axes; reductions do not.
        if followsSize, axes != [1, 2] { return try byReductions(x, &parts) }
        if ofLastAxes(scale, 1, shape) != nil, ofLastAxes(offset, 0, shape) != nil { return nil }
        // An image with its channels last, which the layer expects first.
        if shape.rank == 4, axes == [1, 2], let channelsFirst = reordered([Graph.toFirst], [TensorType(shape)]) {
            return try parts.add(
                [
                    ("first", Transpose(Graph.toFirst)), ("normal", channelsFirst.operation),
                    ("last", Transpose(Graph.toLast)),
                ],
                to: x)
        }
        return try byReductions(x, &parts)
    }

    // MARK: Decompositions

    /// Mean, difference, mean of squared differences, and the rest.
    private func byReductions(_ x: Operand, _ parts: inout Decomposition) throws -> Operand {
        let mean = Reduction(function: .mean, axes: axes, keepsAxes: true)
        let center = try parts.add(mean, x, as: "mean")
        let centered = try parts.add(Binary(.subtract), x, center, as: "centered")
        let square = try parts.add(Binary(.multiply), centered, centered, as: "square")
        let variance = try parts.add(mean, square, as: "variance")
        let inverse = try parts.add(Unary(.inverseDeviation(epsilon: epsilon)), variance, as: "inverse")
        let steps = affineSteps
        let normal = try parts.add(Binary(.multiply), centered, inverse, as: steps.isEmpty ? nil : "normal")
        return try parts.add(steps, to: normal)
    }

    /// A whole image with one value per channel: as an instance of one tall channel, so that nothing has to be
    /// broadcast.
    private func asTallChannel(_ x: Operand, _ parts: inout Decomposition) throws -> Operand {
        let shape = x.shape
        let tall: Shape = [shape[0], 1, shape[1] * shape[2], shape[3]]
        let steps: [(part: String, operation: any Operation)] = [
            ("image", Reshape(tall)), ("normal", Normalization(axes: [2, 3], epsilon: epsilon)),
            ("channels", Reshape(shape)),
        ]
        guard scale != nil || offset != nil else { return try parts.add(steps, to: x) }
        let affine = BatchNormalization(scale: channels(scale, 1, shape)!, offset: channels(offset, 0, shape)!)
        return try parts.add(steps + [("affine", affine)], to: x)
    }

    private var affineSteps: [(part: String, operation: any Operation)] {
        let scaled = scale.map { (part: "scaled", operation: Binary(.multiply, constant: $0) as any Operation) }
        let shifted = offset.map { (part: "shifted", operation: Binary(.add, constant: $0) as any Operation) }
        return [scaled, shifted].compactMap { $0 }
    }

    // MARK: Factors and offsets as layers have them

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

    /// The values in the shape of the axes, or nil if there are none or they have another shape.
    func ofAxes(_ constant: Tensor?, _ shape: Shape) -> Tensor? {
        let part = Shape(axes.map { shape[$0] })
        guard let constant, constant.elementCount == part.elementCount else { return nil }
        let padded = constant.shape.padded(to: shape.rank)
        return Shape(axes.map { padded[$0] }) == part ? constant.reshaped(part) : nil
    }

    /// The values broadcast to the shape of the axes, or nil if the axes are not the last ones or the values vary along
    /// others.
    func ofLastAxes(_ constant: Tensor?, _ absent: Float, _ shape: Shape) -> Tensor? {
        guard Normalization.areLast(axes, shape.rank) else { return nil }
        let part = Shape(axes.map { shape[$0] })
        guard let constant else { return Tensor([Float](repeating: absent, count: part.elementCount), shape: part) }
        let padded = constant.shape.padded(to: shape.rank)
        guard padded.prefix(shape.rank - axes.count).allSatisfy({ $0 == 1 }) else { return nil }
        return BroadcastTo(shape: part).evaluate([constant.reshaped(Shape(padded.suffix(axes.count))).asFloat32])[0]
    }
}
