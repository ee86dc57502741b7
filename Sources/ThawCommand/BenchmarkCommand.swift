import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `thaw benchmark`: how long a model takes to load and to run.
func runBenchmark(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    guard let path = arguments.positional.first else { throw Failure.missingArgument("the model") }
    if arguments.positional.count > 1 { throw Failure.excessArgument(arguments.positional[1]) }
    let threads = arguments.threads
    let clock = ContinuousClock()
    let start = clock.now
    let model = try arguments.model(at: path).model
    let (benchmark, compiling) = try blaming(path) {
        let reading = clock.now - start
        let benchmark = try Benchmark(model, threads: threads, batch: arguments[Options.batch])
        return (benchmark, reading + benchmark.compiling)
    }
    let times = benchmark.measure(seconds: arguments[Options.seconds])
    let profile = arguments.isGiven(Options.profile) ? benchmark.profile(seconds: arguments[Options.seconds]) : []
    let speed = 2 * Double(benchmark.multiplyAdds) / times.median
    let values: [(key: String, text: String, value: String)] = [
        ("median_ms", "median, ms", fixed(times.median * 1e3, 3)),
        ("p90_ms", "90 % within, ms", fixed(times.p90 * 1e3, 3)),
        ("min_ms", "fastest, ms", fixed(times.minimum * 1e3, 3)),
        ("images_per_second", "images a second", fixed(Double(benchmark.batch) / times.median, 1)),
        ("threads", "threads", "\(threads)"),
        ("batch", "images at once", "\(benchmark.batch)"),
        ("precision", "arithmetic", arguments[Options.precision]),
        ("load_ms", "loading, ms", fixed(compiling / .milliseconds(1), 1)),
        ("peak_memory_mb", "memory at most, MB", fixed(Double(peakMemory()) / 1e6, 1)),
        ("gflops", "GFLOP/s", fixed(speed / 1e9, 2)),
        ("peak_fraction", "share of the peak", fixed(speed / benchmark.peak, 3)),
    ]
    switch arguments[Options.reportFormat] {
    case .text:
        try console.print(values.map { padded($0.text, 20) + padded($0.value, 10, left: true) + "\n" }.joined())
        try console.print(table(profile, peak: benchmark.peak))
    case .json:
        let fields = values.map { "\(json($0.key)): \($0.key == "precision" ? json($0.value) : $0.value)" }
        let steps = profile.isEmpty ? "" : ", \"profile\": [" + profile.map(json).joined(separator: ", ") + "]"
        try console.print("{" + fields.joined(separator: ", ") + steps + "}\n")
    }
    if let file = arguments[Options.profile] {
        let chart = ProfileChart(title: path, steps: profile, peak: benchmark.peak)
        try AtomicFile.write(chart.svg().utf8, to: file)
    }
    return .done
}

/// The steps in their order: what, how, time, speed, share of the peak.
private func table(_ steps: [StepTiming], peak: Double) -> String {
    guard !steps.isEmpty else { return "" }
    let width = steps.map(\.algorithm.count).max()! + 2
    let head = padded("µs", 10, left: true) + padded("GFLOP/s", 9, left: true) + padded("peak", 7, left: true) + "  "
    return "\n" + head + padded("algorithm", width) + "step\n"
        + steps.map { step in
            padded(fixed(step.seconds * 1e6, 1), 10, left: true) + padded(fixed(step.speed / 1e9, 0), 9, left: true)
                + padded(fixed(100 * step.speed / peak, 0) + " %", 7, left: true) + "  "
                + padded(step.algorithm, width) + step.name + "\n"
        }.joined()
}

private func json(_ step: StepTiming) -> String {
    "{\"step\": \(json(step.name)), \"operation\": \(json(step.kind)), \"algorithm\": \(json(step.algorithm)), "
        + "\"ms\": \(fixed(step.seconds * 1e3, 4)), \"gflops\": \(fixed(step.speed / 1e9, 2))}"
}

/// The most memory that the process had resident, in bytes.
private func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
    #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    #endif
}
