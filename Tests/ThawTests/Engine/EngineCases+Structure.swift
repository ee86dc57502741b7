@testable import Thaw

extension EngineCase {
    static let structure: [EngineCase] = [
        EngineCase("an input that is the output", [2, 3]) { _, values in values },
        EngineCase("convolution, residual, activation", [1, 6, 7, 20]) { builder, values in
            let a = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 20, 24), values[0])
            let b = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 24, 24), a)
            let sum = try builder.one(Binary(.add), a, b)
            return [try builder.one(Unary(.relu), sum)]
        },
        EngineCase("two convolutions added, fused with elu", [2, 6, 7, 16]) { builder, values in
            let a = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 40), values[0])
            let b = try builder.one(convolution(axis(1), axis(1), 16, 40), values[0])
            return [try builder.one(Unary(.elu), builder.one(Binary(.add), a, b))]
        },
        EngineCase("residuals that are overwritten, kept, and read by the convolution itself", [2, 9, 9, 16]) {
            builder, values in
            func next(_ x: Graph.Value, adding y: Graph.Value) throws -> Graph.Value {
                let sum = try builder.one(Binary(.add), y, builder.one(convolution(axis(1), axis(1), 16, 16), x))
                return try builder.one(Unary(.relu), sum)
            }
            let a = try builder.one(convolution(axis(1), axis(1), 16, 16), values[0])
            let b = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 16), a)
            let c = try next(b, adding: a)
            let d = try next(c, adding: b)
            let e = try next(d, adding: d)
            let f = try builder.one(Pad(before: [0, 1, 1, 0], after: [0, 1, 1, 0]), c)
            return [try next(e, adding: c), f, try next(values[0], adding: d)]
        },
        EngineCase("a convolution added to itself", [1, 5, 5, 16]) { builder, values in
            let a = try builder.one(convolution(axis(1), axis(1), 16, 16), values[0])
            return [try builder.one(Binary(.add), a, a)]
        },
        EngineCase("a convolution that is also an output is not fused", [1, 5, 5, 16]) { builder, values in
            let a = try builder.one(convolution(axis(1), axis(1), 16, 16), values[0])
            return [a, try builder.one(Unary(.relu), a)]
        },
        EngineCase("consumers with different halos", [1, 12, 12, 16]) { builder, values in
            let a = try builder.one(convolution(axis(1), axis(1), 16, 16), values[0])
            let b = try builder.one(convolution(axis(5, 2, 2), axis(5, 2, 2), 16, 16), a)
            let c = try builder.one(convolution(axis(3, stride: 2, 0, 1), axis(3, stride: 2, 0, 1), 16, 16), a)
            return [
                b, c,
                try builder.one(
                    Pooling(function: .average, window: Window(height: axis(3, 1, 1), width: axis(3, 1, 1))), a),
            ]
        },
        EngineCase("an image border of zeros before pooling and convolution", [2, 7, 8, 20]) { builder, values in
            let a = try builder.one(convolution(axis(1), axis(1), 20, 20), values[0])
            let padded = try builder.one(Pad(before: [0, 1, 2, 0], after: [0, 2, 1, 0]), a)
            let pooled = try builder.one(
                Pooling(function: .maximum, window: Window(height: axis(3, stride: 2), width: axis(3, stride: 2))),
                padded)
            return [pooled, padded, try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 20, 16), padded)]
        },
        EngineCase("a border around an input", [1, 4, 4, 3]) { builder, values in
            [try builder.one(Pad(before: [0, 1, 1, 0], after: [0, 1, 1, 0]), values[0])]
        },
        EngineCase("concatenation of blocks", [2, 5, 6, 3]) { builder, values in
            let a = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 32), values[0])
            let b = try builder.one(convolution(axis(1), axis(1), 3, 16), values[0])
            let all = try builder.add(Concatenation(axis: 3), [a, b, a], name: "join")[0]
            return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 80, 16), all)]
        },
        EngineCase("concatenation of odd channels", [2, 5, 6, 3]) { builder, values in
            let a = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 10), values[0])
            let all = try builder.add(Concatenation(axis: 3), [a, values[0]], name: "join")[0]
            return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 13, 16), all)]
        },
        EngineCase("concatenation of images along the height", [1, 5, 6, 16], [1, 2, 6, 16]) { builder, values in
            [try builder.add(Concatenation(axis: 1), values, name: "join")[0]]
        },
        EngineCase("flattening blocks into a dense layer", [2, 4, 4, 3]) { builder, values in
            let a = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 20), values[0])
            let flat = try builder.one(Reshape([2, 320]), a)
            return [try builder.one(Dense(matrix: tensor([320, 10]), bias: tensor([10], seed: 2)), flat), flat]
        },
        EngineCase("a dense layer, a reshape, an activation", [2, 5, 20]) { builder, values in
            [try builder.one(Unary(.gelu), builder.rows(values[0], 20, 37))]
        },
        EngineCase("a dense layer, a reshape that is also an output, an activation", [2, 5, 20]) { builder, values in
            let rows = try builder.rows(values[0], 20, 37)
            return [rows, try builder.one(Unary(.gelu), rows)]
        },
        EngineCase("dense layers between reshapes, with residuals", [2, 5, 20], [2, 5, 20]) { builder, values in
            let first = try builder.one(Binary(.add), values[0], builder.rows(values[1], 20, 20))
            let second = try builder.one(Binary(.add), builder.rows(first, 20, 20), first)
            return [
                second, try builder.one(Unary(.elu), builder.one(Binary(.add), builder.rows(second, 20, 20), first)),
            ]
        },
        EngineCase("a dense layer whose rows are split, and a residual", [6, 20], [6, 2, 20]) { builder, values in
            let rows = try builder.one(Dense(matrix: tensor([20, 40]), bias: nil), values[0])
            return [try builder.one(Binary(.add), builder.one(Reshape([6, 2, 20]), rows), values[1])]
        },
        EngineCase("a dense layer on an image, and a residual", [2, 3, 4, 20], [2, 3, 4, 20]) { builder, values in
            [try builder.one(Binary(.add), values[1], builder.rows(values[0], 20, 20))]
        },
        EngineCase("a dense layer and a residual without reshapes", [6, 20], [6, 33]) { builder, values in
            let rows = try builder.one(Dense(matrix: tensor([20, 33]), bias: tensor([33])), values[0])
            return [try builder.one(Unary(.relu), builder.one(Binary(.add), values[1], rows))]
        },
        EngineCase("a dense layer added to itself in another shape", [6, 20]) { builder, values in
            let rows = try builder.one(Dense(matrix: tensor([20, 33]), bias: nil), values[0])
            let other = try builder.one(Reshape([2, 3, 33]), rows)
            return [try builder.one(Binary(.add), other, other), try builder.one(Unary(.relu), rows)]
        },
        rolled("by a part of the height", [2, 7, 5, 20], axis: 1, [3, 4, 5, 6, 0, 1, 2]),
        rolled("with negative indices", [2, 7, 5, 3], axis: 2, [-2, -1, 0, 1, 2]),
        rolled("to one slice", [4, 9], axis: 1, [2, 3, 4]),
        rolled("to many slices", [4, 9], axis: 1, [8, 0, 7, 1, 6, 2, 5, 3, 4]),
        rolled("past the end", [4, 9], axis: 1, [7, 8, 9]),
        EngineCase("a classifier: convolution, pooling, mean, convolution, softmax", [2, 16, 16, 3]) {
            builder, values in
            var x = try builder.one(convolution(axis(3, stride: 2, 0, 1), axis(3, stride: 2, 0, 1), 3, 20), values[0])
            x = try builder.one(Unary(.relu6), x)
            x = try builder.one(depthwise(axis(3, 1, 1), axis(3, 1, 1), 20), x)
            x = try builder.one(Unary(.relu6), x)
            x = try builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: true), x)
            x = try builder.one(convolution(axis(1), axis(1), 20, 11), x)
            x = try builder.one(Reshape([2, 11]), x)
            return [try builder.one(Softmax(axis: 1), x)]
        },
        // Images large enough to be processed in bands.
        EngineCase("a depthwise convolution and a pointwise one after it, relu6 between", [1, 90, 62, 50]) {
            builder, values in
            var x = try builder.one(depthwise(axis(3, 1, 1), axis(3, 1, 1), 50), values[0])
            x = try builder.one(Unary(.relu6), x)
            return [try builder.one(convolution(axis(1), axis(1), 50, 24), x)]
        },
        EngineCase("an inverted residual: expansion, depthwise, projection, addition", [1, 88, 64, 24]) {
            builder, values in
            let first = try builder.one(Unary(.relu), values[0])
            var x = try builder.one(convolution(axis(1), axis(1), 24, 56), first)
            x = try builder.one(Unary(.relu6), x)
            x = try builder.one(depthwise(axis(5, 2, 2), axis(5, 2, 2), 56), x)
            x = try builder.one(Unary(.sigmoid), x)
            x = try builder.one(convolution(axis(1), axis(1), 56, 24), x)
            return [try builder.one(Binary(.add), x, first)]
        },
        EngineCase("a first layer, a depthwise one of stride 2 and a pointwise one", [2, 170, 163, 3]) {
            builder, values in
            var x = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 40), values[0])
            x = try builder.one(depthwise(axis(3, stride: 2, 1, 0), axis(3, stride: 2, 1, 1), 40), x)
            x = try builder.one(convolution(axis(1), axis(1), 40, 19), x)
            return [try builder.one(Unary(.relu), x)]
        },
        EngineCase("a scale and a pointwise convolution after it, relu6 between", [2, 39, 32, 56]) { builder, values in
            let image = try builder.one(convolution(axis(1), axis(1), 56, 56), values[0])
            var x = try builder.one(BatchNormalization(scale: tensor([56]), offset: tensor([56], seed: 2)), image)
            x = try builder.one(Unary(.relu6), x)
            x = try builder.one(convolution(axis(1), axis(1), 56, 37), x)
            x = try builder.one(Unary(.sigmoid), x)
            return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 37, 16), x), image]
        },
        EngineCase("a scaled input, a pointwise convolution and an addition", [1, 64, 64, 24]) { builder, values in
            var x = try builder.one(BatchNormalization(scale: tensor([24]), offset: tensor([24], seed: 2)), values[0])
            x = try builder.one(convolution(axis(1), axis(1), 24, 24), x)
            return [try builder.one(Binary(.add), x, values[0])]
        },
        squeezeAndExcitation("squeeze and excitation, gates made in the weights", [1, 11, 10, 3], outputs: 24),
        squeezeAndExcitation("squeeze and excitation, many outputs", [1, 3, 4, 3], outputs: 90),
        squeezeAndExcitation("squeeze and excitation, two images", [2, 11, 10, 3], outputs: 40),
        EngineCase("weights in Core ML's order", [1, 12, 13, 3]) { builder, values in
            func layer(_ size: Int, _ inputs: Int, _ outputs: Int) -> Convolution {
                let side = size / 2
                return Convolution(
                    filters: tensor([outputs, inputs, size, size]).transposed([2, 3, 1, 0]),
                    bias: tensor([outputs], seed: 2),
                    window: Window(height: axis(size, side, side), width: axis(size, side, side)))
            }
            var x = try builder.one(layer(3, 3, 40), values[0])
            x = try builder.one(layer(1, 40, 70), x)
            x = try builder.one(layer(3, 70, 33), x)
            let planes = tensor([33, 1, 3, 3]).transposed([2, 3, 0, 1]).reshaped([3, 3, 33, 1])
            x = try builder.one(
                DepthwiseConvolution(filters: planes, window: Window(height: axis(3, 1, 1), width: axis(3, 1, 1))), x)
            x = try builder.one(Reshape([1, 12 * 13 * 33]), x)
            // Rows in channels-first order.
            let matrix = tensor([20, 33 * 12 * 13]).transposed([1, 0]).reshaped([33, 12, 13, 20]).transposed([
                1, 2, 0, 3,
            ])
            return [try builder.one(Dense(matrix: matrix.reshaped([12 * 13 * 33, 20])), x)]
        },
        EngineCase("an operation without a kernel between others", [1, 6, 6, 16]) { builder, values in
            let a = try builder.one(convolution(axis(1), axis(1), 16, 16), values[0])
            let turned = try builder.one(Transpose([0, 2, 1, 3]), a)
            return [try builder.one(convolution(axis(3), axis(3), 16, 16), turned)]
        },
    ]

    static let all =
        convolutions + pooling + functions + arithmetic + normalizations + tensors + matrices + structure + images
}

/// Squeeze-and-excitation: channels multiplied by gates from their means, before a pointwise convolution with a residual.
func squeezeAndExcitation(_ name: String, _ shape: Shape, outputs: Int) -> EngineCase {
    EngineCase(name, shape) { builder, values in
        let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 3, 40), values[0])
        let residual = try builder.one(convolution(axis(1), axis(1), 3, outputs), values[0])
        var gates = try builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: true), image)
        gates = try builder.one(Unary(.relu), builder.one(convolution(axis(1), axis(1), 40, 10), gates))
        gates = try builder.one(Unary(.sigmoid), builder.one(convolution(axis(1), axis(1), 10, 40), gates))
        let gated = try builder.one(Binary(.multiply), gates, image)
        let x = try builder.one(convolution(axis(1), axis(1), 40, outputs), gated)
        return [try builder.one(Binary(.add), x, residual)]
    }
}

extension GraphBuilder {
    /// A dense layer on the last axis of a tensor, as coremltools writes it: between reshapes.
    mutating func rows(_ value: Graph.Value, _ inputs: Int, _ outputs: Int) throws -> Graph.Value {
        let shape = self[value].shape
        let rows = try one(Reshape([shape.elementCount / inputs, inputs]), value)
        let dense = Dense(matrix: tensor([inputs, outputs]), bias: tensor([outputs], seed: 2))
        return try one(Reshape(Shape(shape.dropLast() + [outputs])), one(dense, rows))
    }
}

/// Slices selected at known indices, of which negative ones count from the end.
func rolled(_ name: String, _ shape: Shape, axis: Int, _ indices: [Int]) -> EngineCase {
    EngineCase("slices " + name, shape) { builder, values in
        let known = try builder.add(
            Constant(Tensor(integers: indices, shape: [indices.count])), [], name: "indices")[0]
        return [try builder.one(Gather(axis: axis, countsFromEnd: true), values[0], known)]
    }
}
