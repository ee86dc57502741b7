extension NeuralNetworkReader {
    /// Scalers become the image's scaling. A mean image, and any scaling after it, become operations in the graph.
    mutating func readPreprocessing() throws {
        var withMean: Set<String> = []
        for preprocessing in network.preprocessing as [Message] {
            let name: String = preprocessing.featureName
            // An empty name means the only image.
            let images = interface.images
            guard let image = images.first(where: { $0.name == name }) ?? (name.isEmpty ? images.first : nil),
                !name.isEmpty || images.count == 1
            else {
                throw Failure.preprocessingWithoutInput(name)
            }
            if preprocessing.has("meanImage") {
                try subtractMean(preprocessing["meanImage"], image)
                withMean.insert(image.name)
                continue
            }
            let scaler: Message = preprocessing["scaler"]
            let given: Double = scaler.channelScale
            // A missing scale is also 0: the network would see nothing of the image.
            guard given != 0, given.isFinite else { throw Failure.preprocessingByZero(image.name) }
            let scaling = PixelScaling(
                scale: Array(repeating: given, count: image.color.channels),
                bias: image.color.channelNames.map { scaler[$0 + "Bias"] })
            if withMean.contains(image.name) {
                let arithmetic = ChannelArithmetic(scale: scaling.scale, offset: scaling.bias)
                try prepare(image, BatchNormalization(arithmetic), "scale")
            } else {
                interface.setScaling(image.scaling.followed(by: scaling), of: image.name)
            }
        }
    }

    private mutating func subtractMean(_ message: Message, _ image: ImageInput) throws {
        let view: ByteView = message.meanImage
        let shape: Shape = [image.color.channels, image.height, image.width]
        guard view.count == shape.elementCount * 4 else {
            throw Failure.meanImage(image.name, view.count / 4, expected: shape.elementCount)
        }
        let mean = Tensor(
            shape: shape, element: .float32, storage: Tensor.Storage(viewing: view.bytes, of: view.owner))
        try prepare(image, Binary(.subtract, constant: mean), "mean")
    }

    /// Inserts an operation between the image and its consumers.
    private mutating func prepare(_ image: ImageInput, _ operation: any Operation, _ part: String) throws {
        values[image.name] = try reading.add(operation, values[image.name]!, name: "\(image.name)/\(part)")
    }
}
