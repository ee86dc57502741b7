extension Reduction: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        // There are older layers for whole images. A row is equivalent to a 1×1 image.
        inputs[0].shape.rank == 4 && axes == [2, 3] && function != .product && function != .l2Norm
            && !isTruncated(inputs[0].element)
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if layers.arrays == .images {
            return layers.add(node) { layer in
                if function == .mean {
                    layer.pooling.type = "AVERAGE"
                    layer.pooling.choose("valid")
                    layer.pooling.globalPooling = true
                } else {
                    layer.reduce.mode = [.sum: "SUM", .maximum: "MAX", .minimum: "MIN"][function]!
                    layer.reduce.axis = "HW"
                }
            }
        }
        let kinds: [Function: String] = [
            .mean: "reduceMean", .sum: "reduceSum", .maximum: "reduceMax", .minimum: "reduceMin",
            .product: "reduceProd",
            .l2Norm: "reduceL2",
        ]
        let kind = kinds[function]!
        func reduce(_ layer: inout Message) {
            layer[kind]["axes"] = axes
            layer[kind]["keepDims"] = keepsAxes
        }
        guard isTruncated(node.input.element) else { return layers.add(node, reduce) }
        layers.addTruncation(node, layers.addPart(node, "mean", node.inputs, reduce))
    }

    /// The mean of integers is an integer, but Core ML treats them as float32.
    private func isTruncated(_ element: ElementType) -> Bool { function == .mean && element.bounds != nil }
}

// MARK: Reading

extension Reduction {
    static let neural =
        [
            ("reduceMean", Function.mean), ("reduceSum", .sum), ("reduceMax", .maximum), ("reduceMin", .minimum),
            ("reduceProd", .product),
        ].map {
            kind, function in
            NeuralRule(kind) { layer, reading in
                let reduction = try Reduction(
                    function: function, axes: layer.reducedAxes(), keepsAxes: layer.parameters.keepDims)
                return [try reading.add(reduction, layer.input(), layer)]
            }
        } + [
            NeuralRule("reduce") { layer, reading in
                let shape = try layer.input().shape
                let named = ["CHW": [-3, -2, -1], "HW": [-2, -1], "C": [-3], "H": [-2], "W": [-1]]
                let (mode, axis): (String, String) = (layer.parameters.mode, layer.parameters.axis)
                guard let axes = try named[axis]?.map({ try shape.axis($0) }) else {
                    throw layer.refused("the axis \(axis) is unknown")
                }
                return [try reduced(mode, axes, layer, &reading)]
            }
        ]

    /// The result of the older layer, which keeps the axes.
    private static func reduced(
        _ mode: String, _ axes: [Int], _ layer: NeuralLayer, _ reading: inout ImportContext
    ) throws -> Operand {
        let functions: [String: Function] = [
            "SUM": .sum, "AVG": .mean, "PROD": .product, "MAX": .maximum, "MIN": .minimum,
        ]
        let sums: [String: ImportContext.Sum] = ["L1": .l1Norm, "SUMSQUARE": .sumOfSquares, "L2": .l2Norm]
        if let function = functions[mode] {
            return try reading.add(Reduction(function: function, axes: axes, keepsAxes: true), layer.input(), layer)
        }
        if let sum = sums[mode] {
            return try reading.sum(sum, layer.input(), axes: axes, keepsAxes: true, layer)
        }
        switch mode {
        case "LOGSUM":
            // Unlike in the newer layer, the logarithms are summed. An unset epsilon selects coremltools' default.
            let given: Float = layer.parameters.epsilon
            return try reading.sumOfLogarithms(layer.input(), axes: axes, epsilon: given == 0 ? 1e-6 : given, layer)
        case "ARGMAX" where axes.count == 1:
            let argMax = ArgMax(axis: axes[0], keepsAxis: true)
            return try reading.asFloats(reading.add(argMax, layer.input(), layer), layer)
        default: throw layer.refused("the reduction \(mode) over \(axes.count) axes is not supported")
        }
    }
}

extension NeuralLayer {
    /// The axes of a reduction, ascending: those in the parameters, or all of them.
    func reducedAxes() throws -> [Int] {
        let shape = try input().shape
        let named = try (parameters.axes as [Int]).map { try shape.axis($0) }
        return parameters.reduceAll as Bool || named.isEmpty ? Array(shape.indices) : Set(named).sorted()
    }
}
