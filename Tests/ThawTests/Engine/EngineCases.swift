import Testing

@testable import Thaw

/// A small graph for the engine: its name, inputs and construction.
struct EngineCase: CustomTestStringConvertible, Sendable {
    var name: String
    var inputs: [Shape]
    /// Relative to the result's range.
    var tolerance: Float = 1e-5
    var build: @Sendable (inout GraphBuilder, [Graph.Value]) throws -> [Graph.Value]

    var testDescription: String { name }

    init(
        _ name: String, _ inputs: Shape..., tolerance: Float = 1e-5,
        build: @escaping @Sendable (inout GraphBuilder, [Graph.Value]) throws -> [Graph.Value]
    ) {
        self.name = name
        self.inputs = inputs
        self.tolerance = tolerance
        self.build = build
    }

    func graph() throws -> Graph {
        var builder = GraphBuilder()
        let values = inputs.enumerated().map { builder.input("input\($0.offset)", TensorType($0.element)) }
        for (index, value) in try build(&builder, values).enumerated() { builder.output("output\(index)", value) }
        return builder.graph
    }

    func inputTensors() -> [Tensor] {
        inputs.enumerated().map { Tensor(noise($1.elementCount, seed: UInt64($0 + 7)), shape: $1) }
    }
}

// MARK: Building blocks

func tensor(_ shape: Shape, seed: UInt64 = 1, scale: Float = 1) -> Tensor {
    Tensor(noise(shape.elementCount, seed: seed).map { $0 * scale }, shape: shape)
}

func axis(_ size: Int, stride: Int = 1, dilation: Int = 1, _ before: Int = 0, _ after: Int = 0) -> Window.Axis {
    Window.Axis(size: size, stride: stride, dilation: dilation, before: before, after: after)
}

func convolution(
    _ height: Window.Axis, _ width: Window.Axis, _ inputs: Int, _ outputs: Int, bias: Bool = true
) -> Convolution {
    Convolution(
        filters: tensor([height.size, width.size, inputs, outputs]), bias: bias ? tensor([outputs], seed: 2) : nil,
        window: Window(height: height, width: width))
}

func depthwise(_ height: Window.Axis, _ width: Window.Axis, _ channels: Int, multiplier: Int = 1)
    -> DepthwiseConvolution
{
    DepthwiseConvolution(
        filters: tensor([height.size, width.size, channels, multiplier]),
        bias: tensor([channels * multiplier], seed: 2),
        window: Window(height: height, width: width))
}

extension GraphBuilder {
    /// A node with one output.
    mutating func one(_ operation: any Thaw.Operation, _ inputs: Graph.Value...) throws -> Graph.Value {
        try add(operation, inputs, name: operation.kind)[0]
    }
}

func single(_ name: String, _ input: Shape, tolerance: Float = 1e-5, _ operation: any Thaw.Operation) -> EngineCase {
    EngineCase(name, input, tolerance: tolerance) { builder, values in [try builder.one(operation, values[0])] }
}

/// An operation on an image in the blocked layout, and read back.
func blocked(_ name: String, _ channels: Int, tolerance: Float = 1e-5, _ operation: any Thaw.Operation) -> EngineCase {
    EngineCase(name + " in blocks of \(channels) channels", [1, 5, 7, 9], tolerance: tolerance) { builder, values in
        let image = try builder.one(convolution(axis(1), axis(1), 9, channels), values[0])
        return [try builder.one(operation, image)]
    }
}

extension EngineCase {
    static let convolutions: [EngineCase] =
        [
            single("1×1", [1, 7, 7, 64], convolution(axis(1), axis(1), 64, 96)),
            single("3×3, padded, odd channels", [1, 9, 11, 20], convolution(axis(3, 1, 1), axis(3, 1, 1), 20, 35)),
            single(
                "3×3 stride 2, padded after", [2, 8, 10, 16],
                convolution(axis(3, stride: 2, 0, 1), axis(3, stride: 2, 0, 1), 16, 16)),
            single(
                "1×1 stride 2, no bias", [1, 9, 9, 32],
                convolution(axis(1, stride: 2), axis(1, stride: 2), 32, 48, bias: false)),
            single("1×7", [1, 6, 12, 17], convolution(axis(1), axis(7, 3, 3), 17, 18)),
            single(
                "7×1, uneven strides", [1, 13, 5, 16], convolution(axis(7, stride: 3, 2, 4), axis(1, stride: 2), 16, 16)
            ),
            single(
                "dilation 2 and 3", [1, 12, 14, 16],
                convolution(axis(3, dilation: 2, 2, 2), axis(3, dilation: 3, 3, 3), 16, 32)),
            single("the whole image", [3, 4, 4, 24], convolution(axis(4), axis(4), 24, 10)),
            single(
                "few inputs: rows", [2, 11, 13, 3],
                convolution(axis(7, stride: 2, 3, 3), axis(7, stride: 2, 3, 3), 3, 40)),
            single("one input", [1, 10, 10, 1], convolution(axis(5, 2, 2), axis(5, 2, 2), 1, 8)),
            single(
                "few inputs, dilated along the width", [1, 9, 9, 3], convolution(axis(3), axis(3, dilation: 2), 3, 16)),
            single("groups", [1, 6, 6, 24], convolution(axis(3, 1, 1), axis(3, 1, 1), 8, 36)),
            single("groups of 8 channels", [2, 6, 7, 40], convolution(axis(3, 1, 1), axis(3, 1, 1), 8, 40)),
            single(
                "groups of 4 channels to 8, stride 2", [1, 9, 7, 72],
                convolution(axis(3, stride: 2, 1, 1), axis(3, stride: 2, 1, 1), 4, 144)),
            single("groups of 16 channels to 2", [1, 5, 5, 160], convolution(axis(1), axis(1), 16, 20)),
            single("groups of 24 channels", [1, 5, 6, 120], convolution(axis(3, 1, 1), axis(1), 24, 120)),
            EngineCase("groups between convolutions, with a residual", [1, 7, 6, 8]) { builder, values in
                let image = try builder.one(convolution(axis(1), axis(1), 8, 56), values[0])
                let grouped = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 8, 56), image)
                let sum = try builder.one(Unary(.swish(beta: 1)), builder.one(Binary(.add), grouped, image))
                return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 56, 8), sum)]
            },
            single(
                "a border too wide for the halo", [1, 3, 4, 2], convolution(axis(2, stride: 90, 300, 0), axis(1), 2, 3)),
            single("one output", [1, 5, 5, 16], convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 1)),
            single("one output, 16 pixels at a time", [2, 9, 32, 5], convolution(axis(9, 4, 4), axis(9, 4, 4), 5, 1)),
            single(
                "three outputs, 4 pixels at a time, stride 2", [1, 9, 15, 20],
                convolution(axis(3, stride: 2, 1, 1), axis(7, stride: 2, 3, 3), 20, 3)),
            single(
                "two outputs, no padding, no bias", [1, 7, 13, 17],
                convolution(axis(3, dilation: 2), axis(6), 17, 2, bias: false)),
            EngineCase("four outputs, activated and added to an image", [1, 6, 8, 16]) { builder, values in
                let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 4), values[0])
                let other = try builder.one(convolution(axis(1), axis(1), 16, 4), values[0])
                return [try builder.one(Binary(.add), builder.one(Unary(.tanh), image), other)]
            },
            EngineCase("three outputs between convolutions", [1, 6, 10, 8]) { builder, values in
                let image = try builder.one(convolution(axis(5, 2, 2), axis(5, 2, 2), 8, 3), values[0])
                let result = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 20), image)
                return [result, image]
            },
            single("many pixels", [1, 60, 60, 16], convolution(axis(1), axis(1), 16, 64)),
            single("large weights", [1, 4, 4, 256], convolution(axis(3, 1, 1), axis(3, 1, 1), 256, 256)),
            single("depthwise 3×3", [2, 9, 8, 32], depthwise(axis(3, 1, 1), axis(3, 1, 1), 32)),
            single(
                "depthwise 5×5 stride 2, odd channels", [1, 11, 9, 21],
                depthwise(axis(5, stride: 2, 1, 2), axis(5, stride: 2, 1, 2), 21)),
            single(
                "depthwise dilated", [1, 11, 9, 16],
                depthwise(axis(3, dilation: 2, 2, 2), axis(3, dilation: 3, 3, 3), 16)),
            single(
                "depthwise with a multiplier", [1, 7, 7, 6], depthwise(axis(3, 1, 1), axis(3, 1, 1), 6, multiplier: 3)),
            single(
                "depthwise with a multiplier, many channels", [1, 7, 7, 40],
                depthwise(axis(3, 1, 1), axis(3, 1, 1), 40, multiplier: 2)),
            single("dense", [1, 50], Dense(matrix: tensor([50, 33]), bias: tensor([33], seed: 2))),
            single("dense, many rows, no bias", [17, 64], Dense(matrix: tensor([64, 100]))),
        ]
}
