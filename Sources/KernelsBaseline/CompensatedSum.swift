/// A sum whose rounding errors do not grow with the number of values (Kahan, 1965).
///
/// A plain sum of a million equal values is wrong by up to a percent, because each addition rounds in the same direction.
/// Values are therefore summed in runs of at most `longestRun`, and the runs are added with compensation.
struct CompensatedSum {
    private(set) var value: Vector
    /// What rounding has added to the value.
    private var excess = Vector.zero

    static let longestRun = 64

    @inline(__always) init() { value = .zero }

    @inline(__always) mutating func add(_ run: Vector) {
        let corrected = run - excess
        let next = value + corrected
        let difference = (next - value) - corrected
        // Infinite sums stay infinite.
        excess = difference.replacing(with: 0, where: difference .!= difference)
        value = next
    }
}
