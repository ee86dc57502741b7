import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `thaw benchmark`: how long models take to load and run, with each number of threads.
func runBenchmark(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let paths = arguments.positional
    let threads = arguments[Options.threadCounts] ?? [arguments.threads]
    let isTable = paths.count * threads.count > 1
    if isTable, arguments.isGiven(Options.profile) {
        throw Failure.profileOfSeveral()
    }
    let format = arguments[Options.benchmarkFormat]
    if arguments.isGiven(Options.profile), arguments[Options.profile] == nil, [.csv, .markdown].contains(format) {
        throw Failure.cannotCombine(
            "\(Options.profile.spelling) without a file", "\(Options.benchmarkFormat.spelling) \(format.rawValue)")
    }
    console.report(arguments[Options.precision])
    let printer = BenchmarkPrinter(format: format, models: paths, isTable: isTable)
    try console.print(printer.header)
    var failures = 0
    for path in paths {
        do {
            try measure(path, threads, printer, arguments, console)
        } catch let failure as Failure {
            // Continues with the others if one cannot be measured.
            guard paths.count > 1 else { throw failure }
            console.report(failure.inFile(path))
            failures += 1
        }
    }
    return ExitStatus(failures: failures, of: paths.count)
}

/// Loads a model once, and measures it with each number of threads.
private func measure(
    _ path: String, _ threadCounts: [Int], _ printer: BenchmarkPrinter, _ arguments: Arguments, _ console: Console
) throws {
    let seconds = arguments[Options.seconds]
    resetPeakMemory()
    let clock = ContinuousClock()
    let start = clock.now
    let document = try Pipeline.isPipeline(contentsOfFile: path) ? arguments.pipeline(at: path) : nil
    let model = try document == nil ? arguments.model(at: path).model : nil
    let reading = clock.now - start
    for threads in threadCounts {
        if threads != threadCounts.first { resetPeakMemory() }
        let benchmark = try naming(file: path) {
            let (precision, batch) = (arguments[Options.precision], arguments[Options.batch])
            return try document.map {
                try Benchmark($0, precision: precision, threads: threads, batchSize: batch)
            } ?? Benchmark(model!, precision: precision, threads: threads, batchSize: batch)
        }
        let times = benchmark.measure(seconds: seconds)
        let profile = arguments.isGiven(Options.profile) ? try benchmark.profile(seconds: seconds) : []
        let measurement = Measurement(
            model: path, benchmark: benchmark, times: times, loading: reading + benchmark.compileTime,
            peakMemory: peakResidentMemory(), profile: profile)
        try console.print(printer.text(measurement), restoringNames: printer.format != .json)
        if let file = arguments[Options.profile] {
            let chart = ProfileChart(title: path, steps: profile, peak: benchmark.peakOperationsPerSecond)
            try AtomicFile.write(chart.svg().utf8, to: file)
        }
    }
}

extension Arguments {
    /// - Throws: `Failure` for an option that is for networks.
    fileprivate func pipeline(at path: String) throws -> PipelineDocument {
        for option in [Options.labels as any AnyOption, Options.function] + OptionGroups.graphInput
        where isGiven(option) {
            throw Failure.networkOption(option.spelling).inFile(path)
        }
        return try PipelineDocument(contentsOfFile: path)
    }
}

/// The peak resident memory of the process, in bytes.
private func peakResidentMemory() -> Int {
    #if canImport(Darwin)
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
    #else
        // On Linux, getrusage includes the memory of the parent process before exec.
        guard let status = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(status) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), status) != nil {
            let words = line.prefix { $0 != 0 }.split { $0 == 32 || $0 == 9 }.map {
                String(decoding: $0.map(UInt8.init), as: UTF8.self)
            }
            if words.first == "VmHWM:" { return (Int(words[1]) ?? 0) * 1024 }
        }
        return 0
    #endif
}

/// Resets the peak memory, if the system supports that, as Linux does.
private func resetPeakMemory() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
}
