// The height and width of an image, traced through a network.

extension Locality {
    /// Height or width of the image in a tensor: its axis, and the receptive field of its elements.
    struct TracedAxis: Equatable {
        var axis: Int
        var along = Reach()

        /// The union of two receptive fields for an elementwise operation; nil if they are on different grids.
        func joined(_ other: TracedAxis) -> TracedAxis? {
            guard axis == other.axis, along.step == other.along.step else { return nil }
            var result = self
            result.along.first = min(along.first, other.along.first)
            result.along.last = max(along.last, other.along.last)
            return result
        }

        /// The receptive field after an operation with this reach, on an axis of its result.
        func seen(through reach: Reach, on axis: Int) -> TracedAxis {
            TracedAxis(axis: axis, along: along.followed(by: reach))
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
