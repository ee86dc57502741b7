/// Runs an operation on two images and checks that the results equal those of each image alone.
///
/// The reference implementation runs on deterministic pseudo-random values. The same loops run both times, so the
/// results must be identical to the bit.
struct BatchTrial {
    private let graph: Graph
    /// The operation for one image and for two.
    private let one: any Operation
    private let two: any Operation
    private let inputs: [BatchedValue]
    /// The output types for one image and for two.
    private let singles: [TensorType]
    private let pairs: [TensorType]

    init(
        _ graph: Graph, _ one: any Operation, _ two: any Operation, _ inputs: [BatchedValue], _ singles: [TensorType],
        _ pairs: [TensorType]
    ) {
        (self.graph, self.one, self.two, self.inputs) = (graph, one, two, inputs)
        (self.singles, self.pairs) = (singles, pairs)
    }

    /// The positions of the batch in the outputs, given the axis of each; nil if an output is not a batch of the
    /// single-image results.
    /// - Throws: `Failure` if the tensors are too large for a trial.
    func positions(along axes: [Int]) throws -> [BatchPosition]? {
        let shapes = inputs.filter { $0.position != nil }.map(\.two.shape) + pairs.map(\.shape)
        guard shapes.reduce(0, { $0 + $1.elementCount }) <= BatchTrial.largest else { throw Failure.batchTooLarge() }
        var possible = axes.indices.map { candidates(singles[$0].shape, axes[$0]) }
        for round in 0..<rounds {
            let (first, second) = (images(2 * round), images(2 * round + 1))
            let both = inputs.indices.map { input in
                inputs[input].constant?.two
                    ?? inputs[input].position.map { pair(first[input], second[input], $0, inputs[input].two.shape) }
                    ?? first[input]
            }
            let results = try (graph.evaluate(one, first), graph.evaluate(one, second))
            let batched = try graph.evaluate(two, both)
            for output in batched.indices {
                possible[output].removeAll {
                    pair(results.0[output], results.1[output], $0, pairs[output].shape) != batched[output]
                }
                if possible[output].isEmpty { return nil }
            }
        }
        return possible.map { $0[0] }
    }

    /// The largest number of elements of inputs and outputs. A trial takes up to three times their memory, and a small
    /// file may ask for large tensors.
    private static let largest = 1 << 22

    /// A few values, Booleans above all, may agree by chance.
    private var rounds: Int {
        let counts =
            inputs.filter { $0.position != nil }.map(\.one.shape.elementCount) + singles.map(\.shape.elementCount)
        return max(1, 64 / max(1, counts.min()!))
    }

    /// All positions along an axis, beginning with those where the inputs have the batch.
    private func candidates(_ shape: Shape, _ axis: Int) -> [BatchPosition] {
        let positions = (1...max(1, shape[axis])).filter { shape[axis] % $0 == 0 }.map {
            BatchPosition(axis: axis, outer: $0)
        }
        let known = Set(inputs.compactMap { input in input.position?.elementsBefore(in: input.one.shape) })
        return positions.filter { known.contains($0.elementsBefore(in: shape)) }
            + positions.filter { !known.contains($0.elementsBefore(in: shape)) }
    }

    /// The inputs for one image.
    private func images(_ seed: Int) -> [Tensor] {
        inputs.indices.map { input in
            let value = inputs[input]
            if let constant = value.constant { return constant.one }
            // Values common to all images must be the same for both.
            let seed = UInt64(value.position == nil ? 0 : seed + 1) << 40 | UInt64(input) << 32
            return Tensor(shape: value.one.shape, element: value.one.element) { index in
                let number = BatchTrial.number(seed &+ UInt64(index))
                // Integers are usually indices, so they are kept small.
                return value.one.element.isFloatingPoint ? number * 4 - 2 : (number * 2).rounded(.down)
            }
        }
    }

    /// A value from 0 to 1 for each key. Source: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
    private static func number(_ key: UInt64) -> Double {
        var bits = (key &+ 1) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return Double((bits ^ bits >> 31) >> 11) / 0x1p53
    }

    /// Joins two tensors into a batch at `position`.
    private func pair(_ first: Tensor, _ second: Tensor, _ position: BatchPosition, _ shape: Shape) -> Tensor {
        guard shape.elementCount > 0 else { return first.reshaped(shape) }
        let before = position.elementsBefore(in: first.shape)
        let parts = [first, second].map { $0.reshaped([before, 1, $0.elementCount / before]) }
        return Concatenation(axis: 1).evaluate(parts)[0].reshaped(shape)
    }
}
