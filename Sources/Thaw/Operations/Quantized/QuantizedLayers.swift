extension Quantized {
    /// Operations that have a floating-point counterpart.
    var layers: [TensorFlowRule] {
        products + poolings + activations + [
            binary("QuantizedBiasAdd", "BiasAdd", range: QuantizedRange.sum),
            binary("QuantizedAdd", "Add", range: QuantizedRange.sum),
            binary("QuantizedMul", "Mul", range: QuantizedRange.product),
            TensorFlowRule("QuantizedReshape", axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 2, 3, &context)
                let inputs = try [real(node, 0, 2, &context), node.input(1)]
                return [try result("Reshape", node, inputs, &context), range.minimum, range.maximum]
            },
            TensorFlowRule("QuantizedResizeBilinear", axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 2, 3, &context)
                let inputs = try [real(node, 0, 2, &context), node.input(1)]
                var resized = try result("ResizeBilinear", node, inputs, &context)
                if try isBytes(node) {
                    resized = try range.quantized(resized, name: node.name + "/levels", &context)
                }
                return [resized, range.minimum, range.maximum]
            },
            TensorFlowRule("QuantizedBatchNormWithGlobalNormalization", axes: .lost, roles: []) { node, context in
                let inputs = try (0..<5).map { try real(node, 3 * $0, 3 * $0 + 1, &context) }
                let range = try QuantizedRange(node, 1, 2, &context)
                let sumRange = try QuantizedRange.sum(range, range, node.name, &context)
                return [
                    try result("BatchNormWithGlobalNormalization", node, inputs, &context), sumRange.minimum,
                    sumRange.maximum,
                ]
            },
            TensorFlowRule("QuantizedConcat", axes: .lost, roles: []) { node, context in
                try concatenated(node, &context)
            },
        ]
    }

    private var products: [TensorFlowRule] {
        [
            ("QuantizedConv2D", "Conv2D"), ("QuantizedDepthwiseConv2D", "DepthwiseConv2dNative"),
            ("QuantizedMatMul", "MatMul"),
        ].map { name, op in binary(name, op, range: QuantizedRange.product) }
    }

    /// An operation on two quantized tensors.
    /// - Parameter range: The range of the result, from those of the inputs.
    private func binary(
        _ name: String, _ op: String,
        range:
            @escaping @Sendable (
                QuantizedRange, QuantizedRange, String, inout ImportContext
            ) throws -> QuantizedRange
    ) -> TensorFlowRule {
        TensorFlowRule(name, axes: .lost, roles: []) { node, context in
            let inputs = try [0, 1].map { try real(node, $0, 2 + 2 * $0, isFactor: true, &context) }
            let ranges = try [QuantizedRange(node, 2, 3, &context), QuantizedRange(node, 4, 5, &context)]
            let resultRange = try range(ranges[0], ranges[1], node.name, &context)
            return [try result(op, node, inputs, &context), resultRange.minimum, resultRange.maximum]
        }
    }

    private var poolings: [TensorFlowRule] {
        [("QuantizedMaxPool", "MaxPool"), ("QuantizedAvgPool", "AvgPool")].map { name, op in
            TensorFlowRule(name, axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 1, 2, &context)
                var pooled = try result(op, node, [real(node, 0, 1, &context)], &context)
                // Means can be between levels.
                if op == "AvgPool" { pooled = try range.quantized(pooled, name: node.name + "/levels", &context) }
                return [pooled, range.minimum, range.maximum]
            }
        }
    }

    private var activations: [TensorFlowRule] {
        [
            TensorFlowRule("QuantizedRelu", axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 1, 2, &context)
                return [
                    try result("Relu", node, [real(node, 0, 1, &context)], &context), range.minimum, range.maximum,
                ]
            },
            TensorFlowRule("QuantizedRelu6", axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 1, 2, &context)
                return [
                    try result("Relu6", node, [real(node, 0, 1, &context)], &context), range.minimum, range.maximum,
                ]
            },
            TensorFlowRule("QuantizedReluX", axes: .lost, roles: []) { node, context in
                let range = try QuantizedRange(node, 2, 3, &context)
                guard let bound = try node.constant(1, "bound").floats.first, bound >= 0 else {
                    throw node.refused("the bound is negative")
                }
                let x = try real(node, 0, 2, &context)
                return [try context.add(Unary(.clip(0, bound)), x, name: node.name), range.minimum, range.maximum]
            },
        ]
    }

    /// The inputs are the axis, the parts, all their minima, and all their maxima. The parts are requantized to a
    /// common range.
    private func concatenated(_ node: TensorFlowNode, _ context: inout ImportContext) throws -> [Operand] {
        let count = (node.inputs.count - 1) / 3
        guard count > 0, node.inputs.count == 3 * count + 1 else {
            throw Failure.missingInput(node.name, node.op, 3 * count + 1, node.inputs.count)
        }
        var range = try QuantizedRange(node, 1 + count, 1 + 2 * count, &context)
        var parts: [Operand] = []
        for part in 0..<count {
            let partRange = try QuantizedRange(node, 1 + count + part, 1 + 2 * count + part, &context)
            range.minimum = try context.combine(
                .minimum, range.minimum, partRange.minimum, name: node.name + "/minimum")
            range.maximum = try context.combine(
                .maximum, range.maximum, partRange.maximum, name: node.name + "/maximum")
            guard try node.input(1 + part).type.element.isFloatingPoint else {
                throw node.refused(
                    "a part of the concatenation is a quantized constant", remedy: "computed parts are supported")
            }
            parts.append(try node.input(1 + part))
        }
        var whole = try result("Concat", node, [node.input(0)] + parts, &context)
        if try isBytes(node) { whole = try range.quantized(whole, name: node.name + "/levels", &context) }
        return [whole, range.minimum, range.maximum]
    }
}
