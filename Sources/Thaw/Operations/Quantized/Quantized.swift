/// TensorFlow's quantized operations, as written by its tools `quantize_graph` and `quantize_nodes`. Each is imported
/// as the corresponding floating-point operation, with values rounded wherever TensorFlow rounds to 8 bits. See
/// `QuantizedRange`.
enum Quantized {
    static let tensorFlow = quantizing + layers

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
    static func givesQuantized(_ op: String, output: Int) -> Bool {
        output == 0 && op != "RequantizationRange" && outputs[op] != nil
    }

    // MARK: From one range to another

    private static let quantizing = [
        TensorFlowRule("QuantizeV2", axes: .lost, roles: []) { node, context in
            let x = try node.input(0)
            let given = try QuantizedRange(node, 1, 2, &context)
            let range = try including0(given, node, &context)
            switch try node.string("mode", default: "MIN_COMBINED") {
            case "MIN_FIRST", "MIN_COMBINED": break
            case let mode:
                throw node.refused("the quantization mode \(mode) is not supported", remedy: "MIN_FIRST is")
            }
            try requireBytes(node, "T")
            return [try range.quantized(x, name: node.name, &context), range.minimum, range.maximum]
        },
        TensorFlowRule("Requantize", axes: .lost, roles: []) { node, context in
            let range = try QuantizedRange(node, 3, 4, &context)
            try requireBytes(node, "out_type")
            let result = try range.quantized(real(node, 0, 1, &context), name: node.name, &context)
            return [result, range.minimum, range.maximum]
        },
        TensorFlowRule("RequantizationRange", axes: .lost, roles: []) { node, context in
            let range = try used(real(node, 0, 1, &context), node.name, &context)
            return [range.minimum, range.maximum]
        },
        TensorFlowRule("QuantizeDownAndShrinkRange", axes: .lost, roles: []) { node, context in
            let x = try real(node, 0, 1, &context)
            let range = try used(x, node.name, &context)
            try requireBytes(node, "out_type")
            return [try range.quantized(x, name: node.name, &context), range.minimum, range.maximum]
        },
    ]

    /// The range that quantization uses for a given one: it contains 0, and is not too short
    /// (tensorflow/core/kernels/quantize_op.cc).
    private static func including0(_ range: QuantizedRange, _ node: TensorFlowNode, _ context: inout ImportContext)
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
    private static func used(_ x: Operand, _ name: String, _ context: inout ImportContext) throws -> QuantizedRange {
        func extreme(_ function: Reduction.Function) throws -> Operand {
            let reduction = Reduction(function: function, axes: Array(x.shape.indices), keepsAxes: false)
            return try context.add(reduction, x, name: "\(name)/\(function)")
        }
        let minimum = try context.combine(
            .minimum, extreme(.minimum), .constant(Tensor(0)), name: name + "/smallest")
        return QuantizedRange(minimum: minimum, maximum: try extreme(.maximum))
    }

    private static func requireBytes(_ node: TensorFlowNode, _ key: String) throws {
        let element = try node.element(key, default: .quint8)
        guard element == .uint8 else {
            throw node.refused("the quantized type \(element.rawValue) is not supported", remedy: "quint8 is")
        }
    }

    // MARK: Inputs and outputs

    /// The real values of a node's quantized input. Constant codes have the range that starts at the input `range`.
    static func real(_ node: TensorFlowNode, _ index: Int, _ range: Int, _ context: inout ImportContext) throws
        -> Operand
    {
        let input = try node.input(index)
        if input.type.element.isFloatingPoint { return input }
        guard let codes = input.constant else {
            throw node.refused(
                "input \(index) is quantized outside of the graph",
                remedy: "cut the graph after its Dequantize with --input")
        }
        let bounds = try QuantizedRange(node, range, range + 1, &context)
        guard let minimum = bounds.minimum.constant?.floats.first, let maximum = bounds.maximum.constant?.floats.first
        else { throw Failure.inputNotConstant(node.name, node.op, "range of the codes") }
        return .constant(Dequantize.minFirst(codes, minimum: minimum, maximum: maximum))
    }

    /// The result of another operation for these inputs, with the node's name and attributes.
    static func result(
        _ op: String, _ node: TensorFlowNode, _ inputs: [Operand], _ context: inout ImportContext
    ) throws -> Operand {
        var definition = node.definition
        definition.op = op
        return try Operations.tensorFlow[op]!.build(TensorFlowNode(definition: definition, inputs: inputs), &context)[0]
    }
}
