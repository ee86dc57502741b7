@testable import Thaw

extension EngineCase {
    /// Resizes, transposed convolutions and normalizations of images.
    static let images: [EngineCase] =
        resizes + spreads + [
            EngineCase("a transposed convolution, activated, added to an image", [1, 4, 5, 16]) { builder, values in
                let spread = try builder.one(
                    transposed(axis(3, stride: 2, 0, 1), axis(3, stride: 2, 0, 1), 16, 20), values[0])
                let other = try builder.one(transposed(axis(2, stride: 2), axis(2, stride: 2), 16, 20), values[0])
                return [try builder.one(Binary(.add), builder.one(Unary(.relu), spread), other)]
            },
            EngineCase("a transposed convolution read twice", [1, 4, 5, 16]) { builder, values in
                let spread = try builder.one(
                    transposed(axis(4, stride: 2, 1, 1), axis(4, stride: 2, 1, 1), 16, 8), values[0])
                return [try builder.one(Unary(.tanh), spread), try builder.one(Unary(.sigmoid), spread)]
            },
            EngineCase("a resized image between convolutions", [2, 5, 6, 16]) { builder, values in
                let before = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 20), values[0])
                let larger = try builder.one(
                    Resize(rows: .linear(.edges, 5, 10), columns: .linear(.edges, 6, 12)), before)
                return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 20, 17), larger)]
            },
            single("across channels, the root", [1, 4, 5, 37], normalization(radius: 5, beta: 0.5)),
            single("across channels, three quarters", [2, 3, 4, 16], normalization(radius: 2, beta: 0.75)),
            single("across channels, wider than they are", [1, 3, 3, 5], normalization(radius: 9, beta: 1)),
            single("across channels, another power", [1, 3, 3, 5], normalization(radius: 1, beta: 0.6)),
            single("one channel", [1, 3, 3, 1], normalization(radius: 0, beta: 0.75)),
            blocked("across channels", 40, normalization(radius: 3, beta: 0.75)),
        ]

    private static func normalization(radius: Int, beta: Float) -> LocalResponseNormalization {
        LocalResponseNormalization(radius: radius, bias: 1.5, alpha: 0.3, beta: beta)
    }

    private static let resizes: [EngineCase] =
        [
            ("nearest", FilterWeights.nearest), ("linear", FilterWeights.linear), ("cubic", FilterWeights.cubic),
            ("area", FilterWeights.area),
        ].flatMap { (name, taps) in
            [
                single("\(name), larger", [1, 5, 7, 20], Resize(rows: taps(.left, 5, 11), columns: taps(.left, 7, 9))),
                single(
                    "\(name), smaller, corners aligned", [2, 9, 8, 3],
                    Resize(rows: taps(.corners, 9, 4), columns: taps(.corners, 8, 5))),
                blocked(name, 33, Resize(rows: taps(.left, 5, 70), columns: taps(.left, 7, 40))),
            ]
        } + [
            single(
                "rows outside the image", [1, 2, 3, 16],
                Resize(
                    rows: FilterWeights(inputSize: 2, runs: [.init([]), .init([(1, 0.5)])]),
                    columns: .linear(.left, 3, 4)))
        ]

    private static let spreads: [EngineCase] =
        [
            ("3×3", axis(3, 1, 1), axis(3, 1, 1)), ("3×3 stride 2", axis(3, stride: 2), axis(3, stride: 2)),
            ("SAME padding", axis(3, stride: 2, 0, 1), axis(4, stride: 2, 1, 1)),
            ("a stride past the window", axis(2, stride: 3, 0, -1), axis(1, stride: 2, 0, -1)),
            ("a wide border before", axis(4, stride: 2, 3, 0), axis(5, stride: 1, 4, 4)),
            ("more cropped than the window adds", axis(2, 3, 0), axis(3, 0, 3)),
            ("longer than the window reaches", axis(3, 1, -2), axis(2, 0, -1)),
            ("dilated", axis(3, dilation: 2, 1, 1), axis(2)),
            ("dilated, more cropped", axis(2, dilation: 2, 3, 0), axis(2, dilation: 3, 0, -1)),
            ("dilated, stride 2", axis(3, stride: 2, dilation: 2, 1, 2), axis(2, stride: 2, dilation: 3, 0, -1)),
            ("dilated, stride 3 along one axis", axis(3, stride: 3, dilation: 2, 2, 1), axis(3, dilation: 3, 2, 4)),
        ].flatMap { (name, height, width) in
            [
                single("spread \(name)", [1, 4, 5, 16], transposed(height, width, 16, 16)),
                single(
                    "transposed \(name), odd channels, no bias", [2, 4, 5, 3],
                    transposed(height, width, 3, 21, bias: false)
                ),
                single(
                    "transposed \(name), 3 groups", [2, 4, 5, 12], transposed(height, width, 12, 15, groups: 3)),
                single(
                    "transposed \(name), each of 21 channels", [2, 4, 5, 21],
                    transposed(height, width, 21, 21, groups: 21)),
                single(
                    "transposed \(name), each of 5 channels to 2", [1, 4, 5, 5],
                    transposed(height, width, 5, 10, groups: 5, bias: false)),
                blocked(
                    "transposed \(name), each channel", 48, transposed(height, width, 48, 48, groups: 48, bias: false)),
            ]
        } + [
            single(
                "a sequence transposed, each of 4 channels, stride 8", [1, 1, 9, 4],
                transposed(axis(1), axis(16, stride: 8, 4, 4), 4, 4, groups: 4)),
            EngineCase("each channel transposed between convolutions, activated", [1, 4, 5, 8]) { builder, values in
                let image = try builder.one(convolution(axis(1), axis(1), 8, 40), values[0])
                let window = axis(4, stride: 2, 1, 1)
                let spread = try builder.one(transposed(window, window, 40, 40, groups: 40), image)
                let bounded = try builder.one(Unary(.relu), spread)
                return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 40, 8), bounded)]
            },
        ]
}

func transposed(
    _ height: Window.Axis, _ width: Window.Axis, _ inputs: Int, _ outputs: Int, groups: Int = 1, bias: Bool = true
) -> TransposedConvolution {
    TransposedConvolution(
        filters: tensor([height.size, width.size, outputs / groups, inputs]),
        bias: bias ? tensor([outputs], seed: 2) : nil, window: Window(height: height, width: width), groups: groups)
}
