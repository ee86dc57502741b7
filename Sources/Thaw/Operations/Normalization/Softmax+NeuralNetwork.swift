extension Softmax: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        // The older layer works along the channels.
        axis == 1 && [2, 4].contains(inputs[0].shape.rank)
    }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if layers.arrays == .images {
            layers.add(node) { $0.choose("softmax") }
        } else {
            layers.add(node) { $0.softmaxND.axis = axis }
        }
    }
}

// MARK: Reading

extension Softmax {
    static let neural = [
        NeuralRule("softmax") { layer, reading in
            let shape = try layer.input().shape
            guard shape.rank >= 3 else { throw Failure.tooFewAxes(3, shape).at(layer.name) }
            return [try reading.add(Softmax(axis: shape.rank - 3), layer.input(), layer)]
        },
        NeuralRule("softmaxND") { layer, reading in
            [
                try reading.add(
                    Softmax(axis: try layer.input().shape.axis(layer.parameters.axis)), layer.input(), layer)
            ]
        },
    ]
}
