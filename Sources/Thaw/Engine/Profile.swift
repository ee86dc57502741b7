/// The time that one step of a program took.
package struct StepTiming: Sendable {
    /// The node's name in the graph.
    package var name: String
    package var kind: String
    /// The algorithm, for example "Winograd F(4×4, 3×3)", or the kind if there is only one algorithm.
    package var algorithm: String
    package var multiplyAdds: Int
    /// The precision of the products.
    package var precision: Precision
    /// The median of several runs.
    package var seconds: Double
}

extension Executor {
    /// The time of each step: the median of `rounds` runs.
    /// - Parameter loadInputs: Called before each run. Steps reuse the memory of inputs, and what they leave there may be
    ///   read as denormal numbers, which take longer.
    /// - Throws: `Failure` naming the node if a loop does not end.
    package func profile(rounds: Int, loadInputs: () -> Void = {}) throws -> [StepTiming] {
        let clock = ContinuousClock()
        var times = [[Double]](repeating: [], count: program.steps.count)
        for _ in 0..<max(rounds, 1) {
            loadInputs()
            for index in program.steps.indices {
                let elapsed = try clock.measure { try run(step: index) }
                times[index].append(elapsed / .seconds(1))
            }
        }
        return program.steps.indices.map { index in
            let step = program.steps[index]
            return StepTiming(
                name: step.name, kind: step.kind, algorithm: step.algorithm.isEmpty ? step.kind : step.algorithm,
                multiplyAdds: step.multiplyAdds, precision: step.precision,
                seconds: times[index].sorted()[times[index].count / 2])
        }
    }
}

extension InstructionSet {
    /// The peak floating-point operations per second of one core, the best of several measurements.
    /// - Parameter precision: For int8, operations on 8-bit integers. For bf16, the kernels must exist.
    package func peak(_ precision: Precision = .float32) -> Double {
        let (kernels, integers) = (kernels, integerKernels)
        let lower = precision == .bf16 ? (try? BFloat16Choice.kernels(self)) ?? bfloat16Kernels.last : nil
        return (0..<20).reduce(0.0) { best, _ in
            let rate = InstructionSet.rate {
                switch precision {
                case .float32, .auto: kernels.peak(50_000)
                case .bf16: lower?.peak(50_000) ?? 0
                case .int8: integers.peak(50_000)
                }
            }
            return max(best, rate)
        }
    }

    /// The operations per second of a run, which returns their number.
    static func rate(_ run: () -> Int) -> Double {
        var operations = 0
        let elapsed = ContinuousClock().measure { operations = run() }
        let seconds = elapsed / Duration.seconds(1)
        return Double(operations) / seconds
    }
}
