/// Measures the time that a model takes, with the same random images or tensors in every run.
///
/// A single image is processed by all threads together. The images of a batch are processed by one thread each. The time
/// includes loading the input.
public struct Benchmark {
    /// The number of images in one run.
    public let batchSize: Int
    /// The number of threads that work on one run.
    public let threads: Int
    /// The precision that the network is computed in.
    public let precision: Precision
    /// The time taken to create the program and its memory.
    public let compileTime: Duration
    /// Multiply-adds of one run.
    public let multiplyAdds: Int
    /// The peak performance of all threads together in operations of this precision per second, measured on one core.
    public let peakOperationsPerSecond: Double
    private let passes: Int
    private let workers: Workers
    private let runs: [any BenchmarkRun]

    /// One pass of a network, with its own memory and input.
    private struct NetworkRun: BenchmarkRun, @unchecked Sendable {
        let executor: Executor
        let input: Input

        func callAsFunction() throws {
            input.load(into: executor)
            try executor.run()
        }

        func profile(seconds: Double) throws -> [StepTiming] {
            input.load(into: executor)
            let once = try ContinuousClock().measure { try executor.run() } / .seconds(1)
            return try executor.profile(rounds: min(max(Int(seconds / max(once, 1e-6)), 3), 1000)) {
                input.load(into: executor)
            }
        }
    }

    /// Random values for all inputs.
    private enum Input {
        case pixels([UInt8], PixelScaling, batchSize: Int)
        case tensors([Tensor])

        func load(into executor: Executor) {
            switch self {
            case .pixels(let pixels, let scaling, let batchSize):
                pixels.withUnsafeBufferPointer { pixels in
                    for index in 0..<batchSize { executor.load(pixels: pixels, scaling, forInputAt: 0, image: index) }
                }
            case .tensors(let tensors):
                for (index, tensor) in tensors.enumerated() { executor.load(tensor, forInputAt: index) }
            }
        }
    }

    /// Compiles the model, and prepares an input.
    /// - Parameters:
    ///   - precision: The precision to compute in.
    ///   - batchSize: The number of images in one run, rounded up to a multiple of the model's own batch size.
    /// - Precondition: `batchSize` is at least 1.
    /// - Throws: `Failure` if the engine cannot run the model, a loop of it does not end, or `threads` is less than 1.
    public init(_ model: Model, precision: Precision = .float32, threads: Int = 1, batchSize: Int = 1) throws {
        precondition(batchSize > 0)
        try requireThreads(threads)
        passes = batchSize.dividedRoundingUp(by: model.imagesPerRun)
        let clock = ContinuousClock()
        let start = clock.now
        let lanes = min(threads, passes)
        let program = try Program(model, precision: precision, threads: threads / lanes)
        let input = Benchmark.input(of: model)
        workers = Workers(lanes)
        runs = (0..<lanes).map { _ in NetworkRun(executor: Executor(program, threads: threads / lanes), input: input) }
        compileTime = clock.now - start
        try runs[0]()
        self.batchSize = passes * model.imagesPerRun
        self.threads = threads
        self.precision = program.precision
        multiplyAdds = passes * program.multiplyAdds
        peakOperationsPerSecond = program.instructionSet.peak(program.precision) * Double(threads)
    }

    /// A pipeline or detector, with the same random row of inputs in every run.
    ///
    /// - Parameters:
    ///   - document: The pipeline.
    ///   - precision: The precision that its networks are computed in.
    ///   - batchSize: The number of rows in one run. Each is computed by one thread if there is more than one.
    /// - Precondition: `batchSize` is at least 1.
    /// - Throws: `Failure` if a stage does not accept the random row, or `threads` is less than 1.
    public init(
        _ document: PipelineDocument, precision: Precision = .float32, threads: Int = 1, batchSize: Int = 1
    ) throws {
        precondition(batchSize > 0)
        try requireThreads(threads)
        let clock = ContinuousClock()
        let start = clock.now
        let lanes = min(threads, batchSize)
        let pipeline = try document.pipeline(precision: precision, threads: threads / lanes)
        var generator = Generator()
        let row = pipeline.sampleRow(using: &generator)
        workers = Workers(lanes)
        runs = (0..<lanes).map { _ in PipelineRun(pipeline: pipeline, row: row) }
        compileTime = clock.now - start
        try runs[0]()
        (self.batchSize, self.threads, passes) = (batchSize, threads, batchSize)
        let resolved = pipeline.precision
        self.precision = resolved
        multiplyAdds = batchSize * pipeline.multiplyAdds
        peakOperationsPerSecond = try InstructionSet.chosen().peak(resolved) * Double(threads)
    }

    /// The times of runs.
    public struct Times: Sendable {
        /// The median time of a run in seconds.
        public let median: Double
        /// The 90th percentile of the times in seconds.
        public let p90: Double
        /// The shortest time of a run in seconds.
        public let minimum: Double
        /// How many runs were measured.
        public let runs: Int
        /// How many unmeasured runs came before.
        public let warmUpRuns: Int
        /// The time in seconds from the beginning of the first measured run to the end of the last.
        public let elapsed: Double
    }

    /// Runs for about this many seconds, after a warm-up of a tenth of that for caches and clock frequencies.
    public func measure(seconds: Double) -> Times {
        let clock = ContinuousClock()
        func measured(_ seconds: Double) -> (times: RunTimes, elapsed: Double) {
            var times = RunTimes()
            let start = clock.now
            let end = start + .seconds(seconds)
            repeat { times.add(clock.measure(run) / .seconds(1)) } while clock.now < end
            return (times, (clock.now - start) / .seconds(1))
        }
        let warmUp = measured(seconds / 10)
        let (times, elapsed) = measured(seconds)
        let sorted = times.sorted
        return Times(
            median: sorted[sorted.count / 2], p90: sorted[sorted.count * 9 / 10],
            minimum: times.minimum, runs: times.count, warmUpRuns: warmUp.times.count, elapsed: elapsed)
    }

    /// The time of each step: the median over runs that take about this long in total.
    package func profile(seconds: Double) throws -> [StepTiming] { try runs[0].profile(seconds: seconds) }

    /// Each thread processes its share of the images.
    private func run() {
        withUnsafePointer(to: (runs, passes)) { context in
            workers.run(chunks: runs.count, context: context) { context, lane, _ in
                let (runs, passes) = context.assumingMemoryBound(to: ([any BenchmarkRun], Int).self).pointee
                for _ in stride(from: lane, to: passes, by: runs.count) {
                    // The first run succeeded, and the others have the same input.
                    try! runs[lane]()
                }
            }
        }
    }

    /// Random pixels if the model takes an image, otherwise random tensors.
    private static func input(of model: Model) -> Input {
        var generator = Generator()
        if let image = model.image, model.graph.inputs.count == 1 {
            let pixels = (0..<image.width * image.height * image.color.channels).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            return .pixels(pixels, image.scaling, batchSize: model.batchSize)
        }
        let tensors = model.graph.inputs.map { port in
            let type = model.graph[port.value]
            let values = (0..<type.shape.elementCount).map { _ in Double.random(in: 0..<1, using: &generator) }
            return Tensor(shape: type.shape, element: type.element) { values[$0] }
        }
        return .tensors(tensors)
    }

    /// SplitMix64, always from the same seed. Source: Steele, Lea and Flood, OOPSLA 2014.
    fileprivate struct Generator: RandomNumberGenerator {
        private var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}

/// The subject of a benchmark.
private protocol BenchmarkRun: Sendable {
    /// Runs once.
    func callAsFunction() throws
    /// The time of each step: the median over runs that take about this long in total.
    func profile(seconds: Double) throws -> [StepTiming]
}

/// A row of inputs through a pipeline.
private struct PipelineRun: BenchmarkRun {
    let pipeline: Pipeline
    let row: [String: FeatureValue]

    func callAsFunction() throws { _ = try pipeline.run(row) }

    func profile(seconds: Double) throws -> [StepTiming] {
        let end = ContinuousClock.now + .seconds(seconds)
        var times: [[Double]] = []
        repeat { times.append(try pipeline.stageTimes(row)) } while times.count < 3 || ContinuousClock.now < end
        return pipeline.sequence.steps.enumerated().map { index, step in
            let sorted = times.map { $0[index] }.sorted()
            let stages = (step.stage as? StageSequence)?.leaves ?? [step.stage]
            let multiplyAdds = stages.reduce(0) { $0 + (($1 as? NetworkStage)?.model.graph.multiplyAdds ?? 0) }
            return StepTiming(
                name: "stage \(step.description.position)", kind: step.description.kind,
                algorithm: step.description.kind, multiplyAdds: multiplyAdds, precision: pipeline.precision,
                seconds: sorted[sorted.count / 2])
        }
    }
}

extension Pipeline {
    /// Random values for all inputs; for strings, integers and dictionaries, keys that the first stage knows.
    fileprivate func sampleRow(using generator: inout Benchmark.Generator) -> [String: FeatureValue] {
        var row: [String: FeatureValue] = [:]
        for (index, input) in inputs.enumerated() {
            let keys = sequence.keys(ofInput: index)
            func numbers(_ shape: [Int]) -> FeatureValue {
                let count = shape.reduce(1, *)
                return .multiArray((0..<count).map { _ in Double.random(in: 0..<1, using: &generator) }, shape: shape)
            }
            switch input.type {
            case .integer: row[input.name] = keys.first.map { FeatureValue($0) } ?? .integer(1)
            case .number: row[input.name] = .number(Double.random(in: 0..<1, using: &generator))
            case .string: row[input.name] = keys.first.map { FeatureValue($0) } ?? .string("")
            case .multiArray(let shape):
                row[input.name] = numbers(shape ?? (input.defaultShape.isEmpty ? [1] : input.defaultShape))
            case .dictionary:
                row[input.name] = .dictionary(keys.map { ($0, Double.random(in: 0..<1, using: &generator)) })
            case .image(let image):
                let channels = image.color.channels
                row[input.name] = .image(
                    Pixels(
                        width: image.width, height: image.height, channels: channels,
                        bytes: (0..<image.width * image.height * channels).map { _ in
                            UInt8.random(in: .min ... .max, using: &generator)
                        }))
            }
        }
        guard sequence.leaves.contains(where: { $0 is NonMaximumSuppression }) else { return row }
        // Without them, the detector's own thresholds apply.
        for input in inputs where input.isOptional && input.type == .number { row[input.name] = nil }
        return row
    }
}
