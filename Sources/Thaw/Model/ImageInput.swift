/// The channel order of an image.
public enum ColorLayout: String, Sendable, CaseIterable {
    case rgb, bgr, gray

    /// The number of channels.
    public var channels: Int { self == .gray ? 1 : 3 }

    /// The names of the channels, in order.
    var channelNames: [String] {
        switch self {
        case .rgb: ["red", "green", "blue"]
        case .bgr: ["blue", "green", "red"]
        case .gray: ["gray"]
        }
    }
}

/// The preprocessing of pixels: y = scale · x + bias for each channel, with x from 0 to 255.
public struct PixelScaling: Hashable, Sendable {
    /// One value per channel, in the order of the color layout.
    public var scale: [Double]
    /// One value per channel, added after the scaling.
    public var bias: [Double]

    /// A scaling with one scale and one bias per channel.
    public init(scale: [Double], bias: [Double]) {
        precondition(scale.count == bias.count)
        self.scale = scale
        self.bias = bias
    }

    /// The same arithmetic.
    init(_ arithmetic: ChannelArithmetic) { self.init(scale: arithmetic.scale, bias: arithmetic.offset) }

    /// The scaling that leaves pixels unchanged.
    public static func identity(channels: Int) -> PixelScaling {
        PixelScaling(scale: Array(repeating: 1, count: channels), bias: Array(repeating: 0, count: channels))
    }

    /// Whether it leaves pixels unchanged.
    public var isIdentity: Bool { scale.allSatisfy { $0 == 1 } && bias.allSatisfy { $0 == 0 } }

    /// The scale of all channels, or nil if they differ.
    var uniformScale: Double? { scale.allSatisfy { $0 == scale[0] } ? scale[0] : nil }

    /// This scaling followed by another.
    func followed(by next: PixelScaling) -> PixelScaling {
        PixelScaling(
            scale: zip(scale, next.scale).map { $0 * $1 },
            bias: bias.indices.map { bias[$0] * next.scale[$0] + next.bias[$0] })
    }

    /// The rest of this scaling after `first`, with which it begins.
    func after(_ first: PixelScaling) -> PixelScaling {
        let factors = zip(scale, first.scale).map { $1 == 0 ? 1 : $0 / $1 }
        return PixelScaling(
            scale: factors, bias: bias.indices.map { bias[$0] - first.bias[$0] * factors[$0] })
    }

    /// Whether it is the identity, up to the rounding of the floats from which it was computed.
    var isNearlyIdentity: Bool {
        scale.allSatisfy { abs($0 - 1) <= 1e-5 } && bias.allSatisfy { abs($0) <= 1e-5 }
    }
}

/// The image input of a model.
public struct ImageInput: Hashable, Sendable {
    /// The name of the input.
    public var name: String
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int
    /// The sizes that it may have; `width` and `height` are the default.
    public var sizes = ImageSizes.fixed
    /// The order of the color channels.
    public var color: ColorLayout
    /// The complete preprocessing.
    public var scaling: PixelScaling
    /// The last part of `scaling`, if it was arithmetic at the head of the network's own graph.
    package var lifted: PixelScaling?
    /// Whether the graph that the network comes from takes images with channels first (NCHW).
    public var isChannelsFirst = false

    /// The size in pixels.
    public var size: ImageSize { ImageSize(width: width, height: height) }

    /// An image input; without `scaling`, the network gets unchanged pixels.
    public init(
        name: String, width: Int, height: Int, color: ColorLayout, scaling: PixelScaling? = nil
    ) {
        self.name = name
        self.width = width
        self.height = height
        self.color = color
        self.scaling = scaling ?? .identity(channels: color.channels)
    }

    /// The preprocessing as one formula per channel: "red: y = 0.00784314 · x − 1".
    public var formulas: [String] { scaling.formulas(color, of: "x", as: "y") }
}

extension PixelScaling {
    /// One formula per channel: "red: y = 0.00784314 · x − 1".
    func formulas(_ color: ColorLayout, of x: String, as y: String) -> [String] {
        zip(color.channelNames, zip(scale, bias)).map { name, values in
            let (scale, bias) = values
            let product = scale == 1 ? x : "\(short(scale)) · \(x)"
            return "\(name): \(y) = " + (bias == 0 ? product : "\(product) \(bias < 0 ? "−" : "+") \(short(abs(bias)))")
        }
    }

    /// Up to six significant digits.
    private func short(_ number: Double) -> String {
        var power = 1.0
        while abs(number) * power < 1e5, power < 1e15 { power *= 10 }
        let text = "\((number * power).rounded() / power)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
