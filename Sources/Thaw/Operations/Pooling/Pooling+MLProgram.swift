extension Pooling: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let x = MILArgument.value(node.input)
        let sizes = MILArgument.integers([window.height.size, window.width.size])
        let strides = MILArgument.integers([window.height.stride, window.width.stride])
        let kind = MILArgument.text(window.paddingKind)
        let pad = MILArgument.integers(window.amounts)
        if function == .maximum {
            block.add(
                "max_pool", node,
                [
                    "x": x, "kernel_sizes": sizes, "strides": strides, "pad_type": kind, "pad": pad,
                    "ceil_mode": .bool(false),
                ])
        } else {
            block.add(
                "avg_pool", node,
                [
                    "x": x, "kernel_sizes": sizes, "strides": strides, "pad_type": kind, "pad": pad,
                    "exclude_padding_from_average": .bool(!countsPadding), "ceil_mode": .bool(false),
                ])
        }
    }
}

// MARK: Reading

extension Pooling {
    static let mil = [
        MILRule("max_pool", "avg_pool") { op, reading in
            let image = try op.image()
            var window = try op.window(over: image.shape, sizes: op.integers("kernel_sizes"))
            if try op.bool("ceil_mode", default: false) {
                window.height = window.height.roundedUp(image.shape[2])
                window.width = window.width.roundedUp(image.shape[3])
            }
            let isAverage = op.kind == "avg_pool"
            let excludes = try op.bool("exclude_padding_from_average", default: false)
            let pooling = Pooling(
                function: isAverage ? .average : .maximum, window: window,
                countsPadding: isAverage && window.hasPadding && !excludes)
            return [try reading.add(pooling, image, op)]
        }
    ]
}

extension Window.Axis {
    /// The axis with as much additional padding at the end as a last, incomplete window needs. No window starts in
    /// that padding.
    fileprivate func roundedUp(_ input: Int) -> Window.Axis {
        let length = input + before + after
        var positions = (Swift.max(0, length - size) + stride - 1) / stride + 1
        if (positions - 1) * stride >= input + before { positions -= 1 }
        var axis = self
        axis.after += Swift.max(0, (positions - 1) * stride + size - length)
        return axis
    }
}
