/// TensorFlow's quantized operations, as written by its tools `quantize_graph` and `quantize_nodes`. Each is imported
/// as the corresponding floating-point operation, with values rounded wherever TensorFlow rounds to 8 bits. See
/// `QuantizedRange`.
struct Quantized {
    /// The rules of the floating-point operations, by name.
    let rules: [String: TensorFlowRule]

    var tensorFlow: [TensorFlowRule] { quantizing + layers }

    /// The names of these operations' outputs, as function bodies refer to them.
    static let outputs: [String: [String]] = {
        let plain = ["output", "output_min", "output_max"]
        let images = ["output", "min_output", "max_output"]
        let activations = ["activations", "min_activations", "max_activations"]
        return [
            "QuantizeV2": plain, "Requantize": plain, "QuantizeDownAndShrinkRange": plain, "QuantizedConcat": plain,
            "QuantizedReshape": plain, "RequantizationRange": ["output_min", "output_max"],
            "QuantizedConv2D": images, "QuantizedDepthwiseConv2D": images, "QuantizedMaxPool": images,
            "QuantizedAvgPool": images, "QuantizedMatMul": ["out", "min_out", "max_out"],
            "QuantizedBiasAdd": ["output", "min_out", "max_out"], "QuantizedAdd": ["z", "min_z", "max_z"],
            "QuantizedMul": ["z", "min_z", "max_z"], "QuantizedRelu": activations, "QuantizedRelu6": activations,
            "QuantizedReluX": activations, "QuantizedResizeBilinear": ["resized_images", "out_min", "out_max"],
            "QuantizedBatchNormWithGlobalNormalization": ["result", "result_min", "result_max"],
            "QuantizedInstanceNorm": ["y", "y_min", "y_max"],
        ]
    }()

    /// Whether an output contains quantized values rather than their range.
    static func returnsQuantized(_ op: String, output: Int) -> Bool {
        output == 0 && op != "RequantizationRange" && outputs[op] != nil
    }

    // MARK: From one range to another

    private var quantizing: [TensorFlowRule] {
        [
            TensorFlowRule("QuantizeV2", axes: .lost, roles: .quantizing) { node, context in
                try quantized(node, &context)
            },
            TensorFlowRule("Requantize", axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 3, 4, &context)
                let x = try real(node, 0, 1, &context)
                return [try narrowed(x, to: range, node, "out_type", &context), range.minimum, range.maximum]
            },
            TensorFlowRule("RequantizationRange", axes: .lost, roles: []) { node, context in
                let range = try used(real(node, 0, 1, &context), node.name, &context)
                return [range.minimum, range.maximum]
            },
            TensorFlowRule("QuantizeDownAndShrinkRange", axes: .kept, roles: []) { node, context in
                let x = try real(node, 0, 1, &context)
                let range = try used(x, node.name, &context)
                return [try narrowed(x, to: range, node, "out_type", &context), range.minimum, range.maximum]
            },
        ]
    }

    /// The quantized values of QuantizeV2, and their range.
    private func quantized(_ node: TensorFlowNode, _ context: inout ImportContext) throws -> [Operand] {
        let x = try node.input(0)
        try requireBytes(node, "T")
        let named = try node.int("axis", default: -1)
        // Without an axis there is a single range.
        let axis = named == -1 ? nil : try x.shape.axis(named)
        let given = try QuantizedRange(node, 1, 2, axis: axis, &context)
        var range = try includingZero(given, node, &context)
        let result: Operand
        switch try Dequantize.Mode(node) {
        case .minFirst:
            guard axis == nil else {
                throw node.refused("the mode MIN_FIRST has no axis", remedy: "expected SCALED or MIN_COMBINED")
            }
            result = try narrowed(x, to: range, node, "T", &context)
        case .minCombined:
            let isSigned = try node.element("T", default: .quint8) == .int8
            result = try range.quantizedFromMinimum(x, isSigned: isSigned, name: node.name, &context)
        case .scaled: (result, range) = try scaled(x, range, node, &context)
        }
        let bounds = try [range.minimum, range.maximum].map { bound in
            let shape = try node.input(1).shape
            return try context.add(Reshape(shape), bound, name: node.name + "/bound")
        }
        return [result] + bounds
    }

    /// The mode SCALED of QuantizeV2.
    private func scaled(
        _ x: Operand, _ range: QuantizedRange, _ node: TensorFlowNode, _ context: inout ImportContext
    ) throws -> (values: Operand, range: QuantizedRange) {
        var integers = try node.element("T", default: .quint8).bounds!
        if try node.bool("narrow_range", default: false) {
            integers = integers.lowerBound + 1...integers.upperBound
        }
        let rounding = try node.string("round_mode", default: "HALF_AWAY_FROM_ZERO")
        guard ["HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"].contains(rounding) else {
            throw Failure.badAttribute(node.name, node.op, "round_mode")
        }
        return try range.scaled(
            x, integers: integers, tiesToEven: rounding == "HALF_TO_EVEN", name: node.name, &context)
    }

    /// Whether a node's values have 8 bits, whose levels results of arithmetic are rounded to; sums have 32.
    func isBytes(_ node: TensorFlowNode) throws -> Bool { try node.element("T", default: .quint8).size == 1 }

    /// The range that quantization uses for a given one: it contains 0, and is not too short
    /// (tensorflow/core/kernels/quantize_op.cc).
    private func includingZero(_ range: QuantizedRange, _ node: TensorFlowNode, _ context: inout ImportContext)
        throws -> QuantizedRange
    {
        func combine(_ function: Binary.Function, _ a: Operand, _ b: Operand) throws -> Operand {
            try context.combine(function, a, b, name: "\(node.name)/range/\(function)")
        }
        func number(_ number: Double) -> Operand { .constant(Tensor(number)) }
        let share = Double(try node.float("ensure_minimum_range", default: 0.01))
        let minimum = try combine(.minimum, range.minimum, number(0))
        let magnitudes = try [range.minimum, range.maximum].map {
            try context.add(Unary(.absolute), $0, name: node.name + "/range/magnitude")
        }
        let largest = try combine(.maximum, combine(.maximum, magnitudes[0], magnitudes[1]), number(1))
        let least = try combine(.add, minimum, combine(.multiply, largest, number(share)))
        let maximum = try combine(.maximum, combine(.maximum, range.maximum, least), number(0))
        return QuantizedRange(minimum: minimum, maximum: maximum)
    }

    /// The range that the values actually cover; it contains 0 or starts below.
    private func used(_ x: Operand, _ name: String, _ context: inout ImportContext) throws -> QuantizedRange {
        func extreme(_ function: Reduction.Function) throws -> Operand {
            let reduction = Reduction(function: function, axes: Array(x.shape.indices), keepsAxes: false)
            return try context.add(reduction, x, name: "\(name)/\(function)")
        }
        let minimum = try context.combine(
            .minimum, extreme(.minimum), .constant(Tensor(0)), name: name + "/smallest")
        return QuantizedRange(minimum: minimum, maximum: try extreme(.maximum))
    }

    /// Values rounded to the 8-bit type that an attribute of the node names.
    private func narrowed(
        _ x: Operand, to range: QuantizedRange, _ node: TensorFlowNode, _ type: String, _ context: inout ImportContext
    ) throws -> Operand {
        try requireBytes(node, type)
        let isUnsigned = try node.element(type, default: .quint8) == .uint8
        return try range.quantized(x, countsFromMinimum: isUnsigned, name: node.name, &context)
    }

    private func requireBytes(_ node: TensorFlowNode, _ key: String) throws {
        let element = try node.element(key, default: .quint8)
        guard element.size == 1 else {
            throw node.refused(
                "the quantized type \(element.rawValue) is not supported", remedy: "expected an 8-bit type")
        }
    }

    // MARK: Inputs and outputs

    /// The real values of a node's quantized input. Constant quantized values have the range that starts at the input
    /// `range`.
    /// - Parameter isFactor: Whether the node computes with integers, one of which is 0, instead of with real values.
    func real(
        _ node: TensorFlowNode, _ index: Int, _ range: Int, isFactor: Bool = false, _ context: inout ImportContext
    ) throws -> Operand {
        let input = try node.input(index)
        if input.type.element.isFloatingPoint { return input }
        guard let quantized = input.constant else {
            throw node.refused(
                "input \(index) is quantized outside of the graph",
                remedy: "cut the graph after its Dequantize with \(option: .input)")
        }
        let bounds = try QuantizedRange(node, range, range + 1, &context)
        guard let minimum = bounds.minimum.constant?.floats.first, let maximum = bounds.maximum.constant?.floats.first
        else { throw Failure.inputNotConstant(node.name, node.op, "range of the quantized values") }
        let values = isFactor ? Dequantize.aroundZero : Dequantize.minFirst
        return .constant(values(quantized, minimum, maximum))
    }

    /// The result of another operation for these inputs, with the node's name and attributes.
    func result(
        _ op: String, _ node: TensorFlowNode, _ inputs: [Operand], _ context: inout ImportContext
    ) throws -> Operand {
        var definition = node.definition
        definition.op = op
        return try rules[op]!.build(TensorFlowNode(definition: definition, inputs: inputs), &context)[0]
    }
}
