/// Measures the time that a model takes, with the same random images or tensors in every run.
///
/// A single image is processed by all threads together. The images of a batch are processed by one thread each. The time
/// includes loading the input.
public struct Benchmark {
    /// The number of images in one run.
    public let batch: Int
    /// The number of threads that work on one run.
    public let threads: Int
    /// The precision that the network is computed in.
    public let precision: Precision
    /// The time that it took to create the program and its memory.
    public let compiling: Duration
    /// Multiply-adds of one run.
    public let multiplyAdds: Int
    /// The peak performance of all threads together in operations of this precision per second, measured on one core.
    public let peak: Double
    private let passes: Int
    private let workers: Workers
    private let runs: [Run]

    /// One pass of the model, with its own memory and input.
    private struct Run: @unchecked Sendable {
        let executor: Executor
        let input: Input

        func load() { input.load(into: executor) }
    }

    /// Random values for all inputs.
    private enum Input {
        case pixels([UInt8], PixelScaling, batch: Int)
        case tensors([Tensor])

        func load(into executor: Executor) {
            switch self {
            case .pixels(let pixels, let scaling, let batch):
                pixels.withUnsafeBufferPointer { pixels in
                    for index in 0..<batch { executor.load(pixels: pixels, scaling, input: 0, image: index) }
                }
            case .tensors(let tensors):
                for (index, tensor) in tensors.enumerated() { executor.load(tensor, input: index) }
            }
        }
    }

    /// - Parameters:
    ///   - precision: The precision to compute in.
    ///   - batch: The number of images in one run. If the model's own batch is larger, that is used.
    /// - Throws: `Failure` if the engine cannot run the model.
    public init(_ model: Model, precision: Precision = .float32, threads: Int = 1, batch: Int = 1) throws {
        passes = (batch + model.batch - 1) / model.batch
        let clock = ContinuousClock()
        let start = clock.now
        let lanes = min(threads, passes)
        let program = try Program(model, precision: precision, threads: threads / lanes)
        let input = Benchmark.input(of: model)
        workers = Workers(lanes)
        runs = (0..<lanes).map { _ in Run(executor: Executor(program, threads: threads / lanes), input: input) }
        compiling = clock.now - start
        self.batch = passes * model.batch
        self.threads = threads
        self.precision = program.precision
        multiplyAdds = passes * program.multiplyAdds
        peak = program.instructionSet.peak(program.precision) * Double(threads)
    }

    /// The times of runs, in seconds.
    public struct Times: Sendable {
        /// The median time of a run.
        public let median: Double
        /// The 90th percentile.
        public let p90: Double
        /// The shortest time of a run.
        public let minimum: Double
        /// How many runs were measured.
        public let runs: Int
        /// How many runs came before, which are not measured.
        public let warmUpRuns: Int
        /// The time from the beginning of the first measured run to the end of the last.
        public let elapsed: Double
    }

    /// Runs for about this long, after a warm-up of a tenth of that for caches and clock frequencies.
    public func measure(seconds: Double) -> Times {
        let clock = ContinuousClock()
        func times(_ seconds: Double) -> (sorted: [Double], elapsed: Double) {
            var times: [Double] = []
            let start = clock.now
            let end = start + .seconds(seconds)
            repeat { times.append(clock.measure(run) / .seconds(1)) } while clock.now < end
            return (times.sorted(), (clock.now - start) / .seconds(1))
        }
        let warmUp = times(seconds / 10)
        let (sorted, elapsed) = times(seconds)
        return Times(
            median: sorted[sorted.count / 2], p90: sorted[min(sorted.count * 9 / 10, sorted.count - 1)],
            minimum: sorted[0], runs: sorted.count, warmUpRuns: warmUp.sorted.count, elapsed: elapsed)
    }

    /// The time of each step: the median over runs that take about this long in total.
    package func profile(seconds: Double) -> [StepTiming] {
        let run = runs[0]
        run.load()
        let once = ContinuousClock().measure { run.executor.run() } / .seconds(1)
        return run.executor.profile(rounds: min(max(Int(seconds / max(once, 1e-6)), 3), 1000))
    }

    /// Each thread processes its share of the images.
    private func run() {
        withUnsafePointer(to: (runs, passes)) { context in
            workers.run(chunks: runs.count, context: context) { context, lane, _ in
                let (runs, passes) = context.assumingMemoryBound(to: ([Run], Int).self).pointee
                for _ in stride(from: lane, to: passes, by: runs.count) {
                    runs[lane].load()
                    runs[lane].executor.run()
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
            return .pixels(pixels, image.scaling, batch: model.batch)
        }
        let tensors = model.graph.inputs.map { port in
            let type = model.graph[port.value]
            let values = (0..<type.shape.elementCount).map { _ in Double.random(in: 0..<1, using: &generator) }
            return Tensor(shape: type.shape, element: type.element) { values[$0] }
        }
        return .tensors(tensors)
    }

    /// SplitMix64, always from the same seed. Source: Steele, Lea and Flood, OOPSLA 2014.
    private struct Generator: RandomNumberGenerator {
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
