extension Pooling: NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { true }

    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.pooling.type = function == .maximum ? "MAX" : "AVERAGE"
            layer.pooling.kernelSize = [window.height.size, window.width.size]
            layer.pooling.stride = [window.height.stride, window.width.stride]
            layer.pooling.setPadding(window)
            layer.pooling.avgPoolExcludePadding = !countsPadding
        }
    }
}

// MARK: Reading

extension Pooling {
    static let neural = [
        NeuralRule("pooling") { layer, reading in
            let image = try layer.input()
            let shape = image.shape
            let parameters = layer.parameters
            guard shape.rank == 4 else { throw Failure.wrongRank(4, shape).at(layer.name) }
            let type: String = parameters.type
            guard let function = ["MAX": Function.maximum, "AVERAGE": .average][type] else {
                throw layer.refused("pooling of type \(type) is not supported", remedy: "MAX and AVERAGE are")
            }
            var window: Window
            if parameters.globalPooling as Bool {
                window = Window(height: .init(size: shape[2]), width: .init(size: shape[3]))
            } else {
                window = try layer.window(over: shape, kernel: 3)
                if parameters.has("includeLastPixel") {
                    let complete: Message = parameters["includeLastPixel"]
                    let amounts = try layer.pair(complete.paddingAmounts, default: 0)
                    window.height = window.height.includingLast(
                        shape[2], padding: amounts.height, isPadded: amounts != (0, 0))
                    window.width = window.width.includingLast(
                        shape[3], padding: amounts.width, isPadded: amounts != (0, 0))
                }
            }
            let pooling = Pooling(
                function: function, window: window,
                countsPadding: function == .average && window.hasPadding && !(parameters.avgPoolExcludePadding as Bool))
            return [try reading.add(pooling, image, layer)]
        }
    ]
}

extension Window.Axis {
    /// The axis padded as in Caffe: the last window may extend past the end, but may not start in the padding there.
    fileprivate func includingLast(_ input: Int, padding: Int, isPadded: Bool) -> Window.Axis {
        var positions = (Swift.max(0, input + 2 * padding - size) + stride - 1) / stride + 1
        if isPadded, (positions - 1) * stride >= input + padding { positions -= 1 }
        var axis = self
        axis.before = padding
        // Negative if the last pixels are skipped; then nothing is added.
        axis.after = Swift.max(0, (positions - 1) * stride + size - input - padding)
        return axis
    }
}
