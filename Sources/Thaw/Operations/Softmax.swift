#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Exponentials along an axis, divided by their sum: scores become probabilities.
struct Softmax: Operation {
    /// Counted from the front.
    var axis: Int

    var kind: String { "Softmax" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape.indices.contains(axis) else { throw Failure.noSuchAxis(axis, of: inputs[0].shape) }
        return [inputs[0]]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let count = shape[axis]
        let step = shape.strides[axis]
        return inputs[0].withFloats { x in
            [
                Tensor(shape: shape) { y in
                    for start in 0..<x.count where start / step % count == 0 {
                        let places = (0..<count).map { start + $0 * step }
                        // The largest is taken off first: the result is the same, and no exponential overflows.
                        let largest = places.map { Double(x[$0]) }.max()!
                        let powers = places.map { exp(Double(x[$0]) - largest) }
                        let sum = powers.reduce(0, +)
                        for (place, power) in zip(places, powers) { y[place] = Float(power / sum) }
                    }
                }
            ]
        }
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(Softmax(axis: orders[0].firstIndex(of: axis)!), inputs: orders, outputs: orders)
    }
}

// MARK: TensorFlow

extension Softmax {
    static let tensorFlow = [
        TensorFlowRule("Softmax") { node, context in
            let input = try node.input(0)
            return [try context.add(Softmax(axis: try input.shape.axis(-1)), input, name: node.name)]
        }
    ]
}
