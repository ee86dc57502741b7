/// TensorFlow operations on the colours of images. Arithmetic says all that they do, so nothing of them stays in a graph.
enum Colors {
    static let tensorFlow = [
        TensorFlowRule("AdjustContrastv2") { node, context in
            let image = try node.input(0)
            let rank = image.shape.rank
            guard rank >= 3 else { throw Failure.wrongRank(3, image.shape).at(node.name) }
            guard try node.input(1).shape.elementCount == 1 else {
                throw node.refused("the factor has shape \(try node.input(1).shape)", remedy: "one number is expected")
            }
            let factor = try context.add(Reshape([]), node.input(1), name: node.name + "/factor")
            let average = Reduction(function: .mean, axes: [rank - 3, rank - 2], keepsAxes: true)
            let mean = try context.add(average, image, name: node.name + "/mean")
            let distance = try context.combine(.subtract, image, mean, name: node.name + "/distance")
            let scaled = try context.combine(.multiply, distance, factor, name: node.name + "/scaled")
            return [try context.combine(.add, scaled, mean, name: node.name)]
        },
        TensorFlowRule("RGBToHSV") { node, context in [try hue(node, &context)] },
        TensorFlowRule("HSVToRGB") { node, context in
            let (hue, saturation, value) = try context.colorChannels(node)
            func combine(_ function: Binary.Function, _ a: Operand, _ b: [Double]) throws -> Operand {
                let numbers = Tensor(shape: [b.count], element: a.type.element) { b[$0] }
                return try context.combine(function, a, .constant(numbers), name: "\(node.name)/\(function)")
            }
            // How much of red, green and blue there is depends on how far the hue is from red's opposite, green and blue.
            let turns = try combine(.multiply, hue, [6])
            let distance = try context.add(
                Unary(.absolute), combine(.subtract, turns, [3, 2, 4]), name: node.name + "/distance")
            let line = try combine(.add, combine(.multiply, distance, [1, -1, -1]), [-1, 2, 2])
            let share = try context.add(Unary(.clip(0, 1)), line, name: node.name + "/share")
            let part = try context.combine(.multiply, share, saturation, name: node.name + "/part")
            let gray = try combine(.add, combine(.multiply, saturation, [-1]), [1])
            let whole = try context.combine(.add, part, gray, name: node.name + "/whole")
            return [try context.combine(.multiply, whole, value, name: node.name)]
        },
    ]

    /// Hue, saturation and value; the hue counts from red to red from 0 to 1
    /// (tensorflow/core/kernels/image/colorspace_op.h).
    private static func hue(_ node: TensorFlowNode, _ context: inout ImportContext) throws -> Operand {
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
        let value = try extreme(.maximum)
        let range = try combine(.subtract, value, extreme(.minimum))
        let zero = number(0)
        let saturation = try choose(combine(.greater, value, zero), combine(.divide, range, value), zero)
        let sixth = try combine(.divide, number(1.0 / 6), range)
        func sector(_ a: Operand, _ b: Operand) throws -> Operand {
            try combine(.multiply, sixth, combine(.subtract, a, b))
        }
        let fromGreen = try combine(.add, sector(blue, red), number(2.0 / 6))
        let fromBlue = try combine(.add, sector(red, green), number(4.0 / 6))
        let others = try choose(combine(.equal, green, value), fromGreen, fromBlue)
        let signed = try choose(combine(.equal, red, value), sector(green, blue), others)
        let hue = try choose(combine(.greater, range, zero), signed, zero)
        let positive = try choose(combine(.less, hue, zero), combine(.add, hue, number(1)), hue)
        return try context.add(
            Concatenation(axis: input.shape.rank - 1), [positive, saturation, value], name: node.name)[0]
    }
}

extension ImportContext {
    /// The three channels of the node's input, each with its axis left.
    fileprivate mutating func colorChannels(_ node: TensorFlowNode) throws -> (Operand, Operand, Operand) {
        let input = try node.input(0)
        guard let last = input.shape.indices.last, input.shape[last] == 3 else {
            throw node.refused("the input has shape \(input.shape)", remedy: "three channels are expected")
        }
        let parts = try (0..<3).map { channel in
            var ranges = input.shape.map { StridedSlice.Range(start: 0, count: $0) }
            ranges[last] = StridedSlice.Range(start: channel, count: 1)
            return try add(StridedSlice(ranges: ranges), input, name: node.name + "/channel")
        }
        return (parts[0], parts[1], parts[2])
    }
}
