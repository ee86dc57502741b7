extension TransposedConvolution: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let x = MILArgument.value(node.input)
        let weights = MILArgument.weights(wholeFilters(), order: [3, 2, 0, 1])
        let strides = MILArgument.integers([window.height.stride, window.width.stride])
        let amounts = [window.height, window.width].flatMap { [$0.before, Swift.max(0, $0.after)] }
        let (kind, pad) = (MILArgument.text("custom"), MILArgument.integers(amounts))
        if let bias {
            block.add(
                "conv_transpose", node,
                [
                    "x": x, "weight": weights, "bias": .constant(bias), "strides": strides, "pad_type": kind,
                    "pad": pad, "dilations": .integers([1, 1]), "groups": .integer(groups),
                ])
        } else {
            block.add(
                "conv_transpose", node,
                [
                    "x": x, "weight": weights, "strides": strides, "pad_type": kind, "pad": pad,
                    "dilations": .integers([1, 1]), "groups": .integer(groups),
                ])
        }
    }
}

// MARK: Reading

extension TransposedConvolution {
    static let mil = [
        MILRule("conv_transpose") { op, reading in
            let image = try op.image()
            let weights = try op.constant("weight")
            let groups = try op.integer("groups", default: 1)
            guard weights.shape.rank == 4, groups > 0, weights.shape[0] == image.shape[1],
                weights.shape[0] % groups == 0, weights.elementCount > 0
            else {
                throw op.refused(
                    "weights of shape \(weights.shape) in \(groups) groups do not fit an image of shape \(image.shape)")
            }
            let isSame = try op.text("pad_type", default: "valid") == "same"
            var window = try op.window(over: image.shape, sizes: [weights.shape[2], weights.shape[3]])
            if isSame || op.has("output_shape") {
                let target =
                    try op.has("output_shape")
                    ? op.integers("output_shape").suffix(2)
                    : [image.shape[2] * window.height.stride, image.shape[3] * window.width.stride]
                guard target.count == 2, target.allSatisfy((1..<1 << 24).contains) else {
                    throw op.refused("\(Array(target)) is not a valid image size")
                }
                if isSame {
                    (window.height.before, window.height.after, window.width.before, window.width.after) = (0, 0, 0, 0)
                    window.height = window.height.sharing(
                        image.shape[2], to: target[target.startIndex], heavyInFront: false)
                    window.width = window.width.sharing(
                        image.shape[3], to: target[target.startIndex + 1], heavyInFront: false)
                } else {
                    window.height = window.height.spreading(image.shape[2], to: target[target.startIndex])
                    window.width = window.width.spreading(image.shape[3], to: target[target.startIndex + 1])
                }
            }
            let bias = try op.has("bias") ? op.channels("bias", weights.shape[1] * groups) : nil
            let convolution = TransposedConvolution(
                filters: weights.transposed([2, 3, 1, 0]), bias: bias, window: window, groups: groups)
            return [try reading.add(convolution, image, op)]
        }
    ]
}
