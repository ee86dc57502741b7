extension TransposedConvolution: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.inFloats(node) { writeFloats($0, to: &$1) }
    }

    private func writeFloats(_ node: MILNode, to block: inout MILBlock) {
        let amounts = [window.height, window.width].flatMap { [$0.before, Swift.max(0, $0.after)] }
        var arguments: [(String, MILArgument)] = [
            ("x", .value(node.input)), ("weight", .weights(wholeFilters(), order: [3, 2, 0, 1])),
        ]
        if let bias { arguments.append(("bias", .constant(bias))) }
        arguments += [
            ("strides", .integers([window.height.stride, window.width.stride])), ("pad_type", .text("custom")),
            ("pad", .integers(amounts)), ("dilations", .integers([1, 1])), ("groups", .integer(groups)),
        ]
        block.add("conv_transpose", node.outputs, arguments)
    }
}

// MARK: Reading

extension TransposedConvolution {
    static let mil = [
        MILRule("conv_transpose") { op, reading in
            let x = try op.operand()
            guard 3...5 ~= x.shape.rank else { throw Failure.wrongRank(3...5, x.shape).at(op.location) }
            let weights = try op.constant("weight").asFloat32
            let groups = try op.integer("groups", default: 1)
            guard weights.shape.rank == x.shape.rank, groups > 0, weights.shape[0] == x.shape[1],
                weights.shape[0] % groups == 0, weights.elementCount > 0
            else {
                throw op.refused(
                    "weights of shape \(weights.shape) in \(groups) groups do not fit an image of shape \(x.shape)")
            }
            let lengths = Array(x.shape.dropFirst(2))
            let isSame = try op.text("pad_type", default: "valid") == "same"
            var axes = try op.windowAxes(over: lengths, sizes: Array(weights.shape.dropFirst(2)))
            if isSame || op.has("output_shape") {
                let target =
                    try op.has("output_shape")
                    ? Array(op.integers("output_shape").suffix(axes.count)) : zip(axes, lengths).map { $0.stride * $1 }
                guard target.count == axes.count, target.allSatisfy((1..<1 << 24).contains) else {
                    throw op.refused("\(target) is not a valid image size")
                }
                for index in axes.indices {
                    guard isSame else {
                        axes[index] = axes[index].croppedAtEnd(lengths[index], to: target[index])
                        continue
                    }
                    (axes[index].before, axes[index].after) = (0, 0)
                    axes[index] = axes[index].croppedEvenly(lengths[index], to: target[index], heavyInFront: false)
                }
            }
            let bias = try op.has("bias") ? op.channels("bias", weights.shape[1] * groups) : nil
            return [try reading.transposedConvolution(x, weights, bias, axes, groups: groups, op)]
        }
    ]
}
