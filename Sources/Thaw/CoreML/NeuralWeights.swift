extension Message {
    /// Stores the weights of a neural network's layers, in a whole model, in less than they take.
    /// - Parameter target: The newest version that may be used.
    /// - Returns: Whether any are.
    /// - Throws: `Failure` where the version does not know such weights.
    @discardableResult
    mutating func storeWeights(as storage: WeightStorage, target: CoreMLVersion? = nil) throws -> Bool {
        // The first version that knows such weights.
        let needed: CoreMLVersion = storage.type.isSelective ? .iOS12 : .iOS11Point2
        if let target, target < needed {
            throw Failure.targetTooOld("--weights \(storage.type.rawValue)", needs: needed.systems, target.name)
        }
        let kind = choice!
        var isChanged = false
        var layers: [Message] = self[kind].layers
        for index in layers.indices
        // What prepares the image stays exact.
        where !(layers[index].name as String).hasPrefix(NeuralNetworkWriter.scalingLayer(of: "")) {
            let isShorter =
                storage.type.isSelective ? layers[index].compressWeights(storage) : layers[index].halveWeights()
            isChanged = isChanged || isShorter
        }
        self[kind].layers = layers
        if isChanged { self.specificationVersion = Swift.max(needed.rawValue, self.specificationVersion as Int) }
        return isChanged
    }

    /// Stores all weights in this message in half precision, but for arrays of which a number is too large for it.
    /// - Returns: Whether there are any.
    private mutating func halveWeights() -> Bool {
        guard messageType == .weights else {
            var isChanged = false
            mapMessages { if $0.halveWeights() { isChanged = true } }
            return isChanged
        }
        let floats: PendingBytes = self.floatValue
        guard floats.count > 0, !floats.hasFloats(beyond: WeightStorage.largest) else { return false }
        self.floatValue = ByteView(copying: UnsafeRawBufferPointer(start: nil, count: 0))
        self.float16Value = floats.halved
        return true
    }

    /// The weights where they stand as floating-point numbers.
    private var storedFloats: Tensor? {
        let (floats, halves): (ByteView, ByteView) = (self.floatValue, self.float16Value)
        let (view, element): (ByteView, ElementType) = floats.count > 0 ? (floats, .float32) : (halves, .float16)
        guard view.count > 0 else { return nil }
        return Tensor(
            shape: [view.count / element.size], element: element,
            storage: Tensor.Storage(viewing: view.bytes, of: view.owner))
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
        guard inner > 0, weights.elementCount % (outputs * inner) == 0 else { return false }
        let shape =
            kind == "convolution"
            ? Shape([outputs, inner, weights.elementCount / outputs / inner, 1]) : [outputs, inner]
        guard storage.compresses(weights.reshaped(shape)) else { return false }
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
