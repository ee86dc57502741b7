/// How the pixels along one axis of a resized image come from those of the image: each is a weighted sum of neighbours.
struct Taps: Hashable, Sendable {
    /// What one pixel is made of.
    struct Run: Hashable, Sendable {
        /// The first pixel.
        var start = 0
        /// The weights of that pixel and of those behind it; none where nothing of the image goes in.
        var weights: [Float] = []

        /// - Parameter taps: Pixels and their weights. The weights of a pixel that stands twice are added.
        init(_ taps: [(place: Int, weight: Float)]) {
            let weighty = taps.filter { $0.weight != 0 }
            guard let first = weighty.map(\.place).min(), let last = weighty.map(\.place).max() else { return }
            start = first
            weights = Array(repeating: 0, count: last - first + 1)
            for tap in weighty { weights[tap.place - first] += tap.weight }
        }
    }

    /// The number of pixels of the image along the axis.
    var inputSize: Int
    /// One a pixel of the resized image.
    var runs: [Run]

    /// The most pixels that an axis may be resized to: no image has more, and a hostile graph asks for more in a few bytes.
    static let largestSize = 1 << 16

    var outputSize: Int { runs.count }

    /// Whether every pixel is one of the image's, unchanged.
    var isSelection: Bool { runs.allSatisfy { $0.weights == [1] } }

    /// Whether the axis stays as it is.
    var isIdentity: Bool { isSelection && runs.map(\.start) == Array(0..<inputSize) }

    /// An axis that stays as it is.
    static func identity(_ size: Int) -> Taps { Taps(inputSize: size, runs: (0..<size).map { Run([($0, 1)]) }) }

    /// The weights as a matrix: resized pixels, the image's pixels.
    var matrix: Tensor {
        Tensor(shape: [outputSize, inputSize]) { weights in
            weights.update(repeating: 0)
            for (row, run) in runs.enumerated() {
                for (tap, weight) in run.weights.enumerated() { weights[row * inputSize + run.start + tap] = weight }
            }
        }
    }

    /// Whether the weights are the same but for the rounding of positions on the axis.
    func isClose(to other: Taps) -> Bool {
        guard inputSize == other.inputSize, outputSize == other.outputSize else { return false }
        let tolerance = 0x1p-22 * Float(inputSize + 1)
        return zip(runs, other.runs).allSatisfy { a, b in
            let places = min(a.start, b.start)..<max(a.start + a.weights.count, b.start + b.weights.count)
            return places.allSatisfy { abs(a.weight(at: $0) - b.weight(at: $0)) <= tolerance }
        }
    }
}

extension Taps {
    /// - Parameter matrix: See `matrix`.
    init(_ matrix: Tensor) {
        let input = matrix.shape[1]
        let weights = matrix.floats
        self.init(
            inputSize: input,
            runs: (0..<matrix.shape[0]).map { row in Run((0..<input).map { ($0, weights[row * input + $0]) }) })
    }
}

extension Taps.Run {
    fileprivate func weight(at place: Int) -> Float {
        weights.indices.contains(place - start) ? weights[place - start] : 0
    }
}

/// Where the pixels of a resized image lie on the image's axis, the middle of whose first pixel is 0. Positions are rounded
/// as TensorFlow rounds them (tensorflow/core/util/image_resizer_state.h).
enum SamplingGrid: CaseIterable, Sendable {
    /// The first pixels lie on each other: TensorFlow's way of old, and Core ML's `UPSAMPLE_MODE`.
    case left
    /// The first pixels and the last ones lie on each other: TensorFlow's `align_corners`, and Core ML's
    /// `STRICT_ALIGN_ENDPOINTS_MODE`.
    case corners
    /// The edges lie on each other: TensorFlow's `half_pixel_centers`, and Core ML's upsampling without aligned corners.
    case edges
    /// As `corners`, but a single pixel lies in the middle: Core ML's `ALIGN_ENDPOINTS_MODE`.
    case cornersOrMiddle
    /// In the middles of equal parts between the first pixel and the last: Core ML's `ROI_ALIGN_MODE`.
    case parts

    func positions(_ input: Int, _ output: Int) -> [Float] {
        let isAligned = (self == .corners || self == .cornersOrMiddle) && input > 1 && output > 1
        let scale = isAligned ? Float(input - 1) / Float(output - 1) : Float(input) / Float(output)
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

// MARK: The ways to resize

extension Taps {
    /// The nearest pixel (tensorflow/core/kernels/image/resize_nearest_neighbor_op.cc). Where positions count from edge to
    /// edge it is the pixel that the position lies in.
    static func nearest(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> Taps {
        // From edge to edge the half that leads to the pixel's middle is not taken off again.
        let scale = Float(input) / Float(output)
        let positions =
            grid == .edges ? (0..<output).map { (Float($0) + 0.5) * scale } : grid.positions(input, output)
        return Taps(
            inputSize: input,
            runs: positions.map { position in
                let place = Int(grid == .corners ? position.rounded() : position.rounded(.down))
                return Run([(min(max(place, 0), input - 1), 1)])
            })
    }

    /// The two pixels beside the position, the nearer one the heavier.
    static func linear(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> Taps {
        Taps(inputSize: input, runs: grid.positions(input, output).map { Run(linearAt: $0, of: input) })
    }

    /// Four pixels by a cubic curve, whose values are looked up in a table of 1,024 steps
    /// (tensorflow/core/kernels/image/resize_bicubic_op.cc).
    ///
    /// From edge to edge it is Keys' curve, and pixels beside the image are left out; else a steeper one, and the pixel at
    /// the edge stands for those beside the image.
    static func cubic(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> Taps {
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
            let place = Int(position.rounded(.down))
            let step = ((position - position.rounded(.down)) * steps).rounded(.toNearestOrEven)
            var weights = [far(step), near(step), near(steps - step), far(steps - step)]
            if isKeys {
                for tap in 0..<4 where !(0..<input).contains(place - 1 + tap) { weights[tap] = 0 }
                let sum = weights.reduce(0, +)
                if abs(sum) >= 1000 * Float.leastNormalMagnitude { weights = weights.map { $0 * (1 / sum) } }
            }
            return Run((0..<4).map { (min(max(place - 1 + $0, 0), input - 1), weights[$0]) })
        }
        return Taps(inputSize: input, runs: runs)
    }

    /// The mean of what the resized pixel covers (tensorflow/core/kernels/image/resize_area_op.cc).
    static func area(_ grid: SamplingGrid, _ input: Int, _ output: Int) -> Taps {
        let isAligned = grid == .corners && input > 1 && output > 1
        let scale = isAligned ? Float(input - 1) / Float(output - 1) : Float(input) / Float(output)
        let runs = (0..<output).map { pixel in
            let start = Float(pixel) * scale
            let end = Float(pixel + 1) * scale
            let places = Int(start.rounded(.down))..<max(Int(start.rounded(.down)) + 1, Int(end.rounded(.up)))
            return Run(
                places.map { place in
                    let after = Float(place + 1)
                    let covered: Float =
                        Float(place) < start
                        ? (after > end ? scale : after - start) : (after > end ? end - Float(place) : 1)
                    return (min(place, input - 1), covered / scale)
                })
        }
        return Taps(inputSize: input, runs: runs)
    }

    /// The part of an axis between two places, which count the axis from 0 to 1; what lies outside has no taps
    /// (tensorflow/core/kernels/image/crop_and_resize_op.cc).
    static func crop(from start: Float, to end: Float, isNearest: Bool, _ input: Int, _ output: Int) -> Taps {
        let last = Float(input - 1)
        let step = output > 1 ? (end - start) * last / Float(output - 1) : 0
        let runs = (0..<output).map { pixel in
            let position =
                output > 1
                ? start * last + Float(pixel) * step : Float(0.5 * Double(start + end) * Double(input - 1))
            guard position >= 0, position <= last else { return Run([]) }
            return isNearest ? Run([(Int(position.rounded()), 1)]) : Run(linearAt: position, of: input)
        }
        return Taps(inputSize: input, runs: runs)
    }
}

extension Taps.Run {
    fileprivate init(linearAt position: Float, of input: Int) {
        let fraction = position - position.rounded(.down)
        let last = input - 1
        let lower = min(max(Int(position.rounded(.down)), 0), last)
        self.init([(lower, 1 - fraction), (min(max(Int(position.rounded(.up)), 0), last), fraction)])
    }
}
