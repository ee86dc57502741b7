import CMachine
import Kernels
import KernelsBaseline

#if arch(x86_64)
    import KernelsAVX2
    import KernelsAVX512
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The vector instruction sets for which kernels exist. The baseline is supported by every machine of the
/// architecture: SSE2 on x86-64, NEON on arm64.
package enum InstructionSet: String, CaseIterable, Sendable {
    case baseline, avx2, avx512

    /// Whether this machine supports it.
    package var isAvailable: Bool {
        switch self {
        case .baseline: true
        case .avx2: thaw_has_avx2()
        case .avx512: thaw_has_avx512()
        }
    }

    /// The sets that this machine supports, the best one last.
    package static var available: [InstructionSet] { allCases.filter(\.isAvailable) }

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
            case .baseline: return KernelsBaseline.Float32Kernels.self
            case .avx2: return KernelsAVX2.Float32Kernels.self
            case .avx512: return KernelsAVX512.Float32Kernels.self
            }
        #else
            return KernelsBaseline.Float32Kernels.self
        #endif
    }
}
