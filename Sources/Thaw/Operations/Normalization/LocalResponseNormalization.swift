import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Every value of an image divided by a power of the sum of squares over the surrounding channels: x / (bias + alpha
/// · Σ x²) ^ beta (Krizhevsky et al., ImageNet Classification with Deep Convolutional Neural Networks, 2012).
struct LocalResponseNormalization: Operation {
    /// How many channels on either side are summed over. Channels before the first and after the last count as 0.
    var radius: Int
    var bias: Float
    var alpha: Float
    var beta: Float

    var kind: String { "LocalResponseNormalization" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape.rank == 4 else { throw Failure.wrongRank(4, inputs[0].shape) }
        return [TensorType(inputs[0].shape)]
    }

    func work(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        let channels = Swift.max(1, inputs[0].shape[3])
        return .saturatedProduct(outputs[0].shape.elementCount, Swift.min(2 * radius + 1, channels))
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let channels = Swift.max(1, inputs[0].shape[3])
        return inputs[0].withFloats { x in
            [
                Tensor(shape: inputs[0].shape) { y in
                    for i in 0..<y.count {
                        let channel = i % channels
                        var sum = 0.0
                        for other in Swift.max(0, channel - radius)...Swift.min(channels - 1, channel + radius) {
                            let value = Double(x[i - channel + other])
                            sum += value * value
                        }
                        y[i] = Float(Double(x[i]) / pow(Double(bias) + Double(alpha) * sum, Double(beta)))
                    }
                }
            ]
        }
    }
}

// MARK: Facts

extension LocalResponseNormalization {
    var family: Family { .normalization }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { axis == 3 ? .combined : .kept(axis) }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Local response normalization", ["\(2 * radius + 1) channels"])
    }
}

// MARK: TensorFlow

extension LocalResponseNormalization {
    static let tensorFlow = [
        TensorFlowRule("LRN", axes: .channelsLast, roles: []) { node, context in
            let image = try node.input(0)
            try node.requireImage(image)
            let radius = try node.int("depth_radius", default: 5)
            guard radius >= 0 else { throw Failure.badAttribute(node.name, node.op, "depth_radius") }
            let normalization = LocalResponseNormalization(
                radius: Swift.min(radius, Swift.max(1, image.shape[3])), bias: try node.float("bias", default: 1),
                alpha: try node.float("alpha", default: 1), beta: try node.float("beta", default: 0.5))
            return [try context.add(normalization, image, name: node.name)]
        }
    ]
}

// MARK: Core ML

extension LocalResponseNormalization: CoreMLOperation {
    /// x · (bias + alpha · Σ x²) ^ −beta, with the sum computed by a convolution over the channels. Core ML's layers are
    /// only known to accept a positive bias.
    func decompose(_ inputs: [Operand], into parts: inout Decomposition) throws -> Operand? {
        guard bias <= 0 else { return nil }
        let channels = inputs[0].shape[1]
        let sums = Tensor(shape: [1, 1, channels, channels]) { weights in
            for i in 0..<weights.count { weights[i] = abs(i / channels - i % channels) <= radius ? alpha : 0 }
        }
        let convolution = Convolution(
            filters: sums, bias: Tensor([Float](repeating: bias, count: channels), shape: [channels]),
            window: Window(height: .init(size: 1), width: .init(size: 1)))
        let square = try parts.add(Binary(.multiply), inputs[0], inputs[0], as: "square")
        let sum = try parts.add(convolution, square, as: "sum")
        let factor = try parts.add(Binary(.power, constant: Tensor([-beta], shape: [])), sum, as: "factor")
        return try parts.add(Binary(.multiply), inputs[0], factor)
    }
}

// MARK: Engine

extension LocalResponseNormalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let powers: [Float: LocalNormalizationWork.Power] = [0.5: .half, 0.75: .threeQuarters, 1: .one]
        return powers[beta].map { .localNormalization(radius: radius, bias: bias, alpha: alpha, power: $0) }
    }
}
