// Height and width of an image as they are followed through a network.

extension Locality {
    /// Networks downsample and upsample by small factors. A resize from 256 to 217 rows is made for one size.
    static let largestRatio = 64

    /// Height or width of the image in a tensor: its axis, and the receptive field of its elements.
    struct TracedAxis: Equatable {
        var axis: Int
        var along = Locality.Axis()

        /// The union of two receptive fields for an elementwise operation; nil if they are on different grids.
        func joined(_ other: TracedAxis) -> TracedAxis? {
            guard axis == other.axis, along.step == other.along.step else { return nil }
            var result = self
            result.along.first = min(along.first, other.along.first)
            result.along.last = max(along.last, other.along.last)
            return result
        }

        func moved(by elements: Int) -> TracedAxis {
            var result = self
            result.along.first += Double(elements) * along.step.value
            result.along.last += Double(elements) * along.step.value
            return result
        }

        /// The receptive field after a window.
        func under(_ window: Window.Axis) -> TracedAxis {
            var result = self
            let step = along.step.value
            result.along.first -= Double(window.before) * step
            result.along.last += Double(window.extent - 1 - window.before) * step
            result.along.step = along.step * Fraction(window.stride)
            return result
        }

        /// The receptive field after a transposed window.
        func spread(under window: Window.Axis) -> TracedAxis {
            var result = self
            let step = along.step.value / Double(window.stride)
            result.along.first += Double(window.before - (window.extent - 1)) * step
            result.along.last += Double(window.before) * step
            result.along.step = along.step * Fraction(1, window.stride)
            return result
        }

        /// The receptive field after a resize, or nil if the filter weights are not the same everywhere.
        func resized(_ taps: FilterWeights) -> TracedAxis? {
            let ratio = Fraction(taps.inputSize, taps.outputSize)
            guard max(ratio.numerator, ratio.denominator) <= Locality.largestRatio else { return nil }
            var (first, last) = (0.0, 0.0)
            for (pixel, run) in taps.runs.enumerated() {
                let position = Double(pixel) * ratio.value
                first = min(first, Double(run.start) - position)
                last = max(last, Double(run.start + run.weights.count - 1) - position)
                // The weights repeat, except at the edges, where they include those of missing pixels.
                let next = pixel + ratio.denominator
                guard run.start > 1, next < taps.outputSize else { continue }
                let other = taps.runs[next]
                guard other.start + other.weights.count < taps.inputSize - 1 else { continue }
                let isAlike =
                    other.start == run.start + ratio.numerator && other.weights.count == run.weights.count
                    && zip(other.weights, run.weights).allSatisfy { abs($0 - $1) < 1e-4 }
                if !isAlike { return nil }
            }
            var result = self
            result.along.first += first * along.step.value
            result.along.last += last * along.step.value
            result.along.step = along.step * ratio
            return result
        }

        /// The axis with each element split into `count`, all with its receptive field.
        func spread(_ count: Int, to axis: Int) -> TracedAxis {
            var result = self
            result.axis = axis
            result.along.step = along.step * Fraction(1, count)
            result.along.first -= along.step.value * Double(count - 1) / Double(count)
            return result
        }

        /// The axis with each `count` elements merged into one.
        func gathered(_ count: Int, to axis: Int) -> TracedAxis {
            var result = self
            result.axis = axis
            result.along.step = along.step * Fraction(count)
            result.along.last += along.step.value * Double(count - 1)
            return result
        }
    }

    /// Height and width in a tensor, if it has them.
    struct View {
        var height: TracedAxis?
        var width: TracedAxis?

        /// The view with both axes mapped by `body`.
        func mapped(_ body: (TracedAxis) -> TracedAxis?) -> View {
            View(height: height.flatMap(body), width: width.flatMap(body))
        }

        func holds(_ axis: Int) -> Bool { height?.axis == axis || width?.axis == axis }
    }
}
