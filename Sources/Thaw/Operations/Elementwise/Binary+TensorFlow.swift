extension Binary {
    static let tensorFlow =
        [
            ("Add", Function.add, TensorFlowRoles([.affine, .totalArithmetic, .averaging, .mayOverflow])),
            ("AddV2", .add, [.affine, .totalArithmetic, .averaging, .mayOverflow]),
            ("Sub", .subtract, [.affine, .totalArithmetic, .averaging, .mayOverflow]),
            ("Mul", .multiply, [.affine, .totalArithmetic, .averaging, .mayOverflow]),
            ("RealDiv", .divide, [.affine, .totalArithmetic, .averaging]),
            ("Maximum", .maximum, .comparison),
            ("Minimum", .minimum, .comparison),
            ("Pow", .power, [.totalArithmetic, .mayOverflow]),
            ("SquaredDifference", .squaredDifference, .mayOverflow),
            ("TruncateDiv", .truncateDivide, []),
            ("FloorDiv", .floorDivide, []),
            ("FloorMod", .floorRemainder, []),
            ("Mod", .remainder, []),
            ("TruncateMod", .remainder, []),
            ("DivNoNan", .divideOrZero, .totalArithmetic),
            ("Equal", .equal, .correctnessTest),
            ("NotEqual", .notEqual, .correctnessTest),
            ("Less", .less, [.comparison, .ordering]),
            ("LessEqual", .lessOrEqual, [.comparison, .ordering]),
            ("Greater", .greater, [.comparison, .ordering, .greater]),
            ("GreaterEqual", .greaterOrEqual, [.comparison, .ordering, .greater]),
            ("LogicalAnd", .and, []),
            ("LogicalOr", .or, []),
        ].map { name, function, roles in
            TensorFlowRule(name, axes: .kept, roles: roles.union(function.role)) { node, context in
                [try context.combine(function, node.input(0), node.input(1), name: node.name)]
            }
        } + [
            TensorFlowRule("Div", axes: .kept, roles: [.quotient, .affine, .totalArithmetic, .averaging, .truncates]) {
                node, context in
                let (a, b) = (try node.input(0), try node.input(1))
                return [try context.combine(node.isInteger(a) ? .truncateDivide : .divide, a, b, name: node.name)]
            },
            TensorFlowRule("AddN", "AccumulateNV2", axes: .kept, roles: [.totalArithmetic, .mayOverflow]) {
                node, context in
                var sum = try node.input(0)
                for other in node.inputs.dropFirst() {
                    guard other.shape == sum.shape else { throw node.refused("the inputs have different shapes") }
                    sum = try context.combine(.add, sum, other, name: node.name)
                }
                return [sum]
            },
            biasAdd("BiasAdd", axes: .image(input: 0)), biasAdd("BiasAddV1", axes: .channelsLast),
        ]

    private static func biasAdd(_ op: String, axes: ImageAxes) -> TensorFlowRule {
        TensorFlowRule(op, axes: axes, roles: .affine) { node, context in
            let input = try node.input(0)
            // Keras computes sums of two tensors in this way if one of them is a vector.
            func bias() throws -> Operand {
                let bias = try node.input(1)
                guard bias.shape.rank == 1 else { throw Failure.weightShape(bias.shape, "one axis") }
                return bias
            }
            let rank = input.shape.rank
            if rank != 4, try node.string("data_format", default: "NHWC") == "NCHW" {
                // The channels are always the second axis.
                let shape = try Shape(bias().shape + [Int](repeating: 1, count: max(0, rank - 2)))
                let column = try context.add(Reshape(shape), bias(), name: node.name + "/bias")
                return [try context.combine(.add, input, column, name: node.name)]
            }
            return [
                try context.image(node, input) { input, context in
                    try context.combine(.add, input, bias(), name: node.name)
                }
            ]
        }
    }
}

extension Binary.Function {
    /// The role of every TensorFlow operation that computes this function of two tensors.
    var role: TensorFlowRoles {
        switch self {
        case .add: .sum
        case .subtract: .difference
        case .squaredDifference: .squaredDifference
        case .multiply: .product
        case .divide: .quotient
        default: []
        }
    }
}
