/// The weights of a resize along one axis: each output pixel is a weighted sum of neighboring input pixels.
struct FilterWeights: Hashable, Sendable {
    /// The weights of one output pixel.
    struct Run: Hashable, Sendable {
        /// The first input pixel.
        var start = 0
        /// The weights of that pixel and the following ones; empty if the output pixel does not depend on the image.
        var weights: [Float] = []

        /// - Parameter taps: Pixels and their weights. The weights of duplicate pixels are added.
        init(_ taps: [(pixel: Int, weight: Float)]) {
            let nonzero = taps.filter { $0.weight != 0 }
            guard let first = nonzero.map(\.pixel).min(), let last = nonzero.map(\.pixel).max() else { return }
            start = first
            weights = Array(repeating: 0, count: last - first + 1)
            for tap in nonzero { weights[tap.pixel - first] += tap.weight }
        }
    }

    /// The number of input pixels along the axis.
    var inputSize: Int
    /// One run per output pixel.
    var runs: [Run]

    /// The highest size that an axis may be resized to. No image is larger, but a malicious graph can request more in
    /// a few bytes.
    static let largestSize = 1 << 16

    var outputSize: Int { runs.count }

    /// Whether every output pixel is a copy of an input pixel.
    var isSelection: Bool { runs.allSatisfy { $0.weights == [1] } }

    /// Whether the axis is unchanged.
    var isIdentity: Bool { isSelection && runs.map(\.start) == Array(0..<inputSize) }

    /// An unchanged axis.
    static func identity(_ size: Int) -> FilterWeights {
        FilterWeights(inputSize: size, runs: (0..<size).map { Run([($0, 1)]) })
    }

    /// The weights as a matrix: output pixels, input pixels.
    var matrix: Tensor {
        Tensor(shape: [outputSize, inputSize]) { weights in
            weights.update(repeating: 0)
            for (row, run) in runs.enumerated() {
                for (tap, weight) in run.weights.enumerated() { weights[row * inputSize + run.start + tap] = weight }
            }
        }
    }

    /// Networks halve and double sizes. Resizing 256 pixels to 217 is meant for one size only.
    static let largestRatio = 64

    /// The input pixels that output pixels depend on; nil if they are not computed alike everywhere.
    var reach: Reach? {
        let ratio = Fraction(inputSize, outputSize)
        guard max(ratio.numerator, ratio.denominator) <= FilterWeights.largestRatio else { return nil }
        var (first, last) = (0.0, 0.0)
        for (pixel, run) in runs.enumerated() {
            let position = Double(pixel) * ratio.value
            first = min(first, Double(run.start) - position)
            last = max(last, Double(run.start + run.weights.count - 1) - position)
            // The weights repeat, except at the edges, where some apply to pixels outside the image.
            let next = pixel + ratio.denominator
            guard run.start > 1, next < outputSize else { continue }
            let other = runs[next]
            guard other.start + other.weights.count < inputSize - 1 else { continue }
            let isAlike =
                other.start == run.start + ratio.numerator && other.weights.count == run.weights.count
                && zip(other.weights, run.weights).allSatisfy { abs($0 - $1) < 1e-4 }
            if !isAlike { return nil }
        }
        return Reach(step: ratio, first: first, last: last)
    }

    /// Whether the weights are equal up to rounding of the sampling positions.
    func isClose(to other: FilterWeights) -> Bool {
        guard inputSize == other.inputSize, outputSize == other.outputSize else { return false }
        let tolerance = 0x1p-22 * Float(inputSize + 1)
        return zip(runs, other.runs).allSatisfy { a, b in
            let pixels = min(a.start, b.start)..<max(a.start + a.weights.count, b.start + b.weights.count)
            return pixels.allSatisfy { abs(a.weight(at: $0) - b.weight(at: $0)) <= tolerance }
        }
    }
}

extension FilterWeights {
    /// - Parameter matrix: See `matrix`.
    init(_ matrix: Tensor) {
        let input = matrix.shape[1]
        let weights = matrix.floats
        self.init(
            inputSize: input,
            runs: (0..<matrix.shape[0]).map { row in Run((0..<input).map { ($0, weights[row * input + $0]) }) })
    }
}

extension FilterWeights.Run {
    fileprivate func weight(at pixel: Int) -> Float {
        weights.indices.contains(pixel - start) ? weights[pixel - start] : 0
    }
}

/// The positions of the output pixels on the input axis, where the center of the first pixel is 0. Positions are
/// rounded as in TensorFlow (tensorflow/core/util/image_resizer_state.h).
enum SamplingGrid: CaseIterable, Sendable {
    /// The first pixels are aligned: TensorFlow's original method, and Core ML's `UPSAMPLE_MODE`.
    case left
    /// The first and the last pixels are aligned: TensorFlow's `align_corners`, and Core ML's
    /// `STRICT_ALIGN_ENDPOINTS_MODE`.
    case corners
    /// The edges are aligned: TensorFlow's `half_pixel_centers`, and Core ML's upsampling without aligned corners.
    case edges
    /// Like `corners`, but a single pixel is sampled from the center: Core ML's `ALIGN_ENDPOINTS_MODE`.
    case cornersOrMiddle
    /// The centers of equal parts between the first pixel and the last: Core ML's `ROI_ALIGN_MODE`.
    case parts

    /// The distance between output pixels on the input axis; not that of `parts`.
    func scale(_ input: Int, _ output: Int) -> Float {
        let isAligned = (self == .corners || self == .cornersOrMiddle) && input > 1 && output > 1
        return isAligned ? Float(input - 1) / Float(output - 1) : Float(input) / Float(output)
    }

    func positions(_ input: Int, _ output: Int) -> [Float] {
        let scale = scale(input, output)
        return (0..<output).map { pixel in
            switch self {
            case .left, .corners: Float(pixel) * scale
            case .edges: (Float(pixel) + 0.5) * scale - 0.5
            case .cornersOrMiddle: output == 1 ? Float(input - 1) / 2 : Float(pixel) * scale
            case .parts: (Float(pixel) + 0.5) * Float(max(1, input - 1)) / Float(output)
            }
        }
    }
}

// MARK: Resize methods

extension FilterWeights {
    /// The nearest pixel (tensorflow/core/kernels/image/resize_nearest_neighbor_op.cc). If the edges are aligned, it
    /// is the pixel that contains the position.
    static func nearest(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> FilterWeights {
        // If the edges are aligned, the half-pixel offset of the position is not subtracted again.
        let scale = Float(input) / Float(output)
        let positions =
            grid == .edges ? (0..<output).map { (Float($0) + 0.5) * scale } : grid.positions(input, output)
        return FilterWeights(
            inputSize: input,
            runs: positions.map { position in
                let pixel = Int(grid == .corners ? position.rounded() : position.rounded(.down))
                return Run([(min(max(pixel, 0), input - 1), 1)])
            })
    }

    /// Linear interpolation of the two nearest pixels.
    static func linear(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> FilterWeights {
        FilterWeights(inputSize: input, runs: grid.positions(input, output).map { Run(linearAt: $0, of: input) })
    }

    /// Cubic interpolation of four pixels, with weights from a table of 1,024 steps
    /// (tensorflow/core/kernels/image/resize_bicubic_op.cc).
    ///
    /// If the edges are aligned, it uses Keys' kernel and excludes pixels outside the image. Otherwise it uses a
    /// steeper kernel and repeats the pixel at the edge.
    static func cubic(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> FilterWeights {
        let isKeys = grid == .edges
        let steps: Float = 1024
        let a = isKeys ? -0.5 : -0.75
        func near(_ step: Float) -> Float {
            let x = Double(step / steps)
            return Float(((a + 2) * x - (a + 3)) * x * x + 1)
        }
        func far(_ step: Float) -> Float {
            let x = Double(step / steps + 1)
            return Float(((a * x - 5 * a) * x + 8 * a) * x - 4 * a)
        }
        let runs = grid.positions(input, output).map { position in
            let pixel = Int(position.rounded(.down))
            let step = ((position - position.rounded(.down)) * steps).rounded(.toNearestOrEven)
            var weights = [far(step), near(step), near(steps - step), far(steps - step)]
            if isKeys {
                for tap in 0..<4 where !(0..<input).contains(pixel - 1 + tap) { weights[tap] = 0 }
                let sum = weights.reduce(0, +)
                if abs(sum) >= 1000 * Float.leastNormalMagnitude { weights = weights.map { $0 * (1 / sum) } }
            }
            return Run((0..<4).map { (min(max(pixel - 1 + $0, 0), input - 1), weights[$0]) })
        }
        return FilterWeights(inputSize: input, runs: runs)
    }

    /// The mean of the area that the output pixel covers (tensorflow/core/kernels/image/resize_area_op.cc).
    static func area(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> FilterWeights {
        let scale = grid.scale(input, output)
        let runs = (0..<output).map { pixel in
            let start = Float(pixel) * scale
            let end = Float(pixel + 1) * scale
            let pixels = Int(start.rounded(.down))..<max(Int(start.rounded(.down)) + 1, Int(end.rounded(.up)))
            return Run(
                pixels.map { pixel in
                    let after = Float(pixel + 1)
                    let covered: Float =
                        Float(pixel) < start
                        ? (after > end ? scale : after - start) : (after > end ? end - Float(pixel) : 1)
                    return (min(pixel, input - 1), covered / scale)
                })
        }
        return FilterWeights(inputSize: input, runs: runs)
    }
}

extension FilterWeights.Run {
    fileprivate init(linearAt position: Float, of input: Int) {
        let fraction = position - position.rounded(.down)
        let last = input - 1
        let lower = min(max(Int(position.rounded(.down)), 0), last)
        self.init([(lower, 1 - fraction), (min(max(Int(position.rounded(.up)), 0), last), fraction)])
    }
}
