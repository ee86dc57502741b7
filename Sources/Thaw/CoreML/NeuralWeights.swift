extension Message {
    /// Stores the weights of a neural network's layers, in a whole model, in another type than float32.
    mutating func storeWeights(as storage: WeightStorage) {
        let kind = choice!
        var isCompressed = false
        var layers: [Message] = self[kind].layers
        for index in layers.indices {
            guard storage.type.isSelective else {
                layers[index].halveWeights()
                continue
            }
            if layers[index].compressWeights(storage) { isCompressed = true }
        }
        self[kind].layers = layers
        // The first version that knows such weights.
        let needed: CoreMLVersion = isCompressed ? .iOS12 : storage.type == .float16 ? .iOS11Point2 : .iOS11
        self.specificationVersion = Swift.max(needed.rawValue, self.specificationVersion as Int)
    }

    /// Stores all weights in this message in half precision.
    private mutating func halveWeights() {
        guard messageType == .weights else { return mapMessages { $0.halveWeights() } }
        guard let floats = storedFloats else { return }
        self.floatValue = ByteView(copying: UnsafeRawBufferPointer(start: nil, count: 0))
        self.float16Value = floats.converted(to: .float16).view
    }

    /// The weights as they stand in single precision, nil where there are none.
    private var storedFloats: Tensor? {
        let floats: ByteView = self.floatValue
        guard floats.count > 0 else { return nil }
        return Tensor(
            shape: [floats.count / 4], element: .float32,
            storage: Tensor.Storage(viewing: floats.bytes, of: floats.owner))
    }

    /// Compresses the weights of a convolution or a dense layer.
    /// - Returns: Whether it is such a layer, with weights that are to be compressed.
    private mutating func compressWeights(_ storage: WeightStorage) -> Bool {
        guard let kind = choice, kind == "convolution" || kind == "innerProduct" else { return false }
        let parameters = self[kind]
        guard let weights = parameters["weights"].storedFloats else { return false }
        let outputs: Int = parameters.outputChannels
        let isDeconvolution = kind == "convolution" && parameters.isDeconvolution as Bool
        guard !isDeconvolution, outputs > 0, weights.elementCount % outputs == 0 else { return false }
        let inner = kind == "convolution" ? parameters.kernelChannels as Int : weights.elementCount / outputs
        let shape =
            kind == "convolution"
            ? Shape([outputs, inner, weights.elementCount / outputs / inner, 1]) : [outputs, inner]
        guard storage.compresses(shape) else { return false }
        var compressed = Message(.weights)
        let bits = storage.type.paletteBits ?? 8
        compressed.quantization.numberOfBits = bits
        if storage.type.paletteBits != nil {
            let (palette, places) = weights.withFloats { floats in
                let palette = WeightPalette(floats, bits: bits)
                return (palette, palette.places(of: floats))
            }
            compressed.quantization.lookupTableQuantization.floatValue =
                Tensor(
                    palette.numbers, shape: [palette.numbers.count]
                ).view
            let bytes = packed(places, bits: bits, .highestFirst)
            compressed.rawValue = Tensor(codes: bytes, shape: [bytes.count]).view
        } else {
            let codes = LinearCodes(weights.reshaped([outputs, weights.elementCount / outputs]))
            let biases = zip(codes.scales, codes.zeros).map { -$0 * Float($1) }
            compressed.quantization.linearQuantization.scale = Tensor(codes.scales, shape: [outputs]).view
            compressed.quantization.linearQuantization.bias = Tensor(biases, shape: [outputs]).view
            compressed.rawValue = Tensor(codes: codes.codes, shape: weights.shape).view
        }
        self[kind]["weights"] = compressed
        return true
    }
}
