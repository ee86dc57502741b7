extension Convolution: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.addConvolution(
            node, filters, bias, window, groups: groups(inputChannels: node.input.shape[1]))
    }
}

extension MILBlock {
    /// - Parameter filters: Height, width, channels of a group, output channels.
    mutating func addConvolution(
        _ node: MILNode, _ filters: Tensor, _ bias: Tensor?, _ window: Window, groups: Int
    ) {
        let x = MILArgument.value(node.input)
        let strides = MILArgument.integers([window.height.stride, window.width.stride])
        let dilations = MILArgument.integers([window.height.dilation, window.width.dilation])
        let kind = MILArgument.text(window.paddingKind)
        if let bias {
            add(
                "conv", node,
                [
                    "x": x, "weight": .weights(filters, order: [3, 2, 0, 1]), "bias": .constant(bias),
                    "strides": strides,
                    "pad_type": kind, "pad": .integers(window.amounts), "dilations": dilations,
                    "groups": .integer(groups),
                ])
        } else {
            add(
                "conv", node,
                [
                    "x": x, "weight": .weights(filters, order: [3, 2, 0, 1]), "strides": strides, "pad_type": kind,
                    "pad": .integers(window.amounts), "dilations": dilations, "groups": .integer(groups),
                ])
        }
    }
}

extension Window {
    /// The padding before and after along height, then width.
    var amounts: [Int] {
        followsSize ? [0, 0, 0, 0] : [height.before, height.after, width.before, width.after]
    }

    /// The padding type in the format.
    var paddingKind: String { followsSize ? "same" : hasPadding ? "custom" : "valid" }
}

// MARK: Reading

extension Convolution {
    static let mil = [
        MILRule("conv") { op, reading in
            let image = try op.image()
            let weights = try op.constant("weight")
            let groups = try op.integer("groups", default: 1)
            guard weights.shape.rank == 4, groups > 0, weights.shape[1] * groups == image.shape[1],
                weights.shape[0] % groups == 0, weights.elementCount > 0
            else {
                throw op.refused(
                    "weights of shape \(weights.shape) in \(groups) groups do not fit an image of shape \(image.shape)")
            }
            let window = try op.window(over: image.shape, sizes: [weights.shape[2], weights.shape[3]])
            let bias = try op.has("bias") ? op.channels("bias", weights.shape[0]) : nil
            if weights.shape[1] == 1, groups > 1 {
                let depthwise = weights.transposed([2, 3, 0, 1]).reshaped([
                    weights.shape[2], weights.shape[3], groups, weights.shape[0] / groups,
                ])
                return [
                    try reading.add(DepthwiseConvolution(filters: depthwise, bias: bias, window: window), image, op)
                ]
            }
            return [
                try reading.add(
                    Convolution(filters: weights.transposed([2, 3, 1, 0]), bias: bias, window: window), image, op)
            ]
        }
    ]
}

extension MILRead {
    /// The window given by the operation's strides, dilations and padding, over a channels-first image.
    func window(over image: Shape, sizes: [Int]) throws -> Window {
        let strides = try integers("strides", default: [1, 1])
        let dilations = try integers("dilations", default: [1, 1])
        let small = 1..<1 << 24
        guard strides.count == 2, dilations.count == 2, sizes.count == 2,
            (strides + dilations + sizes).allSatisfy(small.contains)
        else { throw refused("sizes \(sizes), strides \(strides) and dilations \(dilations) do not form a window") }
        var window = Window(
            height: .init(size: sizes[0], stride: strides[0], dilation: dilations[0]),
            width: .init(size: sizes[1], stride: strides[1], dilation: dilations[1]))
        switch try text("pad_type", default: "valid") {
        case "valid": break
        case "same", "same_lower":
            window.height = window.height.same(image[2])
            window.width = window.width.same(image[3])
            if try text("pad_type") == "same_lower" {
                swap(&window.height.before, &window.height.after)
                swap(&window.width.before, &window.width.after)
            }
        case "custom":
            let pad = try integers("pad")
            guard pad.count == 4, pad.allSatisfy((0..<1 << 24).contains) else {
                throw refused("the padding \(pad) must have four values for height and width")
            }
            (window.height.before, window.height.after) = (pad[0], pad[1])
            (window.width.before, window.width.after) = (pad[2], pad[3])
        case let kind: throw refused("the padding '\(kind)' is unknown")
        }
        return window
    }
}
