extension Pooling: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.inFloats(node) { writeFloats($0, to: &$1) }
    }

    private func writeFloats(_ node: MILNode, to block: inout MILBlock) {
        var arguments: [(String, MILArgument)] = [
            ("x", .value(node.input)), ("kernel_sizes", .integers([window.height.size, window.width.size])),
            ("strides", .integers([window.height.stride, window.width.stride])),
            ("pad_type", .text(window.paddingKind)), ("pad", .integers(window.amounts)),
        ]
        if function == .average { arguments.append(("exclude_padding_from_average", .bool(!countsPadding))) }
        arguments.append(("ceil_mode", .bool(false)))
        block.add(function == .maximum ? "max_pool" : "avg_pool", node.outputs, arguments)
    }
}

// MARK: Reading

extension Pooling {
    static let mil = [
        MILRule("max_pool", "avg_pool", "l2_pool") { op, reading in
            let x = try op.operand()
            guard 3...5 ~= x.shape.rank else { throw Failure.wrongRank(3...5, x.shape).at(op.location) }
            let lengths = Array(x.shape.dropFirst(2))
            let axes = try op.windowAxes(over: lengths, sizes: op.integers("kernel_sizes"))
            let roundsUp = try op.bool("ceil_mode", default: false)
            let larger = roundsUp ? zip(axes, lengths).map { $0.roundedUp($1) } : axes
            if op.kind == "l2_pool" { return [try reading.l2Pooled(x, larger, op)] }
            let excludes = try op.bool("exclude_padding_from_average", default: false)
            let function = op.kind == "avg_pool" ? Function.average : .maximum
            return [try reading.pooled(x, function, larger, padding: axes, countsPadding: !excludes, op)]
        }
    ]
}

extension ImportContext {
    /// A pooling of an image, a sequence or a volume, channels first.
    /// - Parameters:
    ///   - axes: The windows, padded so that the last one fits.
    ///   - declared: The windows with the padding that counts toward averages. Padding that was added for the last window
    ///     never counts, as in PyTorch and Caffe.
    mutating func pooled(
        _ x: Operand, _ function: Pooling.Function, _ axes: [Window.Axis], padding declared: [Window.Axis],
        countsPadding: Bool, _ node: some SourceNode
    ) throws -> Operand {
        guard function == .average, countsPadding, axes != declared else {
            return try pooled(x, function, axes, countsPadding: countsPadding, node)
        }
        let before = declared.map(\.before)
        // Pixels that no window covers may be at the end.
        let after = zip(declared, axes).map { min($0.after, $1.after) }
        let pad = Pad(before: [0, 0] + before, after: [0, 0] + after, value: 0)
        let remaining = zip(axes, after).map { axis, after in
            var axis = axis
            (axis.before, axis.after) = (0, axis.after - after)
            return axis
        }
        let padded = (before + after).allSatisfy { $0 == 0 } ? x : try add(pad, x, node)
        return try pooled(padded, function, remaining, countsPadding: false, node)
    }

    /// The same, with padding that counts as a whole or not at all.
    mutating func pooled(
        _ x: Operand, _ function: Pooling.Function, _ axes: [Window.Axis], countsPadding: Bool,
        _ node: some SourceNode
    ) throws -> Operand {
        switch axes.count {
        case 1:
            return try asImage(x, node) { image, reading in
                try reading.pooled(
                    image, function, [Window.Axis(size: 1)] + axes, countsPadding: countsPadding, node)
            }
        case 2:
            let window = Window(height: axes[0], width: axes[1])
            let counts = function == .average && window.hasPadding && countsPadding
            return try add(Pooling(function: function, window: window, countsPadding: counts), x, node)
        default:
            let depth = axes[0]
            let isMaximum = function == .maximum
            let result = try volume(x, depth, filling: isMaximum ? -.infinity : 0, node) { slices, _, reading in
                try reading.pooled(slices, function, Array(axes.dropFirst()), countsPadding: countsPadding, node)
            } combining: {
                try $2.combine(isMaximum ? .maximum : .add, $0, $1, node)
            }
            guard !isMaximum else { return result }
            // The sum of the means of the slices, divided by their number. Over padding alone the sum is 0.
            let positions = depth.outputSize(x.shape[2])
            try Self.checkConstant([positions])
            let counts = (0..<positions).map { position in
                let first = position * depth.stride - depth.before
                let taps = (0..<depth.size).filter { (0..<x.shape[2]).contains(first + $0 * depth.dilation) }
                return Float(countsPadding ? depth.size : max(1, taps.count))
            }
            return try combine(.divide, result, .constant(Tensor(counts, shape: [counts.count, 1, 1])), node)
        }
    }

    /// The square root of the sum of the squares under a window.
    mutating func l2Pooled(_ x: Operand, _ axes: [Window.Axis], _ node: some SourceNode) throws -> Operand {
        let means = try pooled(add(Unary(.square), x, node), .average, axes, countsPadding: true, node)
        let sums = try apply(.multiply, means, Float(axes.reduce(1) { $0 * $1.size }), node)
        return try add(Unary(.squareRoot), sums, node)
    }
}

extension Window.Axis {
    /// The number of windows if the last one may extend past the padding.
    func countRoundedUp(_ input: Int) -> Int { max(0, input + before + after - size).dividedRoundingUp(by: stride) + 1 }

    /// The axis with the padding at the end that its last window needs. That window may extend past the declared padding, but
    /// it does not start in it, as in Caffe and PyTorch.
    func roundedUp(_ input: Int) -> Window.Axis {
        var count = countRoundedUp(input)
        if (count - 1) * stride >= input + before { count -= 1 }
        var axis = self
        axis.after = max(0, (count - 1) * stride + size - input - before)
        return axis
    }
}
