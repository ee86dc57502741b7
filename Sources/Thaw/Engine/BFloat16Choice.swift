import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether to compute in bfloat16: only if the machine has instructions for it that are faster than those for float32.
/// Some processors have them at half the rate. The environment variable `THAW_BF16` overrides the measurement: 1 if
/// they are faster, 0 if not.
enum BFloat16Choice: Equatable {
    case faster, slower, missing

    /// Converting images takes time too.
    private static let leastGain = 1.25

    /// - Throws: `Failure` if the environment variable has another value.
    init(_ set: InstructionSet) throws {
        try self.init(set, getenv("THAW_BF16").map { String(cString: $0) })
    }

    /// - Parameter given: The value of the environment variable.
    init(_ set: InstructionSet, _ given: String?) throws {
        let isFaster: Bool? =
            switch given ?? "" {
            case "": nil
            case "0": false
            case "1": true
            default: throw Failure.unknownBFloat16(given!)
            }
        if set.bfloat16Kernels == nil {
            self = .missing
        } else {
            self = isFaster.map { $0 ? .faster : .slower } ?? BFloat16Choice(BFloat16Choice.measured)
        }
    }

    /// - Parameter rates: The results of the probe.
    init(_ rates: (float32: Double, bfloat16: Double)) {
        self = rates.bfloat16 >= BFloat16Choice.leastGain * rates.float32 ? .faster : .slower
    }

    /// The rates of one core, in operations per second: the best of several short turns, about 2 ms in total, so that
    /// an interruption of one turn does not matter.
    private static let measured: (float32: Double, bfloat16: Double) = {
        let set = InstructionSet.available.last ?? .baseline
        let clock = ContinuousClock()
        func rate(_ run: (Int) -> Int) -> Double {
            var operations = 0
            let elapsed = clock.measure { operations = run(4000) }
            let seconds: Double = elapsed / .seconds(1)
            return Double(operations) / seconds
        }
        var best = (float32: 0.0, bfloat16: 0.0)
        for _ in 0..<40 {
            best.float32 = max(best.float32, rate(set.kernels.peak))
            best.bfloat16 = max(best.bfloat16, rate(set.bfloat16Peak))
        }
        return best
    }()

    var note: Note? {
        switch self {
        case .faster: nil
        case .slower: Note(.precisionUnused, "bf16 is not faster than float32 on this machine: float32 is used")
        case .missing:
            Note(
                .precisionUnused,
                "this machine has no instructions for bf16 (AVX512_BF16, or bf16 of arm64): float32 is used")
        }
    }

    /// The kernels of an instruction set, if they are faster.
    static func kernels(_ set: InstructionSet) throws -> (any KernelTable.Type)? {
        try BFloat16Choice(set) == .faster ? set.bfloat16Kernels : nil
    }
}
