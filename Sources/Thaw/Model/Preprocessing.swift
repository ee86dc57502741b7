/// The preprocessing of well-known families of networks.
public enum Preprocessing: String, Sendable, CaseIterable {
    /// x / 127.5 − 1: Inception, MobileNet, NASNet and others of TensorFlow's slim library.
    case inception
    /// x − (103.939, 116.779, 123.68), blue, green, red: networks from Caffe, such as VGG and ResNet v1.
    case caffe
    /// (x / 255 − mean) / deviation: networks trained with PyTorch's ImageNet statistics.
    case torch
    /// x / 255.
    case unit
    /// x. (Not `none`: for an optional, `.none` means nil.)
    case raw = "none"

    /// The channel order that the family requires, or nil if it takes any.
    public var color: ColorLayout? { self == .caffe ? .bgr : nil }

    /// The scaling for pixels in this channel order.
    /// - Throws: `Failure` if the family does not support it.
    public func scaling(_ color: ColorLayout) throws -> PixelScaling {
        let channels = color.channels
        let uniform = { (scale: Double, bias: Double) in
            PixelScaling(scale: Array(repeating: scale, count: channels), bias: Array(repeating: bias, count: channels))
        }
        switch self {
        case .inception: return uniform(1 / 127.5, -1)
        case .unit: return uniform(1 / 255, 0)
        case .raw: return uniform(1, 0)
        case .caffe:
            guard color == .bgr else { throw Failure.presetNeedsColor(rawValue, "bgr", color.rawValue) }
            return PixelScaling(scale: [1, 1, 1], bias: [-103.939, -116.779, -123.68])
        case .torch:
            guard color != .gray else { throw Failure.presetNeedsColor(rawValue, "rgb or bgr", color.rawValue) }
            // torchvision's ImageNet statistics for red, green, blue, of pixels from 0 to 1.
            let means = [0.485, 0.456, 0.406]
            let deviations = [0.229, 0.224, 0.225]
            let scaling = PixelScaling(
                scale: deviations.map { 1 / (255 * $0) }, bias: zip(means, deviations).map { -$0 / $1 })
            return color == .rgb
                ? scaling : PixelScaling(scale: scaling.scale.reversed(), bias: scaling.bias.reversed())
        }
    }
}

extension PixelScaling {
    /// Whether it subtracts the BGR means of a well-known data set.
    var centersBlueGreenRed: Bool {
        // ImageNet as in Caffe's models (torchvision's means and rounded ones are close); VGGFace; VGGFace2.
        let sets = [[103.939, 116.779, 123.68], [93.594, 104.762, 129.186], [91.495, 103.883, 131.091]]
        return scale.count == 3
            && sets.contains { means in
                zip(means, zip(scale, bias)).allSatisfy { abs($0 * $1.0 + $1.1) < abs($1.0) }
            }
    }

    /// Whether it makes sense only for values from 0 to 1: it maps one of these to 0, and does not scale them down.
    var expectsUnitRange: Bool {
        zip(scale, bias).allSatisfy { scale, bias in
            let zero = -bias / scale
            return abs(scale) > 0.99 && zero >= 0 && zero <= 1 && (zero > 0.1 || abs(scale) > 1.5)
        }
    }

    /// Whether it shows that values are pixels from 0 to 255: it scales them down, or moves them by at least ten gray levels.
    /// Other arithmetic, such as a batch normalization, may follow any preprocessing.
    var expectsPixels: Bool {
        zip(scale, bias).allSatisfy { scale, bias in abs(scale) <= 0.1 || abs(bias / scale) >= 10 }
    }

    /// The pixel values that become 0, if they are in the range of pixels and rise from channel to channel, as the means of
    /// photos do in BGR order; nil otherwise.
    var risingMeans: [Double]? {
        guard scale.count == 3, scale.allSatisfy({ $0 > 0 }) else { return nil }
        let means = zip(scale, bias).map { -$1 / $0 }
        // A rise of less than two gray levels is not significant.
        guard means[0] > 0, means[2] < 255, means[1] > means[0], means[2] > means[1], means[2] - means[0] >= 2 else {
            return nil
        }
        return means
    }
}

/// A network's preprocessing, guessed from the names of its nodes.
struct PreprocessingGuess: Sendable {
    /// The reason for the guess: "the name 'MobilenetV1' in the graph".
    var reason: String
    var color: ColorLayout
    var scaling: PixelScaling

    /// The guess for a graph with nodes of these names, or nil if they reveal nothing.
    ///
    /// Names with a capital letter or `resnet_v1_` are scopes of TensorFlow's slim library; the names after them are those of
    /// Keras applications and of their layers. For VGG and ResNet v1, slim uses the means of Caffe's models, but in RGB order
    /// (slim's preprocessing/vgg_preprocessing.py); Keras keeps Caffe's BGR order.
    init?(names: some Sequence<String>) {
        let slimMeans = PixelScaling(scale: [1, 1, 1], bias: [-123.68, -116.78, -103.94])
        let centered = try! Preprocessing.inception.scaling(.rgb)
        let caffe = try! Preprocessing.caffe.scaling(.bgr)
        let torch = try! Preprocessing.torch.scaling(.rgb)
        let families: [(signs: [String], color: ColorLayout, scaling: PixelScaling)] = [
            (["MobilenetV1", "MobilenetV2", "MobilenetV3"], .rgb, centered),
            (["InceptionV1", "InceptionV2", "InceptionV3", "InceptionV4", "InceptionResnetV2"], .rgb, centered),
            (
                ["resnet_v2_", "nasnet", "mobilenet_1.", "mobilenet_0.", "mobilenetv2_", "inception_v3/", "xception/"],
                .rgb, centered
            ),
            (["resnet_v1_", "vgg_16", "vgg_19", "vgg_a"], .rgb, slimMeans),
            (["resnet50/", "resnet101/", "resnet152/", "vgg16/", "vgg19/"], .bgr, caffe),
            (["densenet121/", "densenet169/", "densenet201/"], .rgb, torch),
            // TensorFlow 1's Keras has no scopes: layers near the end.
            (
                [
                    "conv_pw_13", "block_16_project", "normal_conv_1_", "block14_sepconv2", "mixed10/", "conv_7b_bn",
                    "conv5_block3_preact_bn",
                ], .rgb, centered
            ),
            (["conv5_block3_3_bn", "bn5c_branch2c", "block5_conv3"], .bgr, caffe),
            (["conv5_block16_0_bn"], .rgb, torch),
        ]
        for name in names {
            for family in families {
                for sign in family.signs where name.hasScope(beginningWith: sign) {
                    reason = "the name '\(sign.hasSuffix("/") ? String(sign.dropLast()) : sign)' in the graph"
                    color = family.color
                    scaling = family.scaling
                    return
                }
            }
        }
        return nil
    }
}

extension String {
    /// Whether the name itself, or what follows one of its slashes, begins with this text. A scope of Keras 3 may have a
    /// number: `resnet50_1/` for `resnet50/`.
    fileprivate func hasScope(beginningWith text: String) -> Bool {
        let slash = UInt8(ascii: "/")
        let stem = text.hasSuffix("/") ? text.utf8.dropLast() : text.utf8[...]
        var rest = utf8[...]
        while true {
            if rest.starts(with: text.utf8) { return true }
            if stem.count < text.utf8.count, rest.starts(with: stem),
                rest.dropFirst(stem.count).first == UInt8(ascii: "_")
            {
                let number = rest.dropFirst(stem.count + 1).prefix { $0 != slash }
                if !number.isEmpty, number.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
            }
            guard let end = rest.firstIndex(of: slash) else { return false }
            rest = rest[rest.index(after: end)...]
        }
    }
}
