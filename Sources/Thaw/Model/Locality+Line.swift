// The height and the width of a picture as they are followed through a network, and what its operations make of them.

extension Locality {
    /// Networks halve and double; what makes 217 rows of 256 has a size of its own in mind.
    static let largestRatio = 64

    /// Height or width of the picture in an array: which axis it is, and what its elements are made of.
    struct Line: Equatable {
        var axis: Int
        var along = Locality.Axis()

        /// Whether the two lie on the same grid and may be joined element by element.
        func joined(_ other: Line) -> Line? {
            guard axis == other.axis, along.step == other.along.step else { return nil }
            var result = self
            result.along.first = min(along.first, other.along.first)
            result.along.last = max(along.last, other.along.last)
            return result
        }

        func moved(by elements: Int) -> Line {
            var result = self
            result.along.first += Double(elements) * along.step.value
            result.along.last += Double(elements) * along.step.value
            return result
        }

        /// What a window sees of this line.
        func under(_ window: Window.Axis) -> Line {
            var result = self
            let step = along.step.value
            result.along.first -= Double(window.before) * step
            result.along.last += Double(window.extent - 1 - window.before) * step
            result.along.step = along.step * Fraction(window.stride)
            return result
        }

        /// What the pixels of a transposed window's result see.
        func spread(under window: Window.Axis) -> Line {
            var result = self
            let step = along.step.value / Double(window.stride)
            result.along.first += Double(window.before - (window.extent - 1)) * step
            result.along.last += Double(window.before) * step
            result.along.step = along.step * Fraction(1, window.stride)
            return result
        }

        /// What resized pixels see, or nil where they are not made alike everywhere.
        func resized(_ taps: FilterWeights) -> Line? {
            let ratio = Fraction(taps.inputSize, taps.outputSize)
            guard max(ratio.numerator, ratio.denominator) <= Locality.largestRatio else { return nil }
            var (first, last) = (0.0, 0.0)
            for (pixel, run) in taps.runs.enumerated() {
                let place = Double(pixel) * ratio.value
                first = min(first, Double(run.start) - place)
                last = max(last, Double(run.start + run.weights.count - 1) - place)
                // The weights repeat, but for those at the edges, which stand for pixels that are not there.
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

        /// The line with each element taken apart into `count`, which all see what it saw.
        func spread(_ count: Int, to axis: Int) -> Line {
            var result = self
            result.axis = axis
            result.along.step = along.step * Fraction(1, count)
            result.along.first -= along.step.value * Double(count - 1) / Double(count)
            return result
        }

        /// The line with `count` elements gathered to one.
        func gathered(_ count: Int, to axis: Int) -> Line {
            var result = self
            result.axis = axis
            result.along.step = along.step * Fraction(count)
            result.along.last += along.step.value * Double(count - 1)
            return result
        }
    }

    /// Both of an array, where it has them.
    struct View {
        var height: Line?
        var width: Line?

        /// The lines, changed by `body`.
        func mapped(_ body: (Line) -> Line?) -> View {
            View(height: height.flatMap(body), width: width.flatMap(body))
        }

        func holds(_ axis: Int) -> Bool { height?.axis == axis || width?.axis == axis }
    }
}
