/// How rounding errors of an output channel's weights compensate each other, given the covariance of their inputs.
///
/// Rounding each weight to nearest does not minimize the error of the output: errors of weights whose inputs are
/// correlated can cancel. So weights are rounded one after the other, and each takes over the errors of those before it
/// as far as the inputs are correlated. That is the nearest-plane algorithm (Babai, 1986), and GPTQ (Frantar et al.,
/// 2022) in reverse order. Constant errors are ignored, because biases are corrected afterwards.
struct ErrorCompensation {
    private let count: Int
    /// The factor L of the covariance L · D · Lᵀ, row by row. It has ones on the diagonal; only what is below is used.
    private let factor: [Double]

    /// The share of the mean variance that is added to each variance, because samples do not show everything.
    private static let damping = 0.01

    /// Factorizes a covariance.
    /// - Parameter covariance: A symmetric matrix, row by row; nil is returned if it is not finite.
    init?(covariance: UnsafeBufferPointer<Float>, count: Int) {
        self.count = count
        var matrix = covariance.map(Double.init)
        let damping = (0..<count).reduce(0) { $0 + matrix[$1 * count + $1] } / Double(count) * Self.damping
        for index in 0..<count { matrix[index * count + index] += max(damping, .leastNormalMagnitude) }
        // D · Lᵀ replaces the upper half.
        matrix.withUnsafeMutableBufferPointer { matrix in
            for row in 0..<count {
                let pivots = matrix.baseAddress! + row * count
                for next in row + 1..<max(row + 1, count) where pivots[next] != 0 {
                    let (share, values) = (pivots[next] / pivots[row], matrix.baseAddress! + next * count)
                    for column in next..<count { values[column] -= share * pivots[column] }
                }
            }
        }
        guard (0..<count).allSatisfy({ matrix[$0 * count + $0] > 0 && matrix[$0 * count + $0].isFinite }) else {
            return nil
        }
        for row in 0..<count {
            for column in 0..<row {
                matrix[row * count + column] = matrix[column * count + row] / matrix[column * count + column]
            }
        }
        factor = matrix
    }

    /// The integers from −127 to 127 that replace weights.
    /// - Parameter weights: Those of an output channel, divided by its scale.
    func rounded(_ weights: [Double]) -> [Int8] {
        var result = [Int8](repeating: 0, count: count)
        var targets = weights
        targets.withUnsafeMutableBufferPointer { targets in
            factor.withUnsafeBufferPointer { factor in
                for index in (0..<count).reversed() {
                    let nearest = min(127, max(-127, targets[index].rounded(.toNearestOrEven)))
                    result[index] = Int8(nearest)
                    let (error, row) = (weights[index] - nearest, factor.baseAddress! + index * count)
                    for other in 0..<index { targets[other] += row[other] * error }
                }
            }
        }
        return result
    }
}
