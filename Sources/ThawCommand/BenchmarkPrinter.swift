import Thaw

/// A model measured with one number of threads.
struct Measurement {
    let model: String
    let benchmark: Benchmark
    let times: Benchmark.Times
    let loading: Duration
    let peakMemory: Int
    let profile: [StepTiming]

    /// The values, with JSON keys and headings.
    var values: [(key: String, text: String, value: String)] {
        let speed = 2 * Double(benchmark.multiplyAdds) / times.median
        let rate = Double(benchmark.batchSize * times.runs) / times.elapsed
        return [
            ("median_ms", "median, ms", fixed(times.median * 1e3, 3)),
            ("p90_ms", "90th percentile, ms", fixed(times.p90 * 1e3, 3)),
            ("min_ms", "fastest, ms", fixed(times.minimum * 1e3, 3)),
            ("images_per_second", "images per second", fixed(rate, rate < 100 ? 3 : 1)),
            ("threads", "threads", "\(benchmark.threads)"),
            ("batch", "batch size", "\(benchmark.batchSize)"),
            ("precision", "precision", benchmark.precision.rawValue),
            ("load_ms", "load time, ms", fixed(loading / .milliseconds(1), 1)),
            ("peak_memory_mb", "peak memory, MB", fixed(Double(peakMemory) / 1e6, 1)),
            ("gflops", "GFLOP/s", fixed(speed / 1e9, 2)),
            ("peak_fraction", "fraction of peak", fixed(speed / benchmark.peakOperationsPerSecond, 3)),
            ("runs", "measured runs", "\(times.runs)"),
            ("warmup_runs", "warm-up runs", "\(times.warmUpRuns)"),
        ]
    }
}

/// Formats the results of `benchmark`: a single measurement as a list, several as a table with a row for each.
struct BenchmarkPrinter {
    let format: BenchmarkFormat
    let models: [String]
    let isTable: Bool

    /// The columns of a text table. Other formats contain all values.
    private static let columns: [(key: String, heading: String, width: Int)] = [
        ("threads", "threads", 9), ("median_ms", "median ms", 11), ("p90_ms", "p90 ms", 11),
        ("images_per_second", "images/s", 10), ("load_ms", "load ms", 9), ("peak_memory_mb", "memory MB", 11),
        ("gflops", "GFLOP/s", 9), ("runs", "runs", 8), ("warmup_runs", "warm-up", 9),
    ]

    private static let keys = [
        "median_ms", "p90_ms", "min_ms", "images_per_second", "threads", "batch", "precision", "load_ms",
        "peak_memory_mb", "gflops", "peak_fraction", "runs", "warmup_runs",
    ]

    private var nameWidth: Int { max(5, models.map { shown($0).columns }.max()!) }

    var header: String {
        let headings = Self.columns.map(\.heading)
        switch format {
        case .json: return ""
        case .csv: return (["model"] + Self.keys).joined(separator: ",") + "\n"
        case .markdown:
            let rule = "|---|" + headings.map { _ in "---:|" }.joined()
            return "| model | " + headings.joined(separator: " | ") + " |\n\(rule)\n"
        case .text:
            guard isTable else { return "" }
            return padded("model", nameWidth)
                + Self.columns.map { padded($0.heading, $0.width, left: true) }.joined() + "\n"
        }
    }

    func text(_ measurement: Measurement) -> String {
        let values = measurement.values
        func value(_ key: String) -> String { values.first { $0.key == key }!.value }
        switch format {
        case .json:
            var members = values.map {
                (key: $0.key, value: $0.key == "precision" ? JSON($0.value) : .numeral($0.value))
            }
            // A single model needs no name.
            if models.count > 1 { members.insert(("model", .string(measurement.model)), at: 0) }
            if !measurement.profile.isEmpty { members.append(("profile", .array(measurement.profile.map(json)))) }
            return JSON.object(members).text + "\n"
        case .csv: return ([csv(measurement.model)] + Self.keys.map(value)).joined(separator: ",") + "\n"
        case .markdown:
            let name = shown(measurement.model).replacing("|", with: "\\|")
            return "| \(name) | " + Self.columns.map { value($0.key) }.joined(separator: " | ") + " |\n"
        case .text:
            guard isTable else {
                return values.map { padded($0.text, 20) + padded($0.value, 10, left: true) + "\n" }.joined()
                    + table(measurement.profile, peak: measurement.benchmark.peakOperationsPerSecond)
            }
            return padded(shown(measurement.model), nameWidth)
                + Self.columns.map { padded(value($0.key), $0.width, left: true) }.joined() + "\n"
        }
    }
}

/// The steps in order: name, algorithm, time, speed, share of the peak.
private func table(_ steps: [StepTiming], peak: Double) -> String {
    guard !steps.isEmpty else { return "" }
    func algorithm(_ step: StepTiming) -> String {
        step.precision == .float32 ? step.algorithm : "\(step.algorithm), \(step.precision.rawValue)"
    }
    let width = steps.map { algorithm($0).count }.max()! + 2
    let head = padded("µs", 10, left: true) + padded("GFLOP/s", 9, left: true) + padded("peak", 7, left: true) + "  "
    return "\n" + head + padded("algorithm", width) + "step\n"
        + steps.map { step in
            padded(fixed(step.seconds * 1e6, 1), 10, left: true) + padded(fixed(step.speed / 1e9, 0), 9, left: true)
                + padded(fixed(100 * step.speed / peak, 0) + "%", 7, left: true) + "  "
                + padded(algorithm(step), width) + step.name + "\n"
        }.joined()
}

private func json(_ step: StepTiming) -> JSON {
    .object([
        ("step", .string(step.name)), ("operation", .string(step.kind)), ("algorithm", .string(step.algorithm)),
        ("precision", .string(step.precision.rawValue)),
        ("ms", JSON(step.seconds * 1e3, digits: 4)), ("gflops", JSON(step.speed / 1e9, digits: 2)),
    ])
}
