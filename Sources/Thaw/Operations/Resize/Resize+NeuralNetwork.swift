extension Resize: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        if let (height, width) = wholeFactors, let mode = upsamplingMode {
            let isCentered = mode == "BILINEAR" && !samples(.left)
            if isCentered { layers.requireVersion(5) }
            return layers.add(node) { layer in
                layer.upsample.scalingFactor = [height, width]
                layer.upsample.mode = mode
                if isCentered { layer.upsample.linearUpsampleMode = "ALIGN_CORNERS_FALSE" }
            }
        }
        if let mode = samplingMode {
            layers.requireVersion(3)
            return layers.add(node) { layer in
                layer.resizeBilinear.targetSize = [rows.outputSize, columns.outputSize]
                layer.resizeBilinear["mode"].samplingMethod = mode
            }
        }
        writeProducts(node, to: &layers)
    }

    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool {
        if wholeFactors != nil, let mode = upsamplingMode { return mode == "NN" || samples(.left) }
        return samplingMode != nil
    }

    /// The mode of the layer for whole factors.
    private var upsamplingMode: String? {
        repeatsPixels ? "NN" : samples(.left) || samples(.edges) ? "BILINEAR" : nil
    }

    /// The mode of the layer for any size.
    private var samplingMode: String? { Resize.modes.prefix(2).first { samples($0.grid) }?.mode }

    /// Core ML's sampling modes: first those that TensorFlow also has.
    static let modes: [(mode: String, grid: SamplingGrid)] = [
        ("UPSAMPLE_MODE", .left), ("STRICT_ALIGN_ENDPOINTS_MODE", .corners),
        ("ALIGN_ENDPOINTS_MODE", .cornersOrMiddle), ("ROI_ALIGN_MODE", .parts),
    ]

    private func writeProducts(_ node: NeuralNode, to layers: inout NeuralLayers) {
        var image = node.input
        let products = self.products
        for (axis, matrix) in products {
            var result = node.output
            let name = node.name + (axis == 2 ? "/rows" : "/columns")
            if axis != products.last!.axis {
                result = NeuralBlob(name: node.output.name + "/rows", shape: image.shape)
                result.shape[axis] = matrix.shape[2]
            }
            let weights = layers.addConstant(matrix, name: name + "/weights")
            layers.add(name, axis == 2 ? [weights, image] : [image, weights], [result]) { layer in
                layer.choose("batchedMatmul")
                layer.batchedMatmul.transposeB = axis == 3
            }
            image = result
        }
    }
}

// MARK: Reading

extension Resize {
    static let neural = [
        NeuralRule(onImages: "resizeBilinear") { layer, reading in
            let size = try layer.pair(layer.parameters.targetSize, default: 1)
            let mode: Message = layer.parameters["mode"]
            guard let grid = modes.first(where: { $0.mode == mode.samplingMethod as String })?.grid else {
                throw layer.refused("the sampling mode \(mode.samplingMethod as String) is unknown")
            }
            return [try read(layer, size, { .linear(grid, $0, $1) }, &reading)]
        },
        NeuralRule(onImages: "upsample") { layer, reading in
            let shape = try layer.input().shape
            let parameters = layer.parameters
            let fractions: [Float] = parameters.fractionalScalingFactor
            var size = try layer.pair(parameters.scalingFactor, default: 1)
            if fractions.isEmpty {
                size = (shape[2] * size.height, shape[3] * size.width)
            } else {
                guard fractions.count == 2, fractions.allSatisfy({ $0 > 0 && $0 < Float(FilterWeights.largestSize) })
                else {
                    throw layer.refused("\(fractions) are not valid factors for height and width")
                }
                size = (Int(Float(shape[2]) * fractions[0]), Int(Float(shape[3]) * fractions[1]))
            }
            if parameters.mode as String == "NN" {
                return [try read(layer, size, { .nearest(.left, $0, $1) }, &reading)]
            }
            let grids = ["DEFAULT": SamplingGrid.left, "ALIGN_CORNERS_TRUE": .corners, "ALIGN_CORNERS_FALSE": .edges]
            guard let grid = grids[parameters.linearUpsampleMode as String] else {
                throw layer.refused("the mode \(parameters.linearUpsampleMode as String) is unknown")
            }
            return [try read(layer, size, { .linear(grid, $0, $1) }, &reading)]
        },
    ]

    /// The effect of a product with a constant matrix on the rows or columns of an image, and which of the two inputs
    /// is the image; nil for other products.
    static func of(
        _ product: MatrixProduct, _ shapes: [Shape], known: [Tensor?]
    ) -> (operation: Resize, image: Int)? {
        guard shapes.allSatisfy({ $0.rank == 4 }), known.filter({ $0 != nil }).count == 1,
            let matrix = known[0] ?? known[1], matrix.shape.prefix(2).elementsEqual([1, 1])
        else { return nil }
        let plain = matrix.reshaped(Shape(matrix.shape.suffix(2)))
        if known[0] != nil {
            guard !product.transposeSecond else { return nil }
            let rows = FilterWeights(product.transposeFirst ? plain.transposed([1, 0]) : plain)
            return (Resize(rows: rows, columns: .identity(shapes[1][3])), 1)
        }
        guard !product.transposeFirst else { return nil }
        let columns = FilterWeights(product.transposeSecond ? plain : plain.transposed([1, 0]))
        return (Resize(rows: .identity(shapes[0][2]), columns: columns), 0)
    }

    private static func read(
        _ layer: NeuralLayer, _ size: (height: Int, width: Int), _ taps: (Int, Int) -> FilterWeights,
        _ reading: inout ImportContext
    ) throws -> Operand {
        let shape = try layer.input().shape
        let sizes = [shape[2], shape[3], size.height, size.width]
        guard sizes.allSatisfy((1...FilterWeights.largestSize).contains) else {
            throw layer.refused("an image of shape \(shape) cannot be resized to \(size.width)×\(size.height)")
        }
        let resize = Resize(rows: taps(shape[2], size.height), columns: taps(shape[3], size.width))
        return try reading.add(resize, layer.input(), layer)
    }
}
