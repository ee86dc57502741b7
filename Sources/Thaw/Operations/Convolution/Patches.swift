/// Image patches: every pixel under the window becomes a separate channel, as in a convolution with one-hot filters.
/// They turn a convolution with computed filters into a matrix product.
enum Patches {
    /// The highest element count of the filters of all channels: enough for windows of 3×3 pixels of 900 channels.
    private static let largestFilters = 1 << 26

    /// One-hot filters for every pixel under a window: height, width, channel, and the same flattened to one axis.
    fileprivate static func filters(height: Int, width: Int, channels: Int, name: String) throws -> Tensor {
        let count = height * width * channels
        let shape: Shape = [height, width, channels, count]
        guard shape.checkedCount ?? .max <= largestFilters else {
            throw Failure.constantTooLarge(shape, limit: largestFilters).at(name)
        }
        return Tensor(shape: shape) { weights in
            weights.update(repeating: 0)
            for i in 0..<count { weights[i * count + i] = 1 }
        }
    }

    /// One-hot filters for every pixel under a window, for each channel separately: height, width, channel, and the pixels
    /// flattened to one axis.
    /// - Throws: `Failure` if they would be too large.
    fileprivate static func channelFilters(_ window: Window, channels: Int) throws -> Tensor {
        let taps = window.height.size * window.width.size
        let shape: Shape = [window.height.size, window.width.size, channels, taps]
        try ImportContext.checkConstant(shape)
        return Tensor(shape: shape) { weights in
            weights.update(repeating: 0)
            for tap in 0..<taps {
                for channel in 0..<channels { weights[(tap * channels + channel) * taps + tap] = 1 }
            }
        }
    }

    static let tensorFlow = [
        TensorFlowRule("ExtractImagePatches", axes: .channelsLast, roles: []) { node, context in
            let image = try context.asFloats(node.input(0), name: node.name + "/floats")
            try node.requireImage(image)
            let sizes = try node.ints("ksizes", default: [])
            guard sizes.count == 4, sizes.allSatisfy((1..<1 << 12).contains), sizes[0] == 1, sizes[3] == 1 else {
                throw Failure.badAttribute(node.name, node.op, "ksizes")
            }
            let window = try node.window(
                height: sizes[1], width: sizes[2], over: image.shape, dilationKey: "rates")
            return [try context.patches(image, window, name: node.name)]
        }
    ]
}

extension ImportContext {
    /// The pixels under the window at each position, row by row with their channels, along the last axis.
    fileprivate mutating func patches(_ image: Operand, _ window: Window, name: String) throws -> Operand {
        let filters = try Patches.filters(
            height: window.height.size, width: window.width.size, channels: image.shape[3], name: name)
        return try add(Convolution(filters: filters, window: window), image, name: name)
    }

    /// A convolution with computed filters (height, width, inputs, outputs).
    mutating func convolve(_ image: Operand, _ filters: Operand, _ window: Window, name: String) throws -> Operand {
        guard filters.shape[2] == image.shape[3] else {
            throw Failure.channelMismatch(image.shape[3], filters.shape[2]).at(name)
        }
        var (columns, ordered) = (image, filters)
        if !window.isPointwise {
            let oneHot = try naming(location: name) {
                try Patches.channelFilters(window, channels: image.shape[3])
            }
            columns = try add(
                DepthwiseConvolution(filters: oneHot, window: window), image, name: name + "/patches")
            ordered = try add(Transpose([2, 0, 1, 3]), filters, name: name + "/ordered")
        }
        let (depth, outputs) = (columns.shape[3], filters.shape[3])
        let rows = try add(
            Reshape([columns.shape.dropLast().reduce(1, *), depth]), columns, name: name + "/rows")
        let matrix = try add(Reshape([depth, outputs]), ordered, name: name + "/matrix")
        let result = try product(MatrixProduct(), rows, matrix, name: name)
        return try add(Reshape(Shape(columns.shape.dropLast() + [outputs])), result, name: name + "/shape")
    }

    /// A transposed convolution with computed filters (height, width, outputs, inputs).
    mutating func transposedConvolution(_ image: Operand, _ filters: Operand, _ window: Window, name: String) throws
        -> Operand
    {
        let (outputs, channels) = (filters.shape[2], filters.shape[3])
        let taps = window.height.size * window.width.size * outputs
        guard channels == image.shape[3] else { throw Failure.channelMismatch(image.shape[3], channels).at(name) }
        let rows = try add(Reshape([image.shape.dropLast().reduce(1, *), channels]), image, name: name + "/rows")
        let matrix = try add(Reshape([taps, channels]), filters, name: name + "/matrix")
        let result = try product(MatrixProduct(transposeSecond: true), rows, matrix, name: name + "/product")
        let columns = try add(Reshape(Shape(image.shape.dropLast() + [taps])), result, name: name + "/shape")
        let oneHot = try Patches.filters(
            height: window.height.size, width: window.width.size, channels: outputs, name: name)
        return try add(TransposedConvolution(filters: oneHot, window: window), columns, name: name)
    }
}
