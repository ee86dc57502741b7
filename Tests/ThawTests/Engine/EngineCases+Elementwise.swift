@testable import Thaw

extension EngineCase {
    static let pooling: [EngineCase] = {
        var cases: [EngineCase] = []
        let padded = Window(height: axis(3, stride: 2, 1, 1), width: axis(3, 1, 1))
        let same = Window(height: axis(3, 1, 1), width: axis(3, 1, 1))
        for function in [Pooling.Function.maximum, .average] {
            let two = Pooling(function: function, window: Window(height: axis(2, stride: 2), width: axis(2, stride: 2)))
            cases.append(single("\(function) 2×2", [2, 8, 8, 16], two))
            cases.append(
                single(
                    "\(function) 3×3 padded, odd channels", [1, 7, 9, 5], Pooling(function: function, window: padded)))
            cases.append(
                single(
                    "\(function) counting padding", [1, 7, 7, 20],
                    Pooling(function: function, window: same, countsPadding: true)))
        }
        let image: Shape = [2, 5, 6, 20]
        cases.append(single("mean over the image", image, Reduction(function: .mean, axes: [1, 2], keepsAxes: false)))
        cases.append(
            single("sum over the image, kept", image, Reduction(function: .sum, axes: [1, 2], keepsAxes: true)))
        cases.append(single("largest channel", image, Reduction(function: .maximum, axes: [3], keepsAxes: false)))
        return cases
    }()

    static let functions: [EngineCase] = {
        var cases: [EngineCase] = []
        let functions: [Unary.Function] = [
            .negate, .square, .exponential, .relu, .relu6, .elu, .sigmoid, .tanh, .leakyRelu(slope: 0.2),
            .thresholdedRelu(bound: -0.25), .clip(-0.25, 0.5), .absolute, .sign, .ceiling, .floor, .round,
            .exponentialMinus1, .errorFunction,
            .complementaryErrorFunction, .selu, .softplus, .softsign, .swish(beta: 1), .swish(beta: 1.702),
            .hardSigmoid(alpha: 0.2, beta: 0.5), .hardSwish(alpha: 1 / 6, beta: 0.5), .gelu, .geluByTanh, .mish,
        ]
        for function in functions {
            cases.append(single("\(function)", [3, 19], Unary(function)))
            cases.append(blocked("\(function)", 24, Unary(function)))
        }
        for function in [Unary.Function.squareRoot, .reciprocalSquareRoot, .reciprocal, .logarithm] {
            for channels in [16, 20] {
                // NaN in the lanes past the last channel must not reach the next convolution.
                cases.append(
                    EngineCase("\(function) of \(channels) channels", [1, 5, 5, 8]) { builder, values in
                        let image = try builder.one(convolution(axis(1), axis(1), 8, channels), values[0])
                        let positive = try builder.one(Unary(.exponential), image)
                        let root = try builder.one(Unary(function), positive)
                        return [try builder.one(convolution(axis(1), axis(1), channels, 8), root)]
                    })
            }
        }
        // Only of the input: rounding errors of other operations could move a value to another level.
        for (low, high, bottom) in [(-1, 0.75, 0), (0, 0.5, 1), (-0.25, 0, 0)] as [(Float, Float, Float)] {
            let levels = Levels(minimum: low, maximum: high, bottom: bottom, top: 255)
            cases.append(
                single("fake quantization from \(low) to \(high)", [3, 19], FakeQuantize(channels: [levels])))
        }
        cases.append(single("clip with the lower bound above the upper one", [3, 19], Unary(.clip(0.5, -0.25))))
        // Values for which e^(−βx) overflows a float.
        for (factor, beta) in [(300, 1), (1e30, 1), (300, -1.702), (1e30, 0)] as [(Double, Float)] {
            cases.append(
                EngineCase("swish of values up to \(factor), beta \(beta)", [3, 19]) { builder, values in
                    let far = try builder.one(
                        Binary(.multiply, constant: Tensor(factor)), values[0])
                    return [try builder.one(Unary(.swish(beta: beta)), far)]
                })
        }
        cases.append(single("softmax", [3, 1001], Softmax(axis: 1)))
        cases.append(single("softmax over rows", [4, 6], Softmax(axis: 0)))
        cases.append(single("softmax of an image", [1, 3, 4, 21], Softmax(axis: 3)))
        return cases
    }()

    static let arithmetic: [EngineCase] = {
        var cases: [EngineCase] = []
        let type = TensorType([2, 3])
        for function in Binary.Function.allCases where Binary(function).engineForm([type, type], type) != nil {
            cases.append(
                EngineCase("\(function) of two values", [2, 3, 5], [2, 3, 5]) { builder, values in
                    [try builder.one(Binary(function), base(values[0], of: function, &builder), values[1])]
                })
            cases.append(
                EngineCase("\(function) of two values that broadcast", [2, 3, 5], [3, 1]) { builder, values in
                    [try builder.one(Binary(function), base(values[0], of: function, &builder), values[1])]
                })
            cases.append(
                EngineCase("\(function) of two values in blocks", [1, 6, 6, 16], tolerance: 1e-4) { builder, values in
                    let image = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 16, 32), values[0])
                    let a = try base(image, of: function, &builder)
                    let b = try builder.one(convolution(axis(1), axis(1), 16, 32, bias: false), values[0])
                    let c = try builder.one(Binary(function), a, b)
                    return [try builder.one(Binary(.maximum), c, a)]
                })
            let channels: (Int) -> Tensor = { Tensor(noise($0).map { $0 + 2 }, shape: [$0]) }
            // Powers of negative bases, and of variable exponents, are tested separately.
            for first in function == .power ? [] : [false, true] {
                let order = first ? ", constant first" : ""
                let number = Binary(function, constant: Tensor(1.5), constantFirst: first)
                cases.append(single("\(function) with a number\(order)", [4, 7], number))
                // Some quotients have a divisor near zero, which has few significant digits.
                let tolerance: Float = function == .divide && first ? 1e-3 : 1e-5
                cases.append(blocked("\(function) with a number\(order)", 32, tolerance: tolerance, number))
                let seven = Binary(function, constant: channels(7), constantFirst: first)
                cases.append(single("\(function) with a number a channel\(order)", [2, 3, 3, 7], seven))
                let twenty = Binary(function, constant: channels(20), constantFirst: first)
                cases.append(blocked("\(function) with a number a channel\(order)", 20, twenty))
            }
        }
        cases.append(
            single(
                "batch norm of rows", [5, 33], BatchNormalization(scale: tensor([33]), offset: tensor([33], seed: 2))))
        cases.append(blocked("batch norm", 40, BatchNormalization(scale: tensor([40]), offset: tensor([40], seed: 2))))
        return cases
    }()

    static let normalizations: [EngineCase] = {
        let scale = { @Sendable (count: Int) in Tensor(noise(count).map { $0 + 2 }, shape: [count]) }
        let layer = Normalization(axes: [1], epsilon: 1e-3, scale: scale(33), offset: tensor([33], seed: 2))
        var cases = [
            single("layer norm of rows", [5, 33], layer),
            single("layer norm of pixels", [2, 3, 4, 5], Normalization(axes: [3], epsilon: 1e-6)),
            single("group norm", [1, 3, 4, 2, 8], Normalization(axes: [1, 2, 4], epsilon: 1e-3)),
            single("length 1 of rows", [5, 20], L2Normalization(axes: [1], epsilon: 1e-12)),
            single("length 1 along the height", [1, 5, 4, 3], L2Normalization(axes: [1], epsilon: 1e-12)),
        ]
        for channels in [16, 20] {
            let offset = tensor([channels], seed: 2)
            let over = { @Sendable (axes: [Int]) in
                Normalization(axes: axes, epsilon: 1e-3, scale: scale(channels), offset: offset)
            }
            cases.append(blocked("instance norm", channels, over([1, 2])))
            cases.append(blocked("layer norm of the image", channels, over([1, 2, 3])))
            cases.append(blocked("layer norm of the channels", channels, over([3])))
            cases.append(
                EngineCase("instance norm between convolutions with borders", [2, 6, 5, 8]) { builder, values in
                    let a = try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), 8, channels), values[0])
                    let b = try builder.one(Unary(.relu), builder.one(over([1, 2]), a))
                    return [try builder.one(convolution(axis(3, 1, 1), axis(3, 1, 1), channels, 8), b)]
                })
        }
        return cases
    }()
}

/// A first operand for a function: powers of negative values are undefined.
private func base(_ value: Graph.Value, of function: Binary.Function, _ builder: inout GraphBuilder) throws
    -> Graph.Value
{
    function == .power ? try builder.one(Unary(.softplus), value) : value
}
