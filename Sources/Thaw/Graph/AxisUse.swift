/// The effect of an operation along one axis of an input.
enum AxisUse: Equatable {
    /// Each index of an output's axis depends only on the indices within reach, in the same way for all of them.
    case local(Int, Reach)
    /// Each index of an output's axis depends only on the same index of the input, with separate weights for each.
    case weighted(Int)
    /// The indices of an output's axis are reversed.
    case reversed(Int)
    /// Axes are split and merged. The elements keep their order.
    case regrouped
    /// Elements are selected, repeated, or moved to other indices or axes.
    case rearranged
    /// The elements along the axis are combined: each output may depend on all of them.
    case combined

    /// Index i of an output's axis depends only on index i of the input, in the same way for all indices.
    static func kept(_ axis: Int) -> AxisUse { .local(axis, Reach()) }

    /// The effect of broadcasting one shape with others along its axis: the axis is kept, unless it is 1 and repeated.
    static func broadcast(_ shape: Shape, _ axis: Int, with others: [Shape]) -> AxisUse {
        let rank = others.map(\.rank).max()!
        let aligned = axis + rank - shape.rank
        let isRepeated = shape[axis] == 1 && others.contains { $0.padded(to: rank)[aligned] != 1 }
        return isRepeated ? .rearranged : .kept(aligned)
    }
}

/// The range of input indices that each output index depends on: index i depends on `step · i + first` to
/// `step · i + last`.
struct Reach: Equatable {
    var step = Fraction(1)
    var first = 0.0
    var last = 0.0

    init(step: Fraction = Fraction(1), first: Double = 0, last: Double = 0) {
        (self.step, self.first, self.last) = (step, first, last)
    }

    /// Index i depends only on index `step · i + offset`.
    init(step: Fraction = Fraction(1), movedBy offset: Int) {
        self.init(step: step, first: Double(offset), last: Double(offset))
    }

    /// The combined reach of two operations: this one, followed by one with the reach `next`.
    func followed(by next: Reach) -> Reach {
        Reach(step: step * next.step, first: first + next.first * step.value, last: last + next.last * step.value)
    }
}

/// A positive fraction in lowest terms.
struct Fraction: Equatable {
    let numerator: Int
    let denominator: Int

    init(_ numerator: Int, _ denominator: Int = 1) {
        let divisor = greatestCommonDivisor(numerator, denominator)
        (self.numerator, self.denominator) = (numerator / divisor, denominator / divisor)
    }

    var value: Double { Double(numerator) / Double(denominator) }

    static func * (a: Fraction, b: Fraction) -> Fraction {
        Fraction(a.numerator * b.numerator, a.denominator * b.denominator)
    }
}

func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
