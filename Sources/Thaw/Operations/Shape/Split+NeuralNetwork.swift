extension Split: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        axis == 1 && isEven && [2, 4].contains(inputs[0].shape.rank)
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if layers.arrays == .images {
            layers.add(node) { $0.split.nOutputs = sizes.count }
        } else {
            layers.add(node) { layer in
                layer.splitND.axis = axis
                if isEven { layer.splitND.numSplits = sizes.count } else { layer.splitND.splitSizes = sizes }
            }
        }
    }

    var isEven: Bool { sizes.allSatisfy { $0 == sizes[0] } }
}

// MARK: Reading

extension Split {
    static let neural = [
        NeuralRule("split", "splitND") { layer, reading in
            let shape = try layer.input().shape
            let isOld = layer.kind == "split"
            let axis = isOld ? Swift.max(0, shape.rank - 3) : try shape.axis(layer.parameters.axis)
            var sizes: [Int] = isOld ? [] : layer.parameters.splitSizes
            if sizes.isEmpty {
                let count: Int = isOld ? layer.parameters.nOutputs : layer.parameters.numSplits
                sizes = try Split(shape, axis: axis, count: count, layer).sizes
            }
            return try reading.add(Split(axis: axis, sizes: sizes), [layer.input()], layer)
        }
    ]
}
