/// Core ML's convolutions, channels first, over one axis (sequences), two (images) or three (volumes).
extension ImportContext {
    /// - Parameters:
    ///   - filters: Output channels, channels of a group, and the window's axes.
    ///   - bias: One value per output channel.
    mutating func convolved(
        _ x: Operand, _ filters: Operand, _ bias: Operand?, _ axes: [Window.Axis], groups: Int,
        _ node: some SourceNode
    ) throws -> Operand {
        let shape = filters.shape
        switch axes.count {
        case 1:
            let flat = try reshaped(filters, [shape[0], shape[1], 1, shape[2]], node)
            return try asImage(x, node) { image, reading in
                try reading.convolved(image, flat, bias, [Window.Axis(size: 1)] + axes, groups: groups, node)
            }
        case 2:
            let window = Window(height: axes[0], width: axes[1])
            guard let known = filters.constant else {
                let sum = try convolvedByComputed(x, filters, window, groups: groups, node)
                return try shifted(sum, by: bias, node)
            }
            let fixed = bias?.constant
            let sum = try convolved(x, known.asFloat32, fixed, window, groups: groups, node)
            return fixed == nil ? try shifted(sum, by: bias, node) : sum
        default:
            guard let known = filters.constant else { throw Failure.computedVolumeFilters(node.location) }
            let plane = Window(height: axes[1], width: axes[2])
            let sum = try convolvedVolume(x, known.asFloat32, depth: axes[0], plane, groups: groups, node)
            return try shifted(sum, by: bias, node)
        }
    }

    /// A convolution of a volume with known filters: the sum of those of its slices, one per tap along the depth.
    private mutating func convolvedVolume(
        _ x: Operand, _ filters: Tensor, depth: Window.Axis, _ plane: Window, groups: Int, _ node: some SourceNode
    ) throws -> Operand {
        try volume(x, depth, filling: 0, node) { slices, tap, reading in
            try reading.convolved(slices, filters.depthSlice(tap), nil, plane, groups: groups, node)
        } combining: {
            try $2.combine(.add, $0, $1, node)
        }
    }

    /// A convolution of an image with known filters.
    private mutating func convolved(
        _ image: Operand, _ filters: Tensor, _ bias: Tensor?, _ window: Window, groups: Int,
        _ node: some SourceNode
    ) throws -> Operand {
        let shape = filters.shape
        guard shape[1] == 1, groups > 1 else {
            let convolution = Convolution(filters: filters.transposed([2, 3, 1, 0]), bias: bias, window: window)
            return try add(convolution, image, node)
        }
        let depthwise = filters.transposed([2, 3, 0, 1]).reshaped([shape[2], shape[3], groups, shape[0] / groups])
        return try add(DepthwiseConvolution(filters: depthwise, bias: bias, window: window), image, node)
    }

    /// A convolution of an image with computed filters: the product of the filters with the pixels under the window.
    private mutating func convolvedByComputed(
        _ image: Operand, _ filters: Operand, _ window: Window, groups: Int, _ node: some SourceNode
    ) throws -> Operand {
        let outputs = filters.shape[0] / groups
        guard groups > 1 || !window.isPointwise else { return try pixelProducts(image, filters, node) }
        let columns = try collected(image, window, node)
        let (batch, height, width) = (columns.shape[0], columns.shape[2], columns.shape[3])
        let depth = columns.shape[1] / groups
        let parts = try reshaped(columns, [batch, groups, depth, height * width], node)
        let matrices = try reshaped(filters, [1, groups, outputs, depth], node)
        let product = try add(MatrixProduct(), [matrices, parts], node)[0]
        return try reshaped(product, [batch, groups * outputs, height, width], node)
    }

    /// The product of computed filters of one pixel with each pixel. The rest of the graph has the channels last, so the
    /// transpositions disappear.
    private mutating func pixelProducts(_ image: Operand, _ filters: Operand, _ node: some SourceNode) throws -> Operand
    {
        let (batch, height, width) = (image.shape[0], image.shape[2], image.shape[3])
        let (outputs, depth) = (filters.shape[0], image.shape[1])
        let rows = try reshaped(
            add(Transpose([0, 2, 3, 1]), image, node), [batch, height * width, depth], node)
        let matrix = try reshaped(filters, [1, outputs, depth], node)
        let product = try add(MatrixProduct(transposeSecond: true), [rows, matrix], node)[0]
        return try add(Transpose([0, 3, 1, 2]), reshaped(product, [batch, height, width, outputs], node), node)
    }

    /// The pixels under the window at each position as channels: all pixels of the first channel, row by row, then those of
    /// the second one, and so on.
    private mutating func collected(_ image: Operand, _ window: Window, _ node: some SourceNode) throws -> Operand {
        guard !window.isPointwise else { return image }
        let axes = [window.height, window.width]
        guard axes.allSatisfy({ $0.size <= Self.largestComputed }) else {
            throw Failure.largeComputedFilters(axes.map(\.size), limit: Self.largestComputed, node.location)
        }
        let size = try naming(location: node.location) {
            try window.outputSize(height: image.shape[2], width: image.shape[3])
        }
        let (batch, channels) = (image.shape[0], image.shape[1])
        var result = try reshaped(image, [batch, channels, 1, image.shape[2], image.shape[3]], node)
        if window.hasPadding {
            let pad = Pad(before: [0, 0, 0] + axes.map(\.before), after: [0, 0, 0] + axes.map(\.after))
            result = try add(pad, result, node)
        }
        result = try taps(of: result, axis: 3, window.height, size.height, node)
        let rows = channels * window.height.size
        result = try reshaped(result, [batch, rows, 1, size.height, result.shape[4]], node)
        result = try taps(of: result, axis: 4, window.width, size.width, node)
        return try reshaped(result, [batch, rows * window.width.size, size.height, size.width], node)
    }

    /// The largest window of computed filters along an axis. Each tap takes a node.
    private static let largestComputed = 256

    /// The values under each tap of a window along an axis, at `count` positions, along the third axis.
    private mutating func taps(
        of x: Operand, axis: Int, _ window: Window.Axis, _ count: Int, _ node: some SourceNode
    ) throws -> Operand {
        let parts = try (0..<window.size).map {
            try slice(x, axis: axis, $0 * window.dilation, count, step: window.stride, node)
        }
        return parts.count == 1 ? parts[0] : try add(Concatenation(axis: 2), parts, node)[0]
    }

    /// The sum with one value per channel; the channels are the second axis.
    private mutating func shifted(_ x: Operand, by bias: Operand?, _ node: some SourceNode) throws -> Operand {
        guard let bias else { return x }
        let shape = Shape([x.shape[1]] + Array(repeating: 1, count: x.shape.rank - 2))
        return try combine(.add, x, reshaped(bias, shape, node), node)
    }

    /// Indices from `start` along an axis.
    mutating func slice(
        _ x: Operand, axis: Int, _ start: Int, _ count: Int, step: Int = 1, _ node: some SourceNode
    ) throws -> Operand {
        guard start != 0 || count != x.shape[axis] || step != 1 else { return x }
        let range = StridedSlice.Range(start: start, count: count, step: step)
        return try add(StridedSlice(range, along: axis, of: x.shape), x, node)
    }
}

// MARK: Transposed convolutions

extension ImportContext {
    /// - Parameters:
    ///   - filters: Input channels, output channels of a group, and the window's axes.
    ///   - bias: One value per output channel.
    mutating func transposedConvolution(
        _ x: Operand, _ filters: Tensor, _ bias: Tensor?, _ axes: [Window.Axis], groups: Int,
        _ node: some SourceNode
    ) throws -> Operand {
        let shape = filters.shape
        switch axes.count {
        case 1:
            let flat = filters.reshaped([shape[0], shape[1], 1, shape[2]])
            return try asImage(x, node) { image, reading in
                try reading.transposedConvolution(
                    image, flat, bias, [Window.Axis(size: 1)] + axes, groups: groups, node)
            }
        case 2:
            let convolution = TransposedConvolution(
                filters: filters.transposed([2, 3, 1, 0]), bias: bias,
                window: Window(height: axes[0], width: axes[1]), groups: groups)
            return try add(convolution, x, node)
        default:
            let sum = try transposedVolume(
                x, filters, depth: axes[0], Array(axes.dropFirst()), groups: groups, node)
            return try shifted(sum, by: bias.map { .constant($0) }, node)
        }
    }

    /// A transposed convolution of a volume: the sum of those of its slices, one per tap along the depth.
    private mutating func transposedVolume(
        _ x: Operand, _ filters: Tensor, depth: Window.Axis, _ plane: [Window.Axis], groups: Int,
        _ node: some SourceNode
    ) throws -> Operand {
        guard depth.size > 0 else { throw Failure.emptyWindow([depth.size]).at(node.location) }
        let count = x.shape[2]
        let slices = try sliceImages(add(Self.swappingDepth, x, node), node)
        var sum: Operand?
        for tap in 0..<depth.size {
            let images = try transposedConvolution(slices, filters.depthSlice(tap), nil, plane, groups: groups, node)
            let volume = try spread(images, batch: x.shape[0], count: count, tap, depth, node)
            sum = try sum.map { try combine(.add, $0, volume, node) } ?? volume
        }
        var result = sum!
        let length = depth.transposedSize(count)
        guard length > 0 else { throw Failure.sliceOutside(result.shape).at(node.location) }
        if depth.after < 0 {
            result = try add(Pad(before: [0, 0, 0, 0, 0], after: [0, -depth.after, 0, 0, 0]), result, node)
        }
        result = try slice(result, axis: 1, depth.before, length, node)
        return try add(Self.swappingDepth, result, node)
    }

    /// The images of one tap, for `batch` volumes of `count` slices, at the depths that the tap writes.
    private mutating func spread(
        _ images: Operand, batch: Int, count: Int, _ tap: Int, _ depth: Window.Axis, _ node: some SourceNode
    ) throws -> Operand {
        let size = images.shape.dropFirst().reduce(1, *)
        // Zeros between the slices, and at the positions that only other taps write.
        let apart = try add(
            Pad(before: [0, 0, 0, 0], after: [0, 0, depth.stride - 1, 0]),
            reshaped(images, [batch, count, 1, size], node), node)
        let long = try reshaped(apart, [batch, count * depth.stride, size], node)
        let placed = try add(
            Pad(before: [0, tap * depth.dilation, 0], after: [0, depth.extent - 1 - tap * depth.dilation, 0]),
            slice(long, axis: 1, 0, (count - 1) * depth.stride + 1, node), node)
        return try reshaped(placed, Shape([batch, placed.shape[1]] + images.shape.dropFirst()), node)
    }
}

// MARK: Sequences and volumes

extension ImportContext {
    /// Swaps the channels and the depth of a volume.
    private static let swappingDepth = Transpose([0, 2, 1, 3, 4])

    /// A function of images applied to a sequence (batch, channel, length), as an image of one row.
    mutating func asImage(
        _ x: Operand, _ node: some SourceNode, _ body: (Operand, inout ImportContext) throws -> Operand
    ) throws -> Operand {
        let shape = x.shape
        let image = try reshaped(x, [shape[0], shape[1], 1, shape[2]], node)
        let result = try body(image, &self)
        return try reshaped(result, [result.shape[0], result.shape[1], result.shape[3]], node)
    }

    /// A window over a volume (batch, channel, depth, height, width): for each tap along the depth, a function of the
    /// images that it reads, and the combination of the results.
    mutating func volume(
        _ x: Operand, _ depth: Window.Axis, filling: Float, _ node: some SourceNode,
        _ image: (Operand, Int, inout ImportContext) throws -> Operand,
        combining combine: (Operand, Operand, inout ImportContext) throws -> Operand
    ) throws -> Operand {
        guard depth.size > 0 else { throw Failure.emptyWindow([depth.size]).at(node.location) }
        let count = depth.outputSize(x.shape[2])
        guard count > 0 else { throw Failure.sliceOutside(x.shape).at(node.location) }
        var padded = x
        if depth.before + depth.after > 0 {
            let pad = Pad(
                before: [0, 0, depth.before, 0, 0], after: [0, 0, depth.after, 0, 0], value: Double(filling))
            padded = try add(pad, x, node)
        }
        let ordered = try add(Self.swappingDepth, padded, node)
        var result: Operand?
        for tap in 0..<depth.size {
            let part = try slice(ordered, axis: 1, tap * depth.dilation, count, step: depth.stride, node)
            let slices = try image(sliceImages(part, node), tap, &self)
            result = try result.map { try combine($0, slices, &self) } ?? slices
        }
        let images = result!.shape
        let whole = try reshaped(result!, Shape([x.shape[0], count] + images.dropFirst()), node)
        return try add(Self.swappingDepth, whole, node)
    }

    /// The slices of a volume (batch, depth, channel, height, width) as a batch of images.
    private mutating func sliceImages(_ x: Operand, _ node: some SourceNode) throws -> Operand {
        try reshaped(x, Shape([x.shape[0] * x.shape[1]] + x.shape.dropFirst(2)), node)
    }
}

extension Tensor {
    /// The filters of one tap along the depth: the third of five axes.
    fileprivate func depthSlice(_ tap: Int) -> Tensor {
        let part = StridedSlice(.init(start: tap, count: 1), along: 2, of: shape).evaluate([self])[0]
        return part.reshaped([shape[0], shape[1], shape[3], shape[4]])
    }
}

extension Failure {
    fileprivate static func computedVolumeFilters(_ location: String) -> Failure {
        Failure(
            .unsupportedOperations, location: location, "computed filters of three axes are not supported",
            remedy: "expected constant filters")
    }

    fileprivate static func largeComputedFilters(_ sizes: [Int], limit: Int, _ location: String) -> Failure {
        Failure(
            .limitExceeded, location: location, "computed filters of \(Shape(sizes)) pixels are too large",
            remedy: "the limit is \(limit) along each axis")
    }
}
