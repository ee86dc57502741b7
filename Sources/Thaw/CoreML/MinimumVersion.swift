/// The oldest version of Core ML's format that supports everything in a model.
///
/// Apple's validation accepts a model that declares an older version, but its systems may then refuse to load it.
/// Source: the layers and fields by version in coremltools' `mlmodel/src/Utils.cpp` and `NeuralNetwork.proto`.
extension Message {
    var minimumVersion: CoreMLVersion {
        let parts = choice == "mlProgram" ? programVersions : networkVersions
        return (parts + featureVersions).max() ?? .iOS11
    }

    /// The opset of a program, if it is unknown.
    var unknownOpset: String? {
        guard choice == "mlProgram" else { return nil }
        let known = CoreMLVersion.allCases.map(\.opset)
        return opsets.first { !known.contains($0) }
    }

    private var opsets: [String] { (self.mlProgram.functions as [Message]).map { $0.value.opset as String } }

    // MARK: Programs

    private var programVersions: [CoreMLVersion] {
        var versions = CoreMLVersion.allCases.filter { opsets.contains($0.opset) } + [.firstProgram]
        for function in self.mlProgram.functions as [Message] {
            for block in function.value.block_specializations as [Message] {
                versions += block.value.operationVersions
            }
        }
        return versions
    }

    /// The versions of a block's operations with compressed weights, also in its conditions and loops. All others are covered
    /// by their opsets.
    private var operationVersions: [CoreMLVersion] {
        (self.operations as [Message]).flatMap { operation in
            let kind: String = operation.type
            let nested = (operation.blocks as [Message]).flatMap(\.operationVersions)
            guard kind.hasPrefix("constexpr_") else { return nested }
            return [kind.contains("blockwise") || kind == "constexpr_lut_to_sparse" ? .iOS18 : .iOS16]
        }
    }

    // MARK: Neural networks

    private var networkVersions: [CoreMLVersion] {
        guard let kind = choice else { return [] }
        let network: Message = self[kind]
        return network.layerVersions + [NeuralArrays(network) == .exact ? .iOS13 : .iOS11]
    }

    /// The versions of a network's layers, also in its conditions and loops.
    private var layerVersions: [CoreMLVersion] {
        (self.layers as [Message]).flatMap { layer in
            [layer.layerVersion, layer.weightsVersion] + layer.nestedNetworks.flatMap(\.layerVersions)
        }
    }

    private var layerVersion: CoreMLVersion {
        guard let kind = choice else { return .iOS11 }
        let parameters: Message = self[kind]
        let isNewForm =
            switch kind {
            case "upsample":
                (parameters.fractionalScalingFactor as ByteView).count > 0
                    || parameters.linearUpsampleMode as String != "DEFAULT"
            case "reorganizeData": parameters.mode as String == "PIXEL_SHUFFLE"
            case "concatND": parameters.interleave as Bool
            default: false
            }
        return isNewForm ? .iOS14 : Message.firstVersion(ofLayer: kind)
    }

    /// The version that introduced a kind of layer.
    static func firstVersion(ofLayer kind: String) -> CoreMLVersion {
        // All layers except these were added in version 4.
        switch kind {
        case "convolution", "pooling", "activation", "innerProduct", "embedding", "batchnorm", "mvn", "l2normalize",
            "softmax", "lrn", "crop", "padding", "upsample", "unary", "add", "multiply", "average", "scale", "bias",
            "max", "min", "dot", "reduce", "loadConstant", "reshape", "flatten", "permute", "concat", "split",
            "sequenceRepeat", "reorganizeData", "slice", "simpleRecurrent", "gru", "uniDirectionalLSTM",
            "biDirectionalLSTM":
            .iOS11
        case "custom": .iOS11Point2
        case "resizeBilinear", "cropResize": .iOS12
        case "oneHot", "cumSum", "clampedReLU", "argSort", "convolution3d", "pooling3d", "globalPooling3d",
            "sliceBySize":
            .iOS14
        default: .iOS13
        }
    }

    /// The version required by the storage of a layer's weights.
    private var weightsVersion: CoreMLVersion {
        hasCompressedWeights ? .iOS12 : hasShortWeights ? .iOS11Point2 : .iOS11
    }

    // MARK: Features

    private var featureVersions: [CoreMLVersion] {
        let description: Message = self["description"]
        return ((description.input as [Message]) + (description.output as [Message])).map { feature in
            let type: Message = feature["type"]
            let (image, array): (Message, Message) = (type["imageType"], type["multiArrayType"])
            return feature.isHalfFeature ? .iOS16 : image.choice != nil || array.hasFlexibleShape ? .iOS12 : .iOS11
        }
    }

    private var hasFlexibleShape: Bool { has("enumeratedShapes") || has("shapeRange") }
}
