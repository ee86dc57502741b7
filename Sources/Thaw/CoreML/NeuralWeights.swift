extension Message {
    /// Compresses the weights of a neural network's layers.
    /// - Parameter target: The newest version that may be used.
    /// - Returns: Whether any weights changed, and a report on the layers if `storage` compresses selectively.
    /// - Throws: `Failure` if the version does not support such weights.
    @discardableResult
    mutating func storeWeights(
        as storage: WeightStorage, target: CoreMLVersion? = nil
    ) throws -> (isChanged: Bool, report: CompressionReport?) {
        // The first version that supports such weights.
        let needed: CoreMLVersion = storage.type.isSelective ? .iOS12 : .iOS11Point2
        if let target, target < needed {
            throw Failure.targetTooOld(
                "\(option: .weights) \(storage.type.rawValue)", needs: needed, target)
        }
        let kind = choice!
        var isChanged = false
        var report: CompressionReport?
        // The scaling of the image stays exact.
        let prefix = NeuralNetworkWriter.scalingLayer(of: "")
        if storage.type.isSelective {
            var compressor = LayerCompressor(self[kind].layers, storage)
            self[kind].layers = compressor.layers { !($0.name as String).hasPrefix(prefix) }
            report = compressor.report
            isChanged = compressor.report.layerCount > 0
        } else {
            var layers: [Message] = self[kind].layers
            for index in layers.indices where !(layers[index].name as String).hasPrefix(prefix) {
                isChanged = layers[index].halveWeights() || isChanged
            }
            self[kind].layers = layers
        }
        if isChanged { self.specificationVersion = Swift.max(needed.rawValue, self.specificationVersion as Int) }
        return (isChanged, report)
    }

    /// Stores weights that are multiples of a scale in each output channel as 8-bit integers.
    /// - Parameter target: The newest version that may be used.
    /// - Throws: `Failure` if the version does not support such weights.
    mutating func storeQuantizedWeights(target: CoreMLVersion?) throws {
        let kind = choice!
        var isChanged = false
        var layers: [Message] = self[kind].layers
        for index in layers.indices {
            guard let (kind, weights) = layers[index].compressibleWeights else { continue }
            // The integers are found by columns.
            let rows = weights.shape[0]
            let columns = weights.reshaped([rows, weights.elementCount / max(1, rows)]).transposed([1, 0])
            guard let quantized = SymmetricWeights(of: columns, channels: rows) else { continue }
            layers[index][kind]["weights"] = .weights(
                quantized.tensor(columns.shape).transposed([1, 0]), scales: quantized.scales)
            isChanged = true
        }
        guard isChanged else { return }
        if let target, target < .iOS12 { throw Failure.targetTooOld("weights of 8 bits", needs: .iOS12, target) }
        self[kind].layers = layers
        self.specificationVersion = Swift.max(CoreMLVersion.iOS12.rawValue, self.specificationVersion as Int)
    }

    /// Stores all weights in this message in half precision, except for tensors with a value too large for it.
    /// - Returns: Whether any weights changed.
    private mutating func halveWeights() -> Bool {
        guard messageType == .weights else {
            var isChanged = false
            mapMessages { if $0.halveWeights() { isChanged = true } }
            return isChanged
        }
        let floats: PendingBytes = self.floatValue
        guard floats.count > 0, !floats.hasFloats(beyond: .largestHalf) else { return false }
        self.floatValue = ByteView(copying: UnsafeRawBufferPointer(start: nil, count: 0))
        self.float16Value = floats.halved
        return true
    }

    /// The weights, if they are stored as floating-point values.
    fileprivate var storedFloats: Tensor? {
        let (floats, halves): (ByteView, ByteView) = (self.floatValue, self.float16Value)
        let (view, element): (ByteView, ElementType) = floats.count > 0 ? (floats, .float32) : (halves, .float16)
        guard view.count > 0 else { return nil }
        return Tensor(
            shape: [view.count / element.size], element: element,
            storage: Tensor.Storage(viewing: view.bytes, of: view.owner))
    }
}

/// Compresses the weights of a neural network's layers.
private struct LayerCompressor {
    private let layers: [Message]
    private let storage: WeightStorage
    private let depthwiseInputs: Set<String>
    /// The names of layers and of their inputs and outputs.
    private var names: Set<String>
    private(set) var report = CompressionReport()

    /// Layers between convolutions that compute each channel from one channel of each input.
    private static let channelwise: Set<String> = [
        "activation", "add", "addBroadcastable", "batchnorm", "bias", "clip", "gelu", "multiply",
        "multiplyBroadcastable",
        "padding", "scale", "unary",
    ]

    init(_ layers: [Message], _ storage: WeightStorage) {
        (self.layers, self.storage) = (layers, storage)
        depthwiseInputs = LayerLink.depthwiseInputs(
            layers.map { layer in
                let kind = layer.choice ?? ""
                return LayerLink(
                    kind: layer.isDepthwise ? .depthwise : Self.channelwise.contains(kind) ? .channelwise : .other,
                    inputs: layer.input, outputs: layer.output)
            })
        names = Set(layers.flatMap { [$0.name as String] + ($0.output as [String]) + ($0.input as [String]) })
    }

    /// All layers; those that `isIncluded` selects are compressed if they have compressible weights.
    mutating func layers(_ isIncluded: (Message) -> Bool) -> [Message] {
        layers.flatMap { layer in isIncluded(layer) ? compressed(layer) : [layer] }
    }

    /// The compressed layer, followed by a second one if its output channels have to be scaled.
    private mutating func compressed(_ original: Message) -> [Message] {
        var layer = original
        guard let (kind, weights) = layer.compressibleWeights, storage.compresses(weights) else { return [layer] }
        let outputs: [String] = layer.output
        // A scale layer takes only images, and the output of a dense layer need not be one.
        let use = LayerUse(
            feedsDepthwise: outputs.contains(where: depthwiseInputs.contains), allowsScales: kind == "convolution")
        let (compressed, reason) = storage.compressed(weights, use, storedAs: .float32)
        report.add(layer.name, reason)
        layer[kind]["weights"] = .weights(compressed)
        guard let scales = compressed.scales, let output = outputs.first else { return [layer] }
        let unscaled = names.insertUnique(output + "/unscaled")
        layer.output = [unscaled]
        var scale = Message(.layer)
        scale.name = names.insertUnique((layer.name as String) + "/scale")
        scale.input = [unscaled]
        scale.output = [output]
        scale.inputTensor = layer.outputTensor as [Message]
        scale.outputTensor = layer.outputTensor as [Message]
        let shape = [scales.count, 1, 1]
        scale.scale.shapeScale = shape
        scale.scale.scale = .weights(Tensor(scales, shape: Shape(shape)))
        if layer[kind].hasBias as Bool {
            scale.scale.hasBias = true
            scale.scale.shapeBias = shape
            scale.scale.bias = layer[kind]["bias"]
            layer[kind].hasBias = false
            let field = layer[kind].messageType.index(of: "bias")
            layer[kind].setEntry(field, nil)
        }
        return [layer, scale]
    }
}

extension Message {
    /// Whether a layer is a depthwise convolution.
    fileprivate var isDepthwise: Bool {
        guard choice == "convolution" else { return false }
        let parameters: Message = self["convolution"]
        let isDeconvolution: Bool = parameters.isDeconvolution
        return !isDeconvolution && parameters.nGroups as Int > 1 && parameters.kernelChannels as Int == 1
    }

    /// The kind and the weights of a convolution or a dense layer, output channels first.
    fileprivate var compressibleWeights: (kind: String, weights: Tensor)? {
        guard let kind = choice, kind == "convolution" || kind == "innerProduct" else { return nil }
        let parameters: Message = self[kind]
        guard let weights = parameters["weights"].storedFloats else { return nil }
        let outputs: Int = parameters.outputChannels
        let isDeconvolution = kind == "convolution" && parameters.isDeconvolution as Bool
        guard !isDeconvolution, outputs > 0, weights.elementCount % outputs == 0 else { return nil }
        let inner = kind == "convolution" ? parameters.kernelChannels as Int : weights.elementCount / outputs
        guard inner > 0, inner <= weights.elementCount / outputs, weights.elementCount % (outputs * inner) == 0 else {
            return nil
        }
        let shape =
            kind == "convolution"
            ? Shape([outputs, inner, weights.elementCount / outputs / inner, 1]) : [outputs, inner]
        return (kind, weights.reshaped(shape))
    }

    /// The message for signed integers, output channels first.
    fileprivate static func weights(_ quantized: Tensor, scales: [Float]) -> Message {
        let bytes = quantized.view.withBytes { $0.map { $0 &+ 128 } }
        var message = Message(.weights)
        message.quantization.numberOfBits = 8
        message.quantization.linearQuantization.scale = Tensor(scales, shape: [scales.count]).view
        message.quantization.linearQuantization.bias = Tensor(scales.map { -128 * $0 }, shape: [scales.count]).view
        message.rawValue = Tensor(bytes: bytes, shape: [bytes.count]).view
        return message
    }

    /// The message for compressed weights.
    fileprivate static func weights(_ compressed: CompressedWeights) -> Message {
        var message = Message(.weights)
        switch compressed {
        case .palette(let palette):
            message.quantization.numberOfBits = palette.bits
            message.quantization.lookupTableQuantization.floatValue =
                Tensor(palette.entries, shape: [palette.entries.count]).view
            let bytes = packed(palette.indices, bits: palette.bits, .highestFirst)
            message.rawValue = Tensor(bytes: bytes, shape: [bytes.count]).view
        case .linear(let linear):
            let rows = linear.scales.count
            let biases = zip(linear.scales, linear.zeros).map { -$0 * Float($1) }
            message.quantization.numberOfBits = 8
            message.quantization.linearQuantization.scale = Tensor(linear.scales, shape: [rows]).view
            message.quantization.linearQuantization.bias = Tensor(biases, shape: [rows]).view
            message.rawValue = Tensor(bytes: linear.quantized, shape: [linear.quantized.count]).view
        }
        return message
    }
}
