extension Reduction: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if layers.arrays == .images {
            // Over a whole image there are older layers; a row is an image of one pixel anyway.
            guard node.input.shape.rank == 4, axes == [2, 3] else { return try layers.requireExactArrays() }
            switch function {
            case .mean:
                return layers.add(node) { layer in
                    layer.pooling.type = "AVERAGE"
                    layer.pooling.choose("valid")
                    layer.pooling.globalPooling = true
                }
            case .sum, .maximum, .minimum:
                return layers.add(node) { layer in
                    layer.reduce.mode = [.sum: "SUM", .maximum: "MAX", .minimum: "MIN"][function]!
                    layer.reduce.axis = "HW"
                }
            case .product: return try layers.requireExactArrays()
            }
        }
        let kind = ["reduceMean", "reduceSum", "reduceMax", "reduceMin", "reduceProd"][
            Function.allCases.firstIndex(of: function)!]
        layers.add(node) { layer in
            layer[kind]["axes"] = axes
            layer[kind]["keepDims"] = keepsAxes
        }
    }
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
                let shape = reading.shape(try layer.input())
                let named = try (layer.parameters.axes as [Int]).map { try shape.axis($0) }
                let axes =
                    layer.parameters.reduceAll as Bool || named.isEmpty ? Array(shape.indices) : Set(named).sorted()
                return [
                    try reading.add(
                        Reduction(function: function, axes: axes, keepsAxes: layer.parameters.keepDims),
                        [layer.input()], layer)
                ]
            }
        } + [
            NeuralRule("reduce") { layer, reading in
                let shape = reading.shape(try layer.input())
                let functions: [String: Function] = [
                    "SUM": .sum, "AVG": .mean, "PROD": .product, "MAX": .maximum, "MIN": .minimum,
                ]
                let axes = ["CHW": [1, 2, 3], "HW": [2, 3], "C": [1], "H": [2], "W": [3]]
                guard shape.rank == 4, let function = functions[layer.parameters.mode as String],
                    let over = axes[layer.parameters.axis as String]
                else {
                    throw layer.refused("the reduction \(layer.parameters.mode as String) is not supported")
                }
                return [
                    try reading.add(Reduction(function: function, axes: over, keepsAxes: true), [layer.input()], layer)
                ]
            }
        ]
}
