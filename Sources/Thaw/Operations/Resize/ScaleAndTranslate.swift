#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// TensorFlow's ScaleAndTranslate, which `tf.image.resize` uses for antialiasing and for Lanczos, Gaussian and
/// Mitchell filters. It is imported as a `Resize`.
///
/// Every step is rounded to float32 as in TensorFlow (tensorflow/core/kernels/image/scale_and_translate_op.cc).
enum ScaleAndTranslate {
    /// A filter, by TensorFlow's names (tensorflow/core/kernels/image/sampling_kernels.h).
    fileprivate enum Filter: String {
        case lanczos1, lanczos3, lanczos5, gaussian, box, triangle, keyscubic, mitchellcubic

        /// The radius of its support.
        var radius: Float {
            switch self {
            case .lanczos1, .box, .triangle: 1
            case .lanczos3: 3
            case .lanczos5: 5
            case .gaussian: 1.5
            case .keyscubic, .mitchellcubic: 2
            }
        }

        func weight(_ position: Float) -> Float {
            let x = abs(position)
            switch self {
            case .lanczos1, .lanczos3, .lanczos5:
                if x > radius { return 0 }
                // Close to 0, where the quotient of sines is inaccurate.
                if x <= 1e-3 { return 1 }
                let angle: Float = .pi * x
                let outer: Float = sin(angle)
                let inner: Float = sin(angle / radius)
                return radius * outer * inner / (angle * angle)
            case .gaussian:
                let exponent: Float = x * x * 2
                return x >= radius ? 0 : exp(-exponent)
            case .box: return x < 0.5 ? 1 : x == 0.5 ? 0.5 : 0
            case .triangle: return x < 1 ? 1 - x : 0
            case .keyscubic:
                return cubic(x, far: [-0.5, 2.5, -4, 2], near: [1.5, -2.5, 0, 1])
            case .mitchellcubic:
                let far: [Float] = [-7.0 / 18, 2, -10.0 / 3, 16.0 / 9]
                let near: [Float] = [7.0 / 6, -2, 0, 8.0 / 9]
                return cubic(x, far: far, near: near)
            }
        }

        /// One cubic polynomial below 1 and another below 2, by their coefficients.
        private func cubic(_ x: Float, far: [Float], near: [Float]) -> Float {
            let coefficients = x >= 2 ? [] : x >= 1 ? far : near
            return coefficients.reduce(0) { $0 * x + $1 }
        }
    }

    static let tensorFlow = [
        TensorFlowRule("ScaleAndTranslate", axes: .channelsLast, roles: []) { node, context in
            let image = try context.asFloats(node.input(0), name: node.name + "/floats")
            try node.requireImage(image)
            let size = try node.integers(1, "size")
            let scale = try node.constant(2, "scale").floats
            let translation = try node.constant(3, "translation").floats
            guard size.count == 2, size.allSatisfy((1...FilterWeights.largestSize).contains),
                image.shape[1...2].allSatisfy((1...FilterWeights.largestSize).contains)
            else { throw node.refused("an image of shape \(image.shape) cannot be resized to \(size)") }
            guard scale.count == 2, translation.count == 2, scale.allSatisfy({ $0 > 0 && $0.isFinite }),
                translation.allSatisfy(\.isFinite)
            else { throw node.refused("scale \(scale) and translation \(translation) are not valid") }
            let name = try node.string("kernel_type", default: "lanczos3")
            guard let filter = Filter(rawValue: name) else {
                throw Failure.badAttribute(node.name, node.op, "kernel_type")
            }
            let isAntialiased = try node.bool("antialias", default: true)
            let taps = try (0..<2).map { axis in
                guard
                    let taps = FilterWeights(
                        filter, scale: scale[axis], translation: translation[axis], isAntialiased: isAntialiased,
                        image.shape[axis + 1], size[axis])
                else { throw node.refused("the scale \(scale[axis]) requires too many weights") }
                return taps
            }
            let resize = Resize(rows: taps[0], columns: taps[1])
            return [try context.add(resize, image, name: node.name)]
        }
    ]

    /// The highest total number of weights along one axis.
    fileprivate static let maximumWeights = 1 << 24
}

extension FilterWeights {
    /// - Returns: nil if there would be too many weights.
    fileprivate init?(
        _ filter: ScaleAndTranslate.Filter, scale: Float, translation: Float, isAntialiased: Bool, _ input: Int,
        _ output: Int
    ) {
        let inverse = 1 / scale
        let start = -inverse * translation
        let stretch = isAntialiased ? max(inverse, 1) : 1
        let reach = filter.radius * stretch
        let maximumTaps = Int(min(2 * reach + 2, Float(input)))
        guard maximumTaps * output <= ScaleAndTranslate.maximumWeights else { return nil }
        func clamped(_ position: Float) -> Int { Int(min(max(position, 0), Float(input - 1))) }
        let runs = (0..<output).map { pixel -> Run in
            let sample: Float = (Float(pixel) + 0.5) * inverse + start
            // Positions outside the image have no weights.
            guard sample >= 0, sample <= Float(input) else { return Run([]) }
            let first = clamped((sample - reach - 0.5).rounded(.up))
            let last = clamped((sample + reach - 0.5).rounded(.down))
            let weights = (first...max(first, last)).map { pixel -> Float in
                let distance: Float = Float(pixel) + 0.5 - sample
                return filter.weight(distance * (1 / stretch))
            }
            let sum: Float = weights.reduce(0, +)
            guard abs(sum) >= 1000 * Float.leastNormalMagnitude else { return Run([]) }
            let part = 1 / sum
            return Run(weights.indices.map { (first + $0, weights[$0] * part) })
        }
        self.init(inputSize: input, runs: runs)
    }
}
