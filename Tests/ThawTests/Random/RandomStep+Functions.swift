@testable import Thaw

// Elementwise steps.

extension RandomStep {
    static let functions: [Unary.Function] = [
        .relu, .relu, .relu6, .elu, .selu, .sigmoid, .tanh, .leakyRelu(slope: 0.2), .clip(-0.25, 0.5), .swish(beta: 1),
        .swish(beta: 1.702), .hardSwish(alpha: 1 / 6, beta: 0.5), .hardSigmoid(alpha: 0.2, beta: 0.5), .gelu,
        .geluByTanh, .mish, .softplus, .softsign, .absolute, .negate, .errorFunction, .sine, .cosine,
    ]

    static let unary: Maker = { draw, builder, value, _ in
        [try builder.one(Unary(draw.element(functions)), value)]
    }

    /// Spelled-out functions, and functions of positive values.
    static let written: Maker = { draw, builder, value, _ in
        func number(_ function: Binary.Function, _ number: Float, _ x: Graph.Value) throws -> Graph.Value {
            try builder.one(Binary(function, constant: Tensor([number], shape: [])), x)
        }
        switch draw.int(0...5) {
        case 0: return [try builder.one(Binary(.multiply), value, builder.one(Unary(.sigmoid), value))]
        case 1:
            let share = try number(.divide, 6, builder.one(Unary(.relu6), number(.add, 3, value)))
            return [try builder.one(Binary(.multiply), value, share)]
        case 2: return [try builder.one(Binary(.maximum), value, number(.multiply, 0.1, value))]
        case 3:
            let positive = try number(.add, 0.5, builder.one(Unary(.square), value))
            let function = draw.element([
                Unary.Function.squareRoot, .reciprocalSquareRoot, .reciprocal, .logarithm, .logarithm1p,
            ])
            return [try builder.one(Unary(function), positive)]
        case 4: return [try builder.one(Unary(.exponential), builder.one(Unary(.tanh), value))]
        default:
            let shape = builder[value].shape
            guard shape.rank > 1 else { return [] }
            let axes = shape.rank == 4 ? draw.element([[1, 2], [1, 2, 3], [3]]) : [shape.rank - 1]
            let mean = try builder.one(Reduction(function: .mean, axes: axes, keepsAxes: true), value)
            let centered = try builder.one(Binary(.subtract), value, mean)
            let square = try builder.one(Unary(.square), centered)
            let variance = try builder.one(Reduction(function: .mean, axes: axes, keepsAxes: true), square)
            let inverse = try builder.one(Unary(.reciprocalSquareRoot), number(.add, 0.01, variance))
            return [try builder.one(Binary(.multiply), centered, inverse)]
        }
    }

    static let constant: Maker = { draw, builder, value, _ in
        let shape = builder[value].shape
        guard builder[value].element == .float32 else { return [] }
        let function = draw.element([
            Binary.Function.add, .subtract, .multiply, .divide, .maximum, .minimum, .squaredDifference,
        ])
        let ones = Shape([Int](repeating: 1, count: shape.rank - 1))
        let forms: [Shape] = [[], [1], Shape(shape.suffix(1)), Shape(ones.dimensions + shape.suffix(1)), shape]
        let isFirst = function != .divide && draw.chance(oneIn: 3)
        let operand = draw.tensor(draw.element(forms)) { function == .divide ? $0 + 2 : $0 }
        return [try builder.one(Binary(function, constant: operand, constantFirst: isFirst), value)]
    }

    /// Two values of equal shapes, or shapes that broadcast.
    static let twoInputs: Maker = { draw, builder, value, values in
        let partners = values.filter { (try? builder[$0].shape.broadcast(with: builder[value].shape)) != nil }
        let function = draw.element([Binary.Function.add, .add, .subtract, .multiply, .maximum, .minimum])
        let inputs = draw.chance(oneIn: 2) ? [value, draw.element(partners)] : [draw.element(partners), value]
        return try builder.add(Binary(function), inputs, name: "two")
    }

    static let residual: Maker = { draw, builder, value, _ in
        guard let shape = image(builder, value) else { return [] }
        let kernel = draw.element([1, 3])
        let axis = Window.Axis(size: kernel, before: kernel / 2, after: kernel / 2)
        let branch = try builder.one(
            Convolution(
                filters: draw.tensor(
                    [kernel, kernel, shape[3], shape[3]], scale: 1 / Float(kernel * kernel * shape[3])),
                bias: draw.tensor([shape[3]]), window: Window(height: axis, width: axis)), value)
        let inner = draw.chance(oneIn: 2) ? branch : try builder.one(Unary(draw.element(functions)), branch)
        let sum = try builder.one(Binary(.add), value, inner)
        return draw.chance(oneIn: 2) ? [sum] : [try builder.one(Unary(draw.element(functions)), sum)]
    }

    static let squeezeAndExcite: Maker = { draw, builder, value, _ in
        guard let shape = image(builder, value) else { return [] }
        let mean = try builder.one(Reduction(function: .mean, axes: [1, 2], keepsAxes: true), value)
        let one = Window(height: Window.Axis(size: 1), width: Window.Axis(size: 1))
        let inner = try builder.one(
            Convolution(filters: draw.tensor([1, 1, shape[3], 4]), bias: draw.tensor([4]), window: one), mean)
        let outer = try builder.one(
            Convolution(filters: draw.tensor([1, 1, 4, shape[3]]), bias: nil, window: one),
            builder.one(Unary(draw.element([.relu, .swish(beta: 1)])), inner))
        let share = try builder.one(Unary(draw.element([.sigmoid, .hardSigmoid(alpha: 0.2, beta: 0.5)])), outer)
        return [try builder.one(Binary(.multiply), value, share)]
    }
}
