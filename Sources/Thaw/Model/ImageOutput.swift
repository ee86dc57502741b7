/// The layout of an image in a tensor: which axes are height, width and channels.
public struct ImageForm: Hashable, Sendable {
    /// The height in pixels.
    public var height: Int
    /// The width in pixels.
    public var width: Int
    /// 1 for gray, 3 for colors.
    public var channels: Int
    /// Whether the channel axis comes first.
    public var isChannelsFirst = false

    /// The layout of a tensor with 1 or 3 channels and more than one row and column, with or without a batch of 1; nil
    /// for any other shape. The last axis is tried as the channel axis first. A tensor without a channel axis is gray.
    /// - Parameter mayBeLine: Whether a single row or column is allowed, because the tensor is known to be an image.
    init?(_ shape: Tensor.Shape, mayBeLine: Bool = false) {
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

    /// The shape of the tensor with a batch axis.
    var shape: Shape { isChannelsFirst ? [1, channels, height, width] : [1, height, width, channels] }

    /// The axis of the height in a tensor of this form; that of the width follows.
    func heightAxis(_ type: TensorType) -> Int { isChannelsFirst ? type.shape.rank - 2 : max(0, type.shape.rank - 3) }
}

/// The image output of a model.
///
/// A pixel is scale · y + bias for the network's value y, clamped to 0 to 255, and rounded to the nearest integer,
/// halves up. Accelerate does the same on Apple's systems (`vImageConvert_PlanarFtoPlanar8`: saturated, plus 0.5). Core
/// ML's treatment of values outside the range is undocumented, so a model that may return such values is written with a
/// clip layer.
public struct ImageOutput: Hashable, Sendable {
    /// The index of the graph's output.
    public var index: Int
    /// The size and the channels.
    public var form: ImageForm
    /// The order of the color channels.
    public var color: ColorLayout
    /// The scaling from the network's values to pixels.
    public var scaling: PixelScaling
    /// Whether pixels may be outside 0 to 255 before they are clamped.
    public var exceedsPixels: Bool

    /// An image output; without `scaling`, the network returns pixels.
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

    /// The scaling as one formula per channel: "red: pixel = 127.5 · y + 127.5".
    public var formulas: [String] { scaling.formulas(color, of: "y", as: "pixel") }
}
