import CMachine
import IntegerKernelsBaseline
import Kernels
import KernelsBaseline

#if arch(x86_64)
    import IntegerKernelsAMX
    import IntegerKernelsAVX2
    import IntegerKernelsAVX2VNNI
    import IntegerKernelsAVX512
    import IntegerKernelsAVX512VNNI
    import KernelsAVX2
    import KernelsAVX512
    import KernelsBFloat16
    import KernelsBFloat16AMX
#elseif arch(arm64)
    import IntegerKernelsDotprod
    import IntegerKernelsI8MM
    import KernelsBFloat16
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The instruction sets for which kernels are compiled. `baseline` is what every machine of the architecture has: SSE2 on
/// x86-64, NEON on arm64. `avx2vnni`, `avx512vnni`, `dotprod` and `i8mm` add only 8-bit integer kernels, `amx` also bfloat16
/// kernels. On arm64, the bfloat16 kernels belong to `i8mm`.
package enum InstructionSet: String, CaseIterable, Sendable {
    case baseline, avx2, avx2vnni, avx512, avx512vnni, amx, dotprod, i8mm

    /// Whether this machine supports it.
    package var isAvailable: Bool {
        switch self {
        case .baseline: true
        case .avx2: thaw_has_avx2()
        case .avx2vnni: thaw_has_avx2_vnni()
        case .avx512: thaw_has_avx512()
        case .avx512vnni: thaw_has_avx512_vnni()
        case .amx:
            #if arch(x86_64)
                IntegerKernelsAMX.Int8TileKernels.hasTiles
            #else
                false
            #endif
        case .dotprod: thaw_has_dotprod()
        case .i8mm: thaw_has_i8mm()
        }
    }

    /// The sets that this machine supports, the best one last.
    package static var available: [InstructionSet] { allCases.filter(\.isAvailable) }

    /// The sets among them whose float32 kernels differ.
    static var availableForFloats: [InstructionSet] {
        available.filter { ![.avx2vnni, .avx512vnni, .amx, .dotprod, .i8mm].contains($0) }
    }

    /// The best set that the machine supports, or the one in the environment variable `THAW_ISA`.
    /// - Throws: `Failure` if the name is unknown, or the machine does not support the set.
    package static func chosen() throws -> InstructionSet {
        try chosen(getenv("THAW_ISA").map { String(cString: $0) })
    }

    static func chosen(_ name: String?) throws -> InstructionSet {
        guard let name, !name.isEmpty else { return available.last ?? .baseline }
        guard let set = InstructionSet(rawValue: name) else {
            throw Failure.unknownInstructionSet(name, known: allCases.map(\.rawValue))
        }
        guard set.isAvailable else {
            throw Failure.missingInstructionSet(name, available: available.map(\.rawValue))
        }
        return set
    }

    /// The kernels for float32 compiled for this set, which must be available.
    var kernels: any (KernelTable & PlainKernels & WinogradKernels).Type {
        precondition(isAvailable)
        #if arch(x86_64)
            switch self {
            case .baseline, .dotprod, .i8mm: return KernelsBaseline.Float32Kernels.self
            case .avx2, .avx2vnni: return KernelsAVX2.Float32Kernels.self
            case .avx512, .avx512vnni, .amx: return KernelsAVX512.Float32Kernels.self
            }
        #else
            return KernelsBaseline.Float32Kernels.self
        #endif
    }

    /// The 8-bit integer kernels compiled for this set, which must be available.
    var integerKernels: any IntegerKernels.Type {
        precondition(isAvailable)
        #if arch(x86_64)
            switch self {
            case .baseline, .dotprod, .i8mm: return IntegerKernelsBaseline.Int8Kernels.self
            case .avx2: return IntegerKernelsAVX2.Int8Kernels.self
            case .avx2vnni: return IntegerKernelsAVX2VNNI.Int8Kernels.self
            case .avx512: return IntegerKernelsAVX512.Int8Kernels.self
            case .avx512vnni: return IntegerKernelsAVX512VNNI.Int8Kernels.self
            case .amx: return IntegerKernelsAMX.Int8TileKernels.self
            }
        #elseif arch(arm64)
            switch self {
            case .dotprod: return IntegerKernelsDotprod.Int8Kernels.self
            case .i8mm: return IntegerKernelsI8MM.Int8Kernels.self
            default: return IntegerKernelsBaseline.Int8Kernels.self
            }
        #else
            return IntegerKernelsBaseline.Int8Kernels.self
        #endif
    }

    /// All kernels for 8-bit integers that this machine can run, for tests. AMX kernels also run without AMX, slowly.
    static var allIntegerKernels: [any IntegerKernels.Type] {
        var tables = available.map(\.integerKernels)
        #if arch(x86_64)
            if !InstructionSet.amx.isAvailable, InstructionSet.avx512vnni.isAvailable {
                tables.append(IntegerKernelsAMX.Int8TileKernels.self)
            }
        #endif
        return tables
    }

    /// Whether it has instructions that multiply and add 8-bit integers.
    var hasByteProducts: Bool { ![.baseline, .avx2, .avx512].contains(self) }

    /// The kernels for bfloat16 that go with this set and that the machine supports, those with tiles last.
    var bfloat16Kernels: [any KernelTable.Type] {
        #if arch(x86_64)
            guard [.avx512, .avx512vnni, .amx].contains(self), thaw_has_avx512_bf16() else { return [] }
            let vectorKernels = KernelsBFloat16.BFloat16Kernels.self
            return self == .amx && TileKernels.hasTiles ? [vectorKernels, TileKernels.self] : [vectorKernels]
        #elseif arch(arm64)
            // Processors with one of these extensions usually have both.
            return self == .i8mm && thaw_has_bf16() ? [KernelsBFloat16.BFloat16Kernels.self] : []
        #else
            return []
        #endif
    }

    /// All kernels for bfloat16 that this machine can run, for tests. The AMX kernels also run without AMX, slowly.
    static var allBFloat16Kernels: [any KernelTable.Type] {
        let tables = available.last!.bfloat16Kernels
        #if arch(x86_64)
            if tables.count == 1 { return tables + [TileKernels.self] }
        #endif
        return tables
    }
}
