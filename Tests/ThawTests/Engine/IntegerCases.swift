import Testing

@testable import Thaw

/// A network whose values are quantized, small enough for the plain implementations.
struct IntegerCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var input: Shape
    /// The kinds of the integer operations, in order.
    var kinds: [String]
    /// The largest difference from the network computed as written, in percent of the output's range. Weights are
    /// rounded to 8 bits, and some values that are rounded twice there are rounded once.
    var tolerance: Float
    var build: @Sendable (inout QuantizedBuilder, Graph.Value) throws -> Graph.Value

    init(
        _ description: String, _ input: Shape, _ kinds: [String], tolerance: Float = 2,
        _ build: @escaping @Sendable (inout QuantizedBuilder, Graph.Value) throws -> Graph.Value
    ) {
        (testDescription, self.input, self.kinds, self.tolerance, self.build) =
            (description, input, kinds, tolerance, build)
    }

    /// Quantized once at the input, which is between −1 and 1.
    func graph() throws -> Graph {
        var builder = QuantizedBuilder()
        let x = builder.graph.input("x", TensorType(input))
        builder.graph.output("y", try build(&builder, try builder.quantized(x, 2 / 255, zeroPoint: 128)))
        return builder.graph.graph
    }

    func inputs() -> [Tensor] { [tensor(input, seed: 5)] }
}

struct QuantizedBuilder {
    var graph = GraphBuilder()

    mutating func one(_ operation: any Thaw.Operation, _ inputs: Graph.Value...) throws -> Graph.Value {
        try graph.add(operation, inputs, name: operation.kind)[0]
    }

    /// Quantizes and dequantizes.
    mutating func quantized(
        _ x: Graph.Value, _ scale: Float, zeroPoint: Int, element: ElementType = .uint8
    ) throws -> Graph.Value {
        let scale = AffineScale([scale], zeroPoints: [zeroPoint])
        return try one(AffineDequantize(scale: scale), one(AffineQuantize(scale: scale, element: element), x))
    }
}

extension IntegerCase {
    private static func layer(
        _ name: String, _ input: Shape, _ kind: String, scale: Float, zeroPoint: Int = 120,
        activation: Unary.Function? = nil, element: ElementType = .uint8, _ operation: any Thaw.Operation
    ) -> IntegerCase {
        IntegerCase(name, input, ["AffineQuantize", kind, "AffineDequantize"]) { builder, x in
            var y = try builder.one(operation, x)
            if let activation { y = try builder.one(Unary(activation), y) }
            return try builder.quantized(y, scale, zeroPoint: zeroPoint, element: element)
        }
    }

    /// Multiples of 0.01 that are kept as integers. In one channel, adjacent ones are −128.
    private static var lowestWeights: Tensor {
        Tensor(shape: [1, 1, 20, 40]) { values in
            for index in 0..<values.count {
                let (input, channel) = (index / 40, index % 40)
                let isLowest = channel == 3 ? input / 2 % 3 == 0 : channel % 2 == 0 && input == 5
                values[index] = Float(isLowest ? -128 : index * 37 % 201 - 100) * 0.01
            }
        }
    }

    static let layers: [IntegerCase] = [
        layer("1×1", [1, 7, 5, 16], "IntegerConvolution", scale: 0.05, convolution(axis(1), axis(1), 16, 32)),
        layer(
            "3×3 of rows", [2, 9, 7, 3], "IntegerConvolution", scale: 0.05,
            convolution(axis(3, stride: 2, 0, 1), axis(3, stride: 2, 1, 1), 3, 20)),
        layer(
            "7×7 of rows", [1, 19, 17, 3], "IntegerConvolution", scale: 0.1,
            convolution(axis(7, stride: 2, 3, 3), axis(7, stride: 2, 3, 3), 3, 64)),
        layer(
            "3×3 of odd channels", [1, 6, 11, 37], "IntegerConvolution", scale: 0.2, zeroPoint: 3,
            activation: .relu, convolution(axis(3, 1, 1), axis(3, 1, 1), 37, 70)),
        layer(
            "dilated", [1, 12, 12, 16], "IntegerConvolution", scale: 0.1,
            convolution(axis(3, dilation: 2, 2, 2), axis(3, dilation: 2, 2, 2), 16, 16)),
        layer(
            "relu6, zero at the end", [1, 5, 5, 40], "IntegerConvolution", scale: 6 / 255, zeroPoint: 0,
            activation: .relu6, convolution(axis(1), axis(1), 40, 96)),
        layer(
            "signed integers", [1, 5, 5, 16], "IntegerConvolution", scale: 0.05, zeroPoint: -7, element: .int8,
            convolution(axis(1), axis(1), 16, 48)),
        layer(
            "weights of −128", [1, 6, 5, 20], "IntegerConvolution", scale: 0.5,
            Convolution(filters: lowestWeights, bias: nil, window: Window(height: axis(1), width: axis(1)))),
        layer(
            "depthwise", [1, 9, 11, 24], "IntegerDepthwiseConvolution", scale: 0.03,
            depthwise(axis(3, 1, 1), axis(3, 1, 1), 24)),
        layer(
            "depthwise with stride", [1, 9, 11, 32], "IntegerDepthwiseConvolution", scale: 0.03, zeroPoint: 0,
            activation: .relu6, depthwise(axis(3, stride: 2, 0, 1), axis(3, stride: 2, 0, 1), 32)),
        layer(
            "depthwise 5×5", [2, 12, 13, 16], "IntegerDepthwiseConvolution", scale: 0.05,
            depthwise(axis(5, 2, 2), axis(5, 2, 2), 16)),
        layer(
            "depthwise 3×4, stride 3, dilated", [1, 14, 17, 5], "IntegerDepthwiseConvolution", scale: 0.05,
            depthwise(axis(3, stride: 3, 1, 1), axis(4, dilation: 2, 2, 2), 5)),
        layer(
            "dense", [3, 130], "IntegerDense", scale: 0.1, zeroPoint: 99,
            Dense(matrix: tensor([130, 71], seed: 3), bias: tensor([71], seed: 4))),
        layer(
            "average pooling", [1, 9, 9, 20], "IntegerAveragePooling", scale: 0.004,
            Pooling(function: .average, window: Window(height: axis(3, 1, 1), width: axis(3, stride: 2, 1, 1)))),
        layer(
            "average pooling that counts its padding", [1, 9, 9, 20], "IntegerAveragePooling", scale: 0.004,
            Pooling(
                function: .average, window: Window(height: axis(2, 1, 1), width: axis(3, 1, 0)), countsPadding: true)),
        layer(
            "average pooling of wide rows", [2, 11, 14, 20], "IntegerAveragePooling", scale: 0.003,
            Pooling(function: .average, window: Window(height: axis(3, 1, 1), width: axis(3, 1, 1)))),
        layer(
            "average pooling of wide rows with stride", [1, 10, 23, 20], "IntegerAveragePooling", scale: 0.003,
            Pooling(
                function: .average, window: Window(height: axis(2, stride: 2, 0, 0), width: axis(2, stride: 2, 0, 0)))),
        layer(
            "average pooling of 256 pixels", [1, 17, 18, 16], "IntegerAveragePooling", scale: 0.003,
            Pooling(function: .average, window: Window(height: axis(16, 0, 0), width: axis(16, 2, 2)))),
        layer(
            "average pooling of 289 pixels", [1, 18, 17, 16], "IntegerAveragePooling", scale: 0.003,
            Pooling(function: .average, window: Window(height: axis(17, 0, 0), width: axis(17, 1, 1)))),
        layer(
            "average pooling of windows wider than the image", [1, 4, 3, 16], "IntegerAveragePooling", scale: 0.003,
            Pooling(function: .average, window: Window(height: axis(5, 2, 2), width: axis(5, 2, 2)))),
        layer(
            "mean", [2, 9, 9, 150], "IntegerMean", scale: 0.001, zeroPoint: 128,
            Reduction(function: .mean, axes: [1, 2], keepsAxes: false)),
        layer(
            "mean that keeps axes", [1, 4, 9, 16], "IntegerMean", scale: 0.002, zeroPoint: 128,
            Reduction(function: .mean, axes: [1, 2], keepsAxes: true)),
        layer("swish", [1, 9, 5, 20], "IntegerLookup", scale: 0.004, zeroPoint: 70, Unary(.swish(beta: 1))),
        layer("requantization", [1, 9, 5, 20], "IntegerLookup", scale: 0.005, Unary(.clip(-0.5, 0.5))),
    ]

    /// An image so large that three threads share its rows.
    static let sharedRows = IntegerCase(
        "shared rows", [1, 40, 45, 16],
        [
            "AffineQuantize", "IntegerConvolution", "IntegerDepthwiseConvolution", "IntegerConvolution",
            "AffineDequantize",
        ], tolerance: 3
    ) { builder, x in
        let wide = try builder.quantized(
            builder.one(convolution(axis(1), axis(1), 16, 32), x), 0.05, zeroPoint: 120)
        let filtered = try builder.quantized(
            builder.one(depthwise(axis(3, 1, 1), axis(3, 1, 1), 32), wide), 0.1, zeroPoint: 120)
        return try builder.quantized(
            builder.one(convolution(axis(1), axis(1), 32, 16), filtered), 0.1, zeroPoint: 120)
    }

    static let networks: [IntegerCase] = [
        IntegerCase("max pooling", [1, 9, 9, 20], ["AffineQuantize", "IntegerMaxPooling", "AffineDequantize"]) {
            try $0.one(
                Pooling(
                    function: .maximum, window: Window(height: axis(3, stride: 2, 1, 1), width: axis(2, 0, 1))), $1)
        },
        IntegerCase(
            "max pooling of wide rows", [2, 11, 15, 20], ["AffineQuantize", "IntegerMaxPooling", "AffineDequantize"]
        ) {
            let window = Window(height: axis(3, stride: 2, 1, 1), width: axis(3, stride: 2, 1, 1))
            return try $0.one(Pooling(function: .maximum, window: window), $1)
        },
        IntegerCase("floats at the end", [1, 4, 4, 16], ["AffineQuantize", "IntegerConvolution", "Softmax"]) {
            try $0.one(Softmax(axis: 3), $0.one(convolution(axis(1), axis(1), 16, 10), $1))
        },
        IntegerCase("a convolution in floats", [1, 4, 4, 16], ["AffineQuantize", "IntegerConvolution"]) {
            try $0.one(convolution(axis(1), axis(1), 16, 48), $1)
        },
        IntegerCase(
            "a grouped convolution", [1, 4, 4, 32],
            ["AffineQuantize", "AffineDequantize", "Convolution", "AffineQuantize", "AffineDequantize"]
        ) { builder, x in
            try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 16, 32), x), 0.05, zeroPoint: 100)
        },
        IntegerCase(
            "residual", [1, 8, 8, 32],
            [
                "AffineQuantize", "IntegerConvolution", "IntegerConvolution", "IntegerAddition", "AffineDequantize",
            ], tolerance: 3
        ) { builder, x in
            let first = try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 32, 48), x), 0.06, zeroPoint: 125)
            let inner = try builder.quantized(
                builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 48, 48), first), 0.3, zeroPoint: 130)
            return try builder.quantized(
                builder.one(Unary(.relu), builder.one(Binary(.add), first, inner)), 0.3, zeroPoint: 0)
        },
        sharedRows,
        IntegerCase(
            "a gate for each channel", [2, 7, 9, 20],
            [
                "AffineQuantize", "IntegerMean", "IntegerConvolution", "IntegerLookup", "IntegerMultiplication",
                "AffineDequantize",
            ], tolerance: 3
        ) { builder, x in
            let means = try builder.quantized(
                builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: true), x), 0.01, zeroPoint: 128)
            let layer = try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 20, 20), means), 0.01, zeroPoint: 120)
            let gates = try builder.quantized(builder.one(Unary(.sigmoid), layer), 1 / 255, zeroPoint: 0)
            return try builder.quantized(builder.one(Binary(.multiply), x, gates), 0.004, zeroPoint: 130)
        },
        IntegerCase(
            "a gate first, and a clamped product of equal shapes", [1, 6, 11, 32],
            [
                "AffineQuantize", "IntegerMean", "IntegerMultiplication", "IntegerMultiplication", "AffineDequantize",
            ], tolerance: 3
        ) { builder, x in
            let means = try builder.quantized(
                builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: true), x), 0.01, zeroPoint: 128)
            let scaled = try builder.quantized(builder.one(Binary(.multiply), means, x), 0.001, zeroPoint: 130)
            let product = try builder.one(Binary(.multiply), x, scaled)
            return try builder.quantized(builder.one(Unary(.relu), product), 0.0005, zeroPoint: 0)
        },
        IntegerCase(
            "products of other shapes stay in floats", [1, 4, 4, 16],
            [
                "AffineQuantize", "AffineDequantize", "ReduceMean", "AffineQuantize", "AffineDequantize", "Multiply",
                "AffineQuantize", "AffineDequantize",
            ]
        ) { builder, x in
            let means = try builder.quantized(
                builder.one(Reduction(function: .mean, axes: [3], keepsAxes: true), x), 0.01, zeroPoint: 128)
            return try builder.quantized(builder.one(Binary(.multiply), x, means), 0.001, zeroPoint: 130)
        },
        IntegerCase(
            "a factor and an offset for each channel", [2, 6, 11, 37],
            ["AffineQuantize", "IntegerScale", "IntegerConvolution", "AffineDequantize"], tolerance: 3
        ) { builder, x in
            let scaled = try builder.one(
                BatchNormalization(scale: tensor([37], seed: 6), offset: tensor([37], seed: 7)), x)
            let rectified = try builder.quantized(builder.one(Unary(.relu), scaled), 0.008, zeroPoint: 0)
            return try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 37, 32), rectified), 0.05, zeroPoint: 100)
        },
        // As a batch normalization without an offset arrives, and one that was split.
        IntegerCase(
            "a factor, an offset, and a difference for each channel", [2, 6, 11, 37],
            ["AffineQuantize", "IntegerScale", "IntegerScale", "IntegerScale", "AffineDequantize"], tolerance: 3
        ) { builder, x in
            let scaled = try builder.one(Binary(.multiply, constant: tensor([37], seed: 6)), x)
            let factor = try builder.quantized(builder.one(Unary(.relu), scaled), 0.008, zeroPoint: 0)
            let offset = try builder.quantized(
                builder.one(Binary(.add, constant: tensor([1, 1, 37], seed: 7)), factor), 0.01, zeroPoint: 128)
            let difference = Binary(.subtract, constant: tensor([37], seed: 8), constantFirst: true)
            return try builder.quantized(builder.one(difference, offset), 0.02, zeroPoint: 128)
        },
        // As coremltools writes sums: values are dequantized with another scale than they were quantized with.
        IntegerCase(
            "a sum in another unit, and quantized values that are reshaped", [1, 8, 8, 32],
            [
                "AffineQuantize", "IntegerConvolution", "IntegerConvolution", "IntegerAddition", "Reshape",
                "AffineDequantize",
            ], tolerance: 3
        ) { builder, x in
            func quantized(_ x: Graph.Value, _ scale: Float, _ element: ElementType, zeroPoint: Int) throws
                -> Graph.Value
            {
                try builder.one(
                    AffineQuantize(scale: AffineScale([scale], zeroPoints: [zeroPoint]), element: element), x)
            }
            func floats(_ x: Graph.Value, _ scale: Float, zeroPoint: Int) throws -> Graph.Value {
                try builder.one(AffineDequantize(scale: AffineScale([scale], zeroPoints: [zeroPoint])), x)
            }
            let first = try quantized(
                builder.one(convolution(axis(1), axis(1), 32, 48), x), 0.06, .uint8, zeroPoint: 125)
            let layer = try builder.one(
                convolution(axis(3, 1, 1), axis(3, 1, 1), 48, 48), floats(first, 0.06, zeroPoint: 125))
            let inner = try floats(quantized(layer, 0.3, .int8, zeroPoint: 2), 6, zeroPoint: 2)
            let sum = try builder.one(Binary(.add), floats(first, 1.2, zeroPoint: 125), inner)
            let reshaped = try builder.one(
                Reshape([1, 64, 48]), quantized(builder.one(Unary(.relu), sum), 6, .uint8, zeroPoint: 0))
            return try floats(reshaped, 0.3, zeroPoint: 0)
        },
        IntegerCase(
            "the other order, and another consumer", [1, 8, 8, 32],
            [
                "AffineQuantize", "IntegerConvolution", "IntegerAddition", "IntegerAddition", "AffineDequantize",
            ], tolerance: 3
        ) { builder, x in
            let inner = try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 32, 32), x), 0.06, zeroPoint: 125)
            let sum = try builder.quantized(builder.one(Binary(.add), inner, x), 0.06, zeroPoint: 110)
            return try builder.quantized(builder.one(Binary(.add), sum, inner), 0.1, zeroPoint: 90)
        },
        IntegerCase(
            "concatenation and reshape", [1, 4, 4, 16],
            [
                "AffineQuantize", "IntegerConvolution", "Concatenation", "IntegerConvolution", "Reshape",
                "IntegerDense", "AffineDequantize",
            ], tolerance: 4
        ) { builder, x in
            let scale: Float = 2 / 255
            let other = try builder.quantized(
                builder.one(Unary(.clip(-1, 1)), builder.one(convolution(axis(1), axis(1), 16, 24), x)), scale,
                zeroPoint: 128)
            let joined = try builder.quantized(builder.one(Concatenation(axis: 3), x, other), scale, zeroPoint: 128)
            let inner = try builder.quantized(
                builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 40, 8), joined), 0.1, zeroPoint: 128)
            let flat = try builder.quantized(builder.one(Reshape([1, 128]), inner), 0.1, zeroPoint: 128)
            return try builder.quantized(
                builder.one(Dense(matrix: tensor([128, 10]), bias: nil), flat), 0.3, zeroPoint: 128)
        },
        IntegerCase(
            "padding before max pooling", [1, 6, 6, 16],
            ["AffineQuantize", "IntegerPad", "IntegerMaxPooling", "AffineDequantize"]
        ) { builder, x in
            let padded = try builder.one(Pad(before: [0, 1, 1, 0], after: [0, 1, 1, 0]), x)
            let window = Window(height: axis(3, stride: 2), width: axis(3, stride: 2))
            return try builder.one(Pooling(function: .maximum, window: window), padded)
        },
        // As NASNet shifts an image.
        IntegerCase(
            "a slice of a padded image", [2, 7, 7, 20],
            [
                "AffineQuantize", "IntegerConvolution", "IntegerPad", "StridedSlice", "IntegerConvolution",
                "AffineDequantize",
            ],
            tolerance: 3
        ) { builder, x in
            let inner = try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 20, 24), x), 0.02, zeroPoint: 125)
            let padded = try builder.one(Pad(before: [0, 0, 0, 0], after: [0, 1, 1, 0]), inner)
            let ranges = [2, 7, 7, 24].enumerated().map {
                StridedSlice.Range(start: [0, 1, 1, 0][$0.offset], count: $0.element)
            }
            let slice = try builder.quantized(
                builder.one(StridedSlice(ranges: ranges), padded), 0.02, zeroPoint: 125)
            return try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 24, 8), slice), 0.03, zeroPoint: 128)
        },
        IntegerCase(
            "movements of plain quantized values", [2, 5, 20],
            ["AffineQuantize", "Transpose", "Pad", "StridedSlice", "AffineDequantize"]
        ) { builder, x in
            let turned = try builder.one(Transpose([0, 2, 1]), x)
            let padded = try builder.one(Pad(before: [0, 1, 0], after: [1, 0, 3]), turned)
            let ranges = [
                StridedSlice.Range(start: 2, count: 2, step: -1), .init(start: 1, count: 7, step: 3),
                .init(start: 2, count: 5),
            ]
            return try builder.one(StridedSlice(ranges: ranges), padded)
        },
        IntegerCase(
            "padding", [1, 6, 6, 16], ["AffineQuantize", "IntegerPad", "IntegerConvolution", "AffineDequantize"]
        ) { builder, x in
            let padded = try builder.one(Pad(before: [0, 1, 1, 0], after: [0, 2, 2, 0]), x)
            return try builder.quantized(
                builder.one(convolution(axis(3), axis(3), 16, 16).withRoundedWeights, padded), 0.1, zeroPoint: 100)
        },
        IntegerCase(
            "padding before a layer with other weights", [1, 6, 6, 16],
            ["AffineQuantize", "IntegerPad", "AffineDequantize", "Convolution", "AffineQuantize", "AffineDequantize"]
        ) { builder, x in
            let padded = try builder.one(Pad(before: [0, 1, 1, 0], after: [0, 2, 2, 0]), x)
            return try builder.quantized(
                builder.one(convolution(axis(3), axis(3), 16, 16), padded), 0.1, zeroPoint: 100)
        },
        IntegerCase(
            "a layer in floats between", [1, 6, 6, 16],
            [
                "AffineQuantize", "IntegerConvolution", "Sigmoid", "AffineQuantize", "IntegerConvolution",
                "AffineDequantize",
            ]
        ) { builder, x in
            let gates = try builder.one(Unary(.sigmoid), builder.one(convolution(axis(1), axis(1), 16, 16), x))
            return try builder.quantized(
                builder.one(convolution(axis(1), axis(1), 16, 16), builder.quantized(gates, 1 / 255, zeroPoint: 0)),
                0.05, zeroPoint: 100)
        },
    ]
}
