/// The times of the runs of a benchmark. A long one keeps every second, fourth or eighth time and so on, so that memory
/// does not grow with the number of runs.
struct RunTimes {
    /// The most times that are kept.
    static let limit = 1 << 16

    private(set) var count = 0
    private(set) var minimum = Double.infinity
    private var kept: [Double] = []
    private var step = 1

    mutating func add(_ time: Double) {
        if count % step == 0 { kept.append(time) }
        if kept.count > RunTimes.limit {
            kept = stride(from: 0, to: kept.count, by: 2).map { kept[$0] }
            step *= 2
        }
        minimum = min(minimum, time)
        count += 1
    }

    /// The kept times, in ascending order.
    var sorted: [Double] { kept.sorted() }
}
