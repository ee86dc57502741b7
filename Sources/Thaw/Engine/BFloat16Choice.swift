import Kernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whether to compute in bfloat16: only if the machine has instructions for it that are faster than those for float32.
/// Some processors have them at half the rate. The environment variable `THAW_BF16` overrides the measurement: 1 if
/// they are faster, 0 if not.
///
/// A machine with AMX has two kernel tables for it: one uses AVX512_BF16, the other AMX tiles. The faster one is used.
enum BFloat16Choice: Equatable {
    case faster, slower, missing

    /// Converting images takes time too.
    private static let minimumGain = 1.25

    private static var given: String? { getenv("THAW_BF16").map { String(cString: $0) } }

    /// - Throws: `Failure` if the environment variable has another value.
    init(_ set: InstructionSet) throws { try self.init(set, BFloat16Choice.given) }

    /// - Parameter given: The value of the environment variable.
    init(_ set: InstructionSet, _ given: String?) throws {
        let isFaster: Bool? =
            switch given ?? "" {
            case "": nil
            case "0": false
            case "1": true
            default: throw Failure.unknownBFloat16(given!)
            }
        if set.bfloat16Kernels.isEmpty {
            self = .missing
        } else {
            self = isFaster.map { $0 ? .faster : .slower } ?? BFloat16Choice(BFloat16Choice.measured.rates(set))
        }
    }

    /// - Parameter rates: The results of the probe.
    init(_ rates: (float32: Double, bfloat16: Double)) {
        self = rates.bfloat16 >= BFloat16Choice.minimumGain * rates.float32 ? .faster : .slower
    }

    /// The rates of one core, in operations per second.
    struct Rates {
        var float32 = 0.0
        /// Those of the best instruction set's tables. Other sets have only the first of them, or none.
        var bfloat16: [Double]

        /// The index of the fastest of a set's tables.
        func fastest(of count: Int) -> Int { (0..<count).max { bfloat16[$0] < bfloat16[$1] } ?? 0 }

        /// The rates of float32 and of the fastest table.
        fileprivate func rates(_ set: InstructionSet) -> (float32: Double, bfloat16: Double) {
            (float32, bfloat16[fastest(of: set.bfloat16Kernels.count)])
        }
    }

    /// The best of several short turns, about 2 ms in total for each table, so that an interruption of one turn does not
    /// matter.
    private static let measured: Rates = {
        let set = InstructionSet.available.last ?? .baseline
        let tables = set.bfloat16Kernels
        func rate(_ table: any KernelTable.Type) -> Double { InstructionSet.rate { table.peak(4000) } }
        var best = Rates(bfloat16: tables.map { _ in 0 })
        for _ in 0..<40 {
            best.float32 = max(best.float32, rate(set.kernels))
            for (index, table) in tables.enumerated() {
                best.bfloat16[index] = max(best.bfloat16[index], rate(table))
            }
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
                "this machine has no instructions for bf16 (AVX512_BF16, or arm64's bf16): float32 is used")
        }
    }

    /// The kernels of an instruction set, if they are faster.
    static func kernels(_ set: InstructionSet) throws -> (any KernelTable.Type)? { try kernels(set, given) }

    static func kernels(_ set: InstructionSet, _ given: String?) throws -> (any KernelTable.Type)? {
        guard try BFloat16Choice(set, given) == .faster else { return nil }
        let tables = set.bfloat16Kernels
        return given == "1" ? tables.last : tables[measured.fastest(of: tables.count)]
    }
}
