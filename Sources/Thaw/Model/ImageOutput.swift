/// How an array is seen as a picture: which of its axes are height, width and channels.
public struct ImageForm: Hashable, Sendable {
    public var height: Int
    public var width: Int
    public var channels: Int
    /// Whether the channels stand before the height.
    public var isChannelsFirst = false

    /// The form of an array of 1 or 3 channels that has more than one row and column, with a batch of 1 or without; nil for
    /// any other. Channels are looked for behind first. An array without an axis for them is gray.
    /// - Parameter mayBeLine: Whether one row or one column will do, where it is known to be an image.
    public init?(_ shape: Shape, mayBeLine: Bool = false) {
        var axes = shape.dimensions
        if axes.count == 4 {
            guard axes[0] == 1 else { return nil }
            axes.removeFirst()
        }
        switch axes.count {
        case 3 where axes[2] == 1 || axes[2] == 3: (height, width, channels) = (axes[0], axes[1], axes[2])
        case 3 where axes[0] == 1 || axes[0] == 3:
            (height, width, channels, isChannelsFirst) = (axes[1], axes[2], axes[0], true)
        case 2: (height, width, channels) = (axes[0], axes[1], 1)
        default: return nil
        }
        guard mayBeLine || height > 1 && width > 1 else { return nil }
    }

    /// The axes as they stand in the array, with a batch in front.
    var shape: Shape { isChannelsFirst ? [1, channels, height, width] : [1, height, width, channels] }
}

/// The image that a model gives.
///
/// A pixel is scale · y + bias of the network's number y, held between 0 and 255, and rounded to the nearest, halves up.
/// That is what Accelerate does on Apple's systems (`vImageConvert_PlanarFtoPlanar8`: saturated, plus 0.5); what Core ML
/// itself does with numbers outside is written nowhere, so a model that may give such is written with the bounds in it.
public struct ImageOutput: Hashable, Sendable {
    /// Which of the graph's outputs it is.
    public var index: Int
    public var form: ImageForm
    public var color: ColorLayout
    /// What makes pixels of the network's numbers, channel by channel.
    public var scaling: PixelScaling
    /// Whether pixels may lie outside of 0 to 255 before they are held there.
    public var exceedsPixels: Bool

    public init(
        index: Int = 0, form: ImageForm, color: ColorLayout, scaling: PixelScaling? = nil, exceedsPixels: Bool = true
    ) {
        precondition(form.channels == color.channels)
        self.index = index
        self.form = form
        self.color = color
        self.scaling = scaling ?? .identity(channels: color.channels)
        self.exceedsPixels = exceedsPixels
    }

    /// What goes out, a formula a channel: "red: pixel = 127.5 · y + 127.5".
    public var formulas: [String] { scaling.formulas(color, of: "y", as: "pixel") }
}

extension Model {
    /// The graph with pixels instead of the network's numbers at its image output: batch, height, width, channel, not yet
    /// rounded. The graph itself where no output is an image.
    func graphOfPixels() throws -> Graph {
        guard let image = imageOutput else { return graph }
        let name = graph.outputs[image.index].name
        let pixels = try graph.rebuiltOutputs { index, value, builder in
            guard index == image.index else { return value }
            func add(_ operation: any Operation, _ input: Graph.Value, _ part: String) throws -> Graph.Value {
                try builder.add(operation, [input], name: name + "/" + part)[0]
            }
            var value = value
            if builder[value].shape != image.form.shape { value = try add(Reshape(image.form.shape), value, "shape") }
            if image.form.isChannelsFirst { value = try add(Transpose(Graph.toLast), value, "order") }
            if !image.scaling.isIdentity {
                value = try add(
                    ChannelArithmetic(scale: image.scaling.scale, offset: image.scaling.bias).operation, value, "pixels"
                )
            }
            return image.exceedsPixels ? try add(Unary(.clip(0, 255)), value, "bounds") : value
        }
        // What was turned to channels first only for this output need not be turned at all.
        return try pixels.reordered(to: .last).withoutIdentities()
    }

    /// The model that a graph which gives pixels came from: `graphOfPixels` undone, where what stands at the end of the
    /// graph is this scaling.
    /// - Parameters:
    ///   - scaling: What is known of the scaling; nil takes the pixels for the network's own numbers.
    ///   - hasBounds: Whether bounds to 0 and 255 stand behind the scaling.
    func withoutPixels(_ scaling: PixelScaling?, hasBounds: Bool) throws -> Model {
        guard let scaling, var image = imageOutput else { return self }
        let producers = graph.producers
        var value = graph.outputs[image.index].value
        image.exceedsPixels = hasBounds
        if hasBounds {
            guard let node = producers[value], (node.operation as? Unary)?.function == .clip(0, 255) else {
                return self
            }
            value = node.inputs[0]
        }
        var found = ChannelArithmetic.identity(channels: image.form.channels)
        while !found.isClose(to: scaling) {
            guard let node = producers[value], node.inputs.count == 1 else { return self }
            let input = graph[node.inputs[0]]
            if !(node.operation is Reshape || node.operation is Transpose) {
                // Channels that stand first are taken as if they stood last.
                let isFirst = image.form.isChannelsFirst && input.shape.rank == 4
                let operation = isFirst ? node.operation.reordered([Graph.toLast], [input])?.operation : node.operation
                let type = isFirst ? TensorType(input.shape.permuted(Graph.toLast), input.element) : input
                guard let operation,
                    let arithmetic = ChannelArithmetic(operation, on: type)?.of(channels: image.form.channels)
                else { return self }
                found = arithmetic.followed(by: found)
            }
            // Before the axes were turned it was an image, too.
            guard let form = ImageForm(input.shape, mayBeLine: true),
                (form.width, form.height) == (image.form.width, image.form.height),
                form.channels == image.form.channels
            else { return self }
            image.form = form
            value = node.inputs[0]
        }
        image.scaling = scaling
        var model = self
        model.graph.outputs[image.index].value = value
        model.graph = model.graph.pruned()
        model.imageOutput = image
        return model
    }
}

extension ChannelArithmetic {
    fileprivate static func identity(channels: Int) -> ChannelArithmetic {
        ChannelArithmetic(
            scale: Array(repeating: 1, count: channels), offset: Array(repeating: 0, count: channels))
    }

    /// The same for an array of so many channels: as it is, or the one number of all.
    fileprivate func of(channels: Int) -> ChannelArithmetic? {
        if scale.count == channels { return self }
        guard let factor = scale.first, let summand = offset.first, scale.allSatisfy({ $0 == factor }),
            offset.allSatisfy({ $0 == summand })
        else { return nil }
        return ChannelArithmetic(
            scale: Array(repeating: factor, count: channels), offset: Array(repeating: summand, count: channels))
    }

    /// Whether it is this scaling but for the rounding to half precision.
    fileprivate func isClose(to scaling: PixelScaling) -> Bool {
        zip(scale + offset, scaling.scale + scaling.bias).allSatisfy { abs($0 - $1) <= 0x1p-10 * max(1, abs($1)) }
    }
}
