@testable import Thaw

/// Draws one step of a random graph: an operation, its parameters, and the values it reads.
enum RandomStep {
    typealias Maker = @Sendable (inout Draw, inout GraphBuilder, Graph.Value, [Graph.Value]) throws -> [Graph.Value]

    /// - Returns: The new values; none if the operation does not fit any existing value.
    static func run(_ draw: inout Draw, _ builder: inout GraphBuilder, _ values: [Graph.Value]) throws -> [Graph.Value]
    {
        let maker = draw.element(makers)
        // Recent values are preferred, so that graphs become deep.
        let back = min(draw.int(0...values.count - 1), draw.int(0...values.count - 1), draw.int(0...2))
        let value = values[values.count - 1 - min(back, values.count - 1)]
        guard builder[value].shape.rank > 0 else { return [] }
        let before = builder
        do { return try maker(&draw, &builder, value, values) } catch is Failure {
            builder = before
            return []
        }
    }

    private static let makers: [Maker] =
        [
            convolution, convolution, convolution, depthwise, pooling, unary, unary, written, constant, constant,
            twoInputs,
            twoInputs, residual, batchNormalization, normalization, lengths, softmax, concatenation, concatenation,
            reshape, transpose, pad, slice, split, dense, product, reduction, squeezeAndExcite, select, tile, gather,
        ]

    // MARK: Layers

    static func window(_ draw: inout Draw, _ size: Int) -> Window.Axis? {
        let kernel = draw.element([1, 1, 2, 3, 3, 5])
        let dilation = kernel > 1 && draw.chance(oneIn: 5) ? 2 : 1
        let reach = (kernel - 1) * dilation
        let axis = Window.Axis(
            size: kernel, stride: draw.element([1, 1, 1, 2, 3]), dilation: dilation,
            before: draw.int(0...reach), after: draw.int(0...reach))
        return size + axis.before + axis.after > reach ? axis : nil
    }

    static func image(_ builder: GraphBuilder, _ value: Graph.Value) -> Shape? {
        let shape = builder[value].shape
        return shape.rank == 4 && builder[value].element == .float32 ? shape : nil
    }

    static let convolution: Maker = { draw, builder, value, _ in
        guard let shape = image(builder, value), let height = window(&draw, shape[1]),
            let width = window(&draw, shape[2])
        else { return [] }
        let groups = draw.chance(oneIn: 6) && shape[3] % 4 == 0 ? 4 : 1
        let outputs = draw.element([1, 3, 7, 16, 16, 20, 32]) * (groups == 1 ? 1 : 4)
        let scale = 1.5 / Float(height.size * width.size * shape[3] / groups).squareRoot()
        let operation = Convolution(
            filters: draw.tensor([height.size, width.size, shape[3] / groups, outputs], scale: scale),
            bias: draw.chance(oneIn: 3) ? nil : draw.tensor([outputs]), window: Window(height: height, width: width))
        let image = try builder.one(operation, value)
        return draw.chance(oneIn: 2) ? [image] : [try builder.one(Unary(draw.element(functions)), image)]
    }

    static let depthwise: Maker = { draw, builder, value, _ in
        guard let shape = image(builder, value), let height = window(&draw, shape[1]),
            let width = window(&draw, shape[2])
        else { return [] }
        let multiplier = draw.chance(oneIn: 4) ? 2 : 1
        let operation = DepthwiseConvolution(
            filters: draw.tensor([height.size, width.size, shape[3], multiplier]),
            bias: draw.chance(oneIn: 3) ? nil : draw.tensor([shape[3] * multiplier]),
            window: Window(height: height, width: width))
        return [try builder.one(operation, value)]
    }

    static let pooling: Maker = { draw, builder, value, _ in
        guard let shape = image(builder, value), var height = window(&draw, shape[1]),
            var width = window(&draw, shape[2])
        else { return [] }
        // A window entirely in the padding has no value.
        func held(_ axis: inout Window.Axis) {
            axis.dilation = 1
            axis.before = min(axis.before, axis.size - 1)
            axis.after = min(axis.after, axis.size - 1)
        }
        held(&height)
        held(&width)
        let isMaximum = draw.chance(oneIn: 2)
        return [
            try builder.one(
                Pooling(
                    function: isMaximum ? .maximum : .average, window: Window(height: height, width: width),
                    countsPadding: !isMaximum && draw.chance(oneIn: 2)), value)
        ]
    }

    static let dense: Maker = { draw, builder, value, _ in
        var value = value
        let shape = builder[value].shape
        if shape.rank > 2, shape.elementCount / shape[0] <= 2048 {
            value = try builder.one(Reshape([shape[0], shape.elementCount / shape[0]]), value)
        }
        guard builder[value].shape.rank == 2 else { return [] }
        let inputs = builder[value].shape[1]
        let outputs = draw.element([1, 5, 16, 33])
        return [
            try builder.one(
                Dense(
                    matrix: draw.tensor([inputs, outputs], scale: 1.5 / Float(inputs).squareRoot()),
                    bias: draw.chance(oneIn: 3) ? nil : draw.tensor([outputs])), value)
        ]
    }

    // MARK: Sums and distributions

    static let batchNormalization: Maker = { draw, builder, value, _ in
        guard let channels = builder[value].shape.last, image(builder, value) != nil else { return [] }
        return [
            try builder.one(
                BatchNormalization(scale: draw.tensor([channels]) { $0 + 1.5 }, offset: draw.tensor([channels])), value)
        ]
    }

    static func axes(_ draw: inout Draw, _ rank: Int) -> [Int] {
        if rank == 4, !draw.chance(oneIn: 4) { return draw.element([[1, 2], [1, 2, 3], [3], [3]]) }
        return draw.chance(oneIn: 3) ? (0..<rank).filter { _ in draw.chance(oneIn: 2) } : [rank - 1]
    }

    static let normalization: Maker = { draw, builder, value, _ in
        let shape = builder[value].shape
        let axes = axes(&draw, shape.rank)
        guard let channels = shape.last, !axes.isEmpty else { return [] }
        // A single element has no variance, and a small variance amplifies errors.
        let normalization = Normalization(
            axes: axes, epsilon: 0.05, scale: draw.chance(oneIn: 3) ? nil : draw.tensor([channels]) { $0 + 1.5 },
            offset: draw.chance(oneIn: 3) ? nil : draw.tensor([channels]))
        return [try builder.one(normalization, value)]
    }

    static let lengths: Maker = { draw, builder, value, _ in
        let axes = axes(&draw, builder[value].shape.rank)
        return axes.isEmpty ? [] : [try builder.one(L2Normalization(axes: axes, epsilon: 0.05), value)]
    }

    static let softmax: Maker = { draw, builder, value, _ in
        let rank = builder[value].shape.rank
        return [
            try builder.one(
                Softmax(
                    axis: draw.chance(oneIn: 3) ? draw.int(0...rank - 1) : rank - 1,
                    isLogarithmic: draw.chance(oneIn: 4)),
                value)
        ]
    }

    static let reduction: Maker = { draw, builder, value, _ in
        let axes = axes(&draw, builder[value].shape.rank)
        let function = draw.element([Reduction.Function.mean, .mean, .sum, .maximum, .minimum])
        guard !axes.isEmpty else { return [] }
        return [try builder.one(Reduction(function: function, axes: axes, keepsAxes: draw.chance(oneIn: 2)), value)]
    }

    static let product: Maker = { draw, builder, value, _ in
        let rank = builder[value].shape.rank
        guard rank >= 2 else { return [] }
        let isFirst = draw.chance(oneIn: 2)
        // With its own transpose, which always fits.
        let product = try builder.one(MatrixProduct(transposeFirst: isFirst, transposeSecond: !isFirst), value, value)
        return [try builder.one(Binary(.multiply, constant: Tensor([0.1], shape: [])), product)]
    }

    static let select: Maker = { draw, builder, value, _ in
        // The condition must not depend on rounding, so it compares 0, computed from the value, with random constants.
        let condition = try builder.one(
            Binary(.greater, constant: draw.tensor(builder[value].shape)),
            builder.one(Binary(.multiply, constant: Tensor([0], shape: [])), value))
        return [try builder.one(Select(), condition, value, builder.one(Unary(.negate), value))]
    }
}
