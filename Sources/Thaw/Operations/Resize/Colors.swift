/// TensorFlow operations on image colors. They are decomposed into arithmetic, so none of them remains in the graph.
enum Colors {
    static let tensorFlow = [
        TensorFlowRule("AdjustContrastv2", axes: .channelsLast, roles: []) { node, context in
            let image = try node.input(0)
            let rank = image.shape.rank
            guard rank >= 3 else { throw Failure.tooFewAxes(3, image.shape).at(node.name) }
            let factor = try number(node, "factor", &context)
            let average = Reduction(function: .mean, axes: [rank - 3, rank - 2], keepsAxes: true)
            let mean = try context.add(average, image, name: node.name + "/mean")
            let distance = try context.combine(.subtract, image, mean, name: node.name + "/distance")
            let scaled = try context.combine(.multiply, distance, factor, name: node.name + "/scaled")
            return [try context.combine(.add, scaled, mean, name: node.name)]
        },
        TensorFlowRule("RGBToHSV", axes: .channelsLast, roles: []) { node, context in
            let colors = try HueParts(node, &context)
            let axis = try node.input(0).shape.rank - 1
            return try context.add(
                Concatenation(axis: axis), [colors.hue, colors.saturation, colors.value], name: node.name)
        },
        TensorFlowRule("HSVToRGB", axes: .channelsLast, roles: []) { node, context in
            let (hue, saturation, value) = try context.colorChannels(node)
            return [try colors(node, hue, saturation, value, &context)]
        },
        TensorFlowRule("AdjustSaturation", axes: .channelsLast, roles: []) { node, context in
            let parts = try HueParts(node, &context)
            let factor = try number(node, "factor", &context)
            let scaled = try context.combine(.multiply, parts.saturation, factor, name: node.name + "/scaled")
            let saturation = try context.add(Unary(.clip(0, 1)), scaled, name: node.name + "/saturation")
            return [try colors(node, parts.hue, saturation, parts.value, &context)]
        },
        // The maximum and the minimum of red, green and blue are preserved.
        TensorFlowRule("AdjustHue", axes: .channelsLast, roles: []) { node, context in
            let parts = try HueParts(node, &context)
            let shiftedHue = try context.combine(
                .add, parts.hue, number(node, "angle", &context), name: node.name + "/turned")
            let one = Operand.constant(Tensor(1, element: shiftedHue.type.element))
            let hue = try context.combine(.floorRemainder, shiftedHue, one, name: node.name + "/hue")
            let fractions = try colorFractions(node, hue, &context)
            let part = try context.combine(.multiply, fractions, parts.range, name: node.name + "/part")
            return [try context.combine(.add, part, parts.minimum, name: node.name)]
        },
    ]

    /// The node's second input, a scalar.
    private static func number(_ node: TensorFlowNode, _ role: String, _ context: inout ImportContext) throws
        -> Operand
    {
        guard try node.input(1).shape.elementCount == 1 else {
            throw node.refused("the \(role) has shape \(try node.input(1).shape)", remedy: "expected a scalar")
        }
        return try context.add(Reshape([]), node.input(1), name: "\(node.name)/\(role)")
    }

    /// The fractions of red, green and blue for a hue, which depend on the distance of the hue from cyan (opposite
    /// red), green and blue.
    private static func colorFractions(_ node: TensorFlowNode, _ hue: Operand, _ context: inout ImportContext) throws
        -> Operand
    {
        func combine(_ function: Binary.Function, _ a: Operand, _ b: [Double]) throws -> Operand {
            let numbers = Tensor(shape: [b.count], element: a.type.element) { b[$0] }
            return try context.combine(function, a, .constant(numbers), name: "\(node.name)/\(function)")
        }
        let turns = try combine(.multiply, hue, [6])
        let distance = try context.add(
            Unary(.absolute), combine(.subtract, turns, [3, 2, 4]), name: node.name + "/distance")
        let line = try combine(.add, combine(.multiply, distance, [1, -1, -1]), [-1, 2, 2])
        return try context.add(Unary(.clip(0, 1)), line, name: node.name + "/share")
    }

    /// Red, green and blue.
    private static func colors(
        _ node: TensorFlowNode, _ hue: Operand, _ saturation: Operand, _ value: Operand, _ context: inout ImportContext
    ) throws -> Operand {
        func apply(_ function: Binary.Function, _ a: Operand, _ b: Double) throws -> Operand {
            let number = Operand.constant(Tensor(b, element: a.type.element))
            return try context.combine(function, a, number, name: "\(node.name)/\(function)")
        }
        let fractions = try colorFractions(node, hue, &context)
        let part = try context.combine(.multiply, fractions, saturation, name: node.name + "/part")
        let gray = try apply(.add, apply(.multiply, saturation, -1), 1)
        let whole = try context.combine(.add, part, gray, name: node.name + "/whole")
        return try context.combine(.multiply, whole, value, name: node.name)
    }
}

/// Hue, saturation and value of an image's colors. The hue ranges from 0 to 1, both red
/// (tensorflow/core/kernels/image/colorspace_op.h).
private struct HueParts {
    let hue: Operand
    let saturation: Operand
    /// The maximum of red, green and blue.
    let value: Operand
    /// The minimum.
    let minimum: Operand
    /// The difference between them.
    let range: Operand

    init(_ node: TensorFlowNode, _ context: inout ImportContext) throws {
        let (red, green, blue) = try context.colorChannels(node)
        let input = try node.input(0)
        func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.combine(function, a, b, name: "\(node.name)/\(function)")
        }
        func number(_ number: Double) -> Operand { .constant(Tensor(number, element: input.type.element)) }
        func choose(_ condition: Operand, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.add(Select(), [condition, a, b], name: node.name + "/choice")[0]
        }
        func extreme(_ function: Reduction.Function) throws -> Operand {
            let reduction = Reduction(function: function, axes: [input.shape.rank - 1], keepsAxes: true)
            return try context.add(reduction, input, name: "\(node.name)/\(function)")
        }
        value = try extreme(.maximum)
        minimum = try extreme(.minimum)
        range = try combine(.subtract, value, minimum)
        let zero = number(0)
        saturation = try choose(combine(.greater, value, zero), combine(.divide, range, value), zero)
        let sixth = try combine(.divide, number(1.0 / 6), range)
        func sector(_ a: Operand, _ b: Operand) throws -> Operand {
            try combine(.multiply, sixth, combine(.subtract, a, b))
        }
        let fromGreen = try combine(.add, sector(blue, red), number(2.0 / 6))
        let fromBlue = try combine(.add, sector(red, green), number(4.0 / 6))
        let others = try choose(combine(.equal, green, value), fromGreen, fromBlue)
        let signed = try choose(combine(.equal, red, value), sector(green, blue), others)
        let sectored = try choose(combine(.greater, range, zero), signed, zero)
        hue = try choose(combine(.less, sectored, zero), combine(.add, sectored, number(1)), sectored)
    }
}

extension ImportContext {
    /// The three channels of the node's input, each with its axis kept.
    fileprivate mutating func colorChannels(_ node: TensorFlowNode) throws -> (Operand, Operand, Operand) {
        let input = try node.input(0)
        guard let last = input.shape.indices.last, input.shape[last] == 3 else {
            throw node.refused("the input has shape \(input.shape)", remedy: "expected three channels")
        }
        let parts = try (0..<3).map { channel in
            let slice = StridedSlice(.init(start: channel, count: 1), along: last, of: input.shape)
            return try add(slice, input, name: node.name + "/channel")
        }
        return (parts[0], parts[1], parts[2])
    }
}
