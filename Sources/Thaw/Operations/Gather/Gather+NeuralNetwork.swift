extension Gather: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { $0.gather.axis = axis }
    }
}

extension GatherSlices: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { $0.choose("gatherND") }
    }
}

extension Select: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { $0.choose("whereBroadcastable") }
    }
}

extension Tile: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { $0.tile.reps = multiples }
    }
}

extension BroadcastTo: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { $0.broadcastToStatic.targetShape = shape.dimensions }
    }
}

extension TopK: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        try layers.requireExactArrays()
        layers.add(node) { layer in
            layer.topK.axis = axis
            layer.topK.K = count
        }
    }
}

// MARK: Reading

extension Gather {
    static let neural = [
        NeuralRule("gather") { layer, reading in
            let axis = try reading.shape(layer.input()).axis(layer.parameters.axis)
            return [
                try reading.add(Gather(axis: axis, countsFromEnd: true), [layer.input(), layer.input(1)], layer)
            ]
        },
        NeuralRule("gatherND") { layer, reading in
            [try reading.add(GatherSlices(countsFromEnd: true), [layer.input(), layer.input(1)], layer)]
        },
        NeuralRule("whereBroadcastable") { layer, reading in
            [try reading.add(Select(), (0..<3).map { try layer.input($0) }, layer)]
        },
        NeuralRule("tile") { layer, reading in
            try [reading.add(Tile(multiples: layer.parameters.reps), [layer.input()], layer)]
        },
        NeuralRule("broadcastToStatic") { layer, reading in
            let shape = Shape(layer.parameters.targetShape as [Int])
            return [try reading.add(BroadcastTo(shape: shape), [layer.input()], layer)]
        },
        NeuralRule("topK") { layer, reading in
            guard !(layer.parameters.useBottomK as Bool), layer.inputs.count == 1 else {
                throw layer.refused("the smallest elements, or a number of them that is computed, are not supported")
            }
            let axis = try reading.shape(layer.input()).axis(layer.parameters.axis)
            let results = try reading.builder.add(
                TopK(axis: axis, count: layer.parameters.K), [layer.input()], name: layer.name)
            return try results.map { try reading.asFloats($0, layer) }
        },
    ]
}
