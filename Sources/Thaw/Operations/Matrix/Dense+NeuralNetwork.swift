extension Dense: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.innerProduct.inputChannels = matrix.shape[0]
            layer.innerProduct.outputChannels = matrix.shape[1]
            layer.innerProduct.weights = .weights(matrix, order: [1, 0])
            layer.innerProduct.hasBias = bias != nil
            if let bias { layer.innerProduct.bias = .weights(bias) }
        }
    }
}

// MARK: Reading

extension Dense {
    static let neural = [
        NeuralRule("innerProduct") { layer, reading in
            let parameters = layer.parameters
            let inputs: Int = parameters.inputChannels
            let outputs: Int = parameters.outputChannels
            let input = try layer.input()
            let shape = input.shape
            guard inputs > 0, outputs > 0, inputs < 1 << 32, outputs < 1 << 32 else {
                throw layer.refused("the number of inputs or outputs is not valid")
            }
            // With four or five axes the last three are flattened: the pixels of an image.
            let isImage = shape.rank > 3
            let rowAxes = min(isImage ? 3 : 1, shape.rank)
            guard shape.suffix(rowAxes).reduce(1, *) == inputs else {
                throw layer.refused("\(inputs) inputs do not fit a tensor of shape \(shape)")
            }
            let matrix = try layer.weights(parameters.weights, [outputs, inputs]).transposed([1, 0])
            let bias = parameters.hasBias as Bool ? try layer.weights(parameters.bias, [outputs]) : nil
            let result = Shape(shape.dropLast(rowAxes) + [outputs] + (isImage ? [1, 1] : []))
            return [try dense(Dense(matrix: matrix, bias: bias), input, result, layer, &reading)]
        },
        NeuralRule("batchedMatmul") { layer, reading in
            let parameters = layer.parameters
            if layer.inputs.count == 1 { return [try readMatrix(layer, &reading)] }
            guard layer.inputs.count == 2 else { throw layer.refused("there are \(layer.inputs.count) inputs") }
            let product = MatrixProduct(transposeFirst: parameters.transposeA, transposeSecond: parameters.transposeB)
            let known = layer.inputs.map(\.constant)
            if let (resize, image) = Resize.of(product, layer.inputs.map(\.shape), known: known) {
                return [try reading.add(resize, layer.inputs[image], layer)]
            }
            // Unlike in an ML Program, the axis that is added to a vector stays in the result.
            let (a, b) = try reading.factors(layer.inputs[0], layer.inputs[1], of: product, layer)
            return try reading.add(product, [a, b], layer)
        },
    ]

    /// A product with a matrix that the layer stores in column-major order. It is never transposed.
    private static func readMatrix(_ layer: NeuralLayer, _ reading: inout ImportContext) throws -> Operand {
        let parameters = layer.parameters
        let (inputs, outputs): (Int, Int) = (
            parameters.weightMatrixFirstDimension, parameters.weightMatrixSecondDimension
        )
        let input = try layer.input()
        let shape = input.shape
        guard (1..<1 << 32).contains(inputs), (1..<1 << 32).contains(outputs), shape.last == inputs
        else {
            throw layer.refused("a matrix of \(inputs)×\(outputs) does not fit a tensor of shape \(shape)")
        }
        let matrix = try layer.weights(parameters.weights, [outputs, inputs]).transposed([1, 0])
        let bias = parameters.hasBias as Bool ? try layer.weights(parameters.bias, [outputs]) : nil
        let result = Shape(shape.dropLast() + [outputs])
        return try dense(Dense(matrix: matrix, bias: bias), input, result, layer, &reading)
    }

    /// A dense layer on a tensor of any rank, flattened to rows.
    private static func dense(
        _ dense: Dense, _ input: Operand, _ result: Shape, _ layer: NeuralLayer, _ reading: inout ImportContext
    ) throws -> Operand {
        let inputs = dense.matrix.shape[0]
        let count = input.shape.elementCount / inputs
        let rows = try reading.reshaped(input, [count, inputs], layer)
        let product = try reading.add(dense, rows, layer)
        return try reading.reshaped(product, result, layer)
    }
}
