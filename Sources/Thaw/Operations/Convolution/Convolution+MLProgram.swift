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
        inFloats(node) { $1.addFloatConvolution($0, filters, bias, window, groups: groups) }
    }

    private mutating func addFloatConvolution(
        _ node: MILNode, _ filters: Tensor, _ bias: Tensor?, _ window: Window, groups: Int
    ) {
        var arguments: [(String, MILArgument)] = [
            ("x", .value(node.input)), ("weight", .weights(filters, order: [3, 2, 0, 1])),
        ]
        if let bias { arguments.append(("bias", .constant(bias))) }
        arguments += [
            ("strides", .integers([window.height.stride, window.width.stride])),
            ("pad_type", .text(window.paddingKind)), ("pad", .integers(window.amounts)),
            ("dilations", .integers([window.height.dilation, window.width.dilation])), ("groups", .integer(groups)),
        ]
        add("conv", node.outputs, arguments)
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
            let x = try op.operand()
            guard 3...5 ~= x.shape.rank else { throw Failure.wrongRank(3...5, x.shape).at(op.location) }
            let weights = try op.operand("weight")
            let groups = try op.integer("groups", default: 1)
            guard weights.shape.rank == x.shape.rank, groups > 0, x.shape[1] % groups == 0,
                weights.shape[1] == x.shape[1] / groups, weights.shape[0] % groups == 0,
                weights.shape.elementCount > 0
            else {
                throw op.refused(
                    "weights of shape \(weights.shape) in \(groups) groups do not fit an image of shape \(x.shape)")
            }
            let axes = try op.windowAxes(over: x.shape.dropFirst(2), sizes: Array(weights.shape.dropFirst(2)))
            let bias = try op.has("bias") ? Operand.constant(op.channels("bias", weights.shape[0])) : nil
            return [try reading.convolved(x, weights, bias, axes, groups: groups, op)]
        }
    ]
}

extension MILRead {
    /// The window given by the operation's strides, dilations and padding, over a channels-first image.
    func window(over image: Shape, sizes: [Int]) throws -> Window {
        let axes = try windowAxes(over: image.dropFirst(2), sizes: sizes)
        return Window(height: axes[0], width: axes[1])
    }

    /// The window along each of the axes of an image, or of a sequence or a volume, which have one or three of them.
    func windowAxes(over lengths: some Collection<Int>, sizes: [Int]) throws -> [Window.Axis] {
        let ones = lengths.map { _ in 1 }
        let strides = try integers("strides", default: ones)
        let dilations = try integers("dilations", default: ones)
        let small = 1..<1 << 24
        guard strides.count == ones.count, dilations.count == ones.count, sizes.count == ones.count,
            (strides + dilations + sizes).allSatisfy(small.contains)
        else { throw refused("sizes \(sizes), strides \(strides) and dilations \(dilations) do not form a window") }
        var axes = sizes.indices.map {
            Window.Axis(size: sizes[$0], stride: strides[$0], dilation: dilations[$0])
        }
        switch try text("pad_type", default: "valid") {
        case "valid": break
        case "same": axes = zip(axes, lengths).map { $0.same($1) }
        case "same_lower":
            axes = zip(axes, lengths).map { $0.same($1) }
            for index in axes.indices {
                (axes[index].before, axes[index].after) = (axes[index].after, axes[index].before)
            }
        case "custom":
            let pad = try integers("pad")
            guard pad.count == 2 * axes.count, pad.allSatisfy((0..<1 << 24).contains) else {
                throw refused("the padding \(pad) must have two values for each of \(axes.count) axes")
            }
            for index in axes.indices { (axes[index].before, axes[index].after) = (pad[2 * index], pad[2 * index + 1]) }
        case let kind: throw refused("the padding '\(kind)' is unknown")
        }
        return axes
    }
}
