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
        NeuralRule(onImages: "pooling", leastRank: 4) { layer, reading in
            let image = try layer.input()
            let shape = image.shape
            let parameters = layer.parameters
            let type: String = parameters.type
            var window: Window
            if parameters.globalPooling as Bool {
                window = Window(height: .init(size: shape[2]), width: .init(size: shape[3]))
            } else {
                window = try layer.window(over: shape, kernel: 3)
                if parameters.has("includeLastPixel") {
                    let complete: Message = parameters["includeLastPixel"]
                    let amounts = try layer.pair(complete.paddingAmounts, default: 0)
                    let isPadded = amounts != (0, 0)
                    window.height = try window.height.includingLast(
                        shape[2], padding: amounts.height, isPadded: isPadded, layer)
                    window.width = try window.width.includingLast(
                        shape[3], padding: amounts.width, isPadded: isPadded, layer)
                }
            }
            let axes = [window.height, window.width]
            // Caffe's padding is the same on both sides, and elements beyond it do not count.
            let declared = parameters.has("includeLastPixel") ? axes.map(\.withSymmetricPadding) : axes
            if type == "L2" { return [try reading.l2Pooled(image, axes, layer)] }
            let excludes: Bool = parameters.avgPoolExcludePadding
            let function = type == "AVERAGE" ? Function.average : .maximum
            return [
                try reading.pooled(image, function, axes, padding: declared, countsPadding: !excludes, layer)
            ]
        },
        NeuralRule("pooling3d", "globalPooling3d") { layer, reading in
            let x = try layer.input()
            guard x.shape.rank == 5 else { throw Failure.wrongRank(5, x.shape).at(layer.name) }
            let isGlobal = layer.kind == "globalPooling3d"
            let type: String = layer.parameters.type
            let excludes = isGlobal ? false : layer.parameters.countExcludePadding as Bool
            let axes =
                isGlobal
                ? x.shape.dropFirst(2).map { Window.Axis(size: $0) } : try layer.volumeWindow(over: x.shape)
            let function = type == "AVERAGE" ? Function.average : .maximum
            return [try reading.pooled(x, function, axes, countsPadding: !excludes, layer)]
        },
    ]
}

extension Window.Axis {
    /// The axis padded as in Caffe: the last window may extend past the end.
    /// - Throws: `Failure` naming the layer if the last window contains no pixel.
    fileprivate func includingLast(
        _ input: Int, padding: Int, isPadded: Bool, _ layer: NeuralLayer
    ) throws -> Window.Axis {
        var axis = self
        (axis.before, axis.after) = (padding, padding)
        guard isPadded || (axis.countRoundedUp(input) - 1) * stride < input else {
            throw layer.refused("the last window, of includeLastPixel, contains no pixel")
        }
        return axis.roundedUp(input)
    }

    /// The axis with the same padding at the end as at the start.
    fileprivate var withSymmetricPadding: Window.Axis {
        var axis = self
        axis.after = before
        return axis
    }
}
