import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How an image is resized. Each method matches the named program within one gray level.
public enum ResizeMethod: String, CaseIterable, Sendable {
    /// Pillow's BILINEAR, bit for bit: a triangle filter whose support grows with the scale when shrinking.
    /// torchvision and TensorFlow's `antialias=True` do the same.
    case pillow
    /// Pillow's BICUBIC, bit for bit: the cubic filter with a = -1/2, whose support grows in the same way.
    case bicubic
    /// TensorFlow's `resize_bilinear` as in version 1: no antialiasing, output pixel x samples x · scale.
    case tensorflow
    /// The same with `align_corners`: the centers of the corner pixels are aligned.
    case tensorflowAligned = "tensorflow:align-corners"
    /// The same with `half_pixel_centers`, as in version 2.
    case tensorflowCentered = "tensorflow:half-pixel"
    /// TensorFlow's `resize_area`: the average of the area that an output pixel covers.
    case area
}

/// The weights that compute each output pixel along one axis from the input pixels.
struct ResamplingFilter {
    /// How many weights are stored per output pixel.
    let reach: Int
    /// For each output pixel the first input pixel, relative to the start of the axis.
    private(set) var first: [Int32]
    /// For each output pixel the number of input pixels that contribute.
    private(set) var taps: [Int32]
    /// For each output pixel `reach` fixed-point weights, of which the first `taps` are used.
    private(set) var weights: [Int32]

    /// The filter from the `old` pixels of an axis to `new` ones.
    init(from old: Range<Int>, to new: Int, by resize: ResizeMethod) {
        let scale = Double(old.count) / Double(new)
        switch resize {
        case .pillow:
            self.init(from: old, to: new, support: 1) { max(1 - abs($0), 0) }
        case .bicubic:
            self.init(from: old, to: new, support: 2, cubic)
        case .tensorflow:
            self.init(from: old, to: new) { $0 * scale }
        case .tensorflowAligned:
            let aligned = new > 1 ? Double(old.count - 1) / Double(new - 1) : scale
            self.init(from: old, to: new) { $0 * aligned }
        case .tensorflowCentered:
            self.init(from: old, to: new) { ($0 + 0.5) * scale - 0.5 }
        case .area:
            self.init(new, reach: Int(scale.rounded(.up)) + 2) { pixel, raw in
                let (start, end) = (Double(pixel) * scale, Double(pixel + 1) * scale)
                let low = min(Int(start), old.count - 1)
                let high = min(max(Int(end.rounded(.up)), low + 1), old.count)
                for index in low..<high { raw[index - low] = min(Double(index + 1), end) - max(Double(index), start) }
                return (old.lowerBound + low, high - low)
            }
        }
    }

    /// Pillow's filters: `kernel` around the center of an output pixel, with `support` on either side, scaled when
    /// shrinking. Source: Pillow, src/libImaging/Resample.c, whose arithmetic is reproduced to the last bit.
    private init(from old: Range<Int>, to new: Int, support width: Double, _ kernel: (Double) -> Double) {
        let scale = Double(old.count) / Double(new)
        let stretch = max(scale, 1)
        let (support, inverse) = (width * stretch, 1 / stretch)
        self.init(new, reach: Int(support.rounded(.up)) * 2 + 1) { pixel, raw in
            let center = (Double(pixel) + 0.5) * scale
            let low = max(Int(center - support + 0.5), 0)
            let high = min(Int(center + support + 0.5), old.count)
            for index in low..<high { raw[index - low] = kernel((Double(index) - center + 0.5) * inverse) }
            return (old.lowerBound + low, high - low)
        }
    }

    /// Linear interpolation between the two input pixels around `position(x)`. Source: TensorFlow,
    /// core/kernels/image/resize_bilinear_op.cc, `compute_interpolation_weights`.
    private init(from old: Range<Int>, to new: Int, position: (Double) -> Double) {
        self.init(new, reach: 2) { pixel, raw in
            let center = position(Double(pixel))
            let low = max(Int(center.rounded(.down)), 0)
            let high = min(Int(center.rounded(.up)), old.count - 1)
            let upper = center - center.rounded(.down)
            guard high > low else {
                raw[0] = 1
                return (old.lowerBound + min(low, old.count - 1), 1)
            }
            (raw[0], raw[1]) = (1 - upper, upper)
            return (old.lowerBound + low, 2)
        }
    }

    /// - Parameter fill: Writes the weights of an output pixel, and returns the first input pixel and the number of
    ///   weights. They are normalized here to sum to 1.
    private init(
        _ new: Int, reach: Int, _ fill: (Int, UnsafeMutableBufferPointer<Double>) -> (first: Int, count: Int)
    ) {
        self.reach = reach
        first = [Int32](repeating: 0, count: new)
        taps = first
        weights = [Int32](repeating: 0, count: new * reach)
        withUnsafeTemporaryAllocation(of: Double.self, capacity: reach) { raw in
            for pixel in 0..<new {
                let (start, count) = fill(pixel, raw)
                var sum = 0.0
                for tap in 0..<count { sum += raw[tap] }
                for tap in 0..<count {
                    let weight = (sum == 0 ? raw[tap] : raw[tap] / sum) * Double(1 << ResamplingWork.fractionBits)
                    weights[pixel * reach + tap] = Int32(weight + (weight < 0 ? -0.5 : 0.5))
                }
                (first[pixel], taps[pixel]) = (Int32(start), Int32(count))
            }
        }
    }
}

/// Keys' cubic convolution with a = -1/2. Source: R. Keys, IEEE Transactions on Acoustics, Speech and Signal
/// Processing, 1981.
private func cubic(_ distance: Double) -> Double {
    let (a, x) = (-0.5, abs(distance))
    if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0
}
