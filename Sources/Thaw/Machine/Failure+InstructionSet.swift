/// Instruction sets requested by `THAW_ISA`.
extension Failure {
    static func unknownInstructionSet(_ name: String, known: [String]) -> Failure {
        Failure(
            .environment, file: "THAW_ISA", "unknown instruction set \(name)",
            remedy: "expected one of \(known.joined(separator: ", "))")
    }

    static func unknownBFloat16(_ value: String) -> Failure {
        Failure(.environment, file: "THAW_BF16", "invalid value '\(value)'", remedy: "expected 0 or 1")
    }

    static func missingInstructionSet(_ name: String, available: [String]) -> Failure {
        Failure(
            .environment, file: "THAW_ISA", "this machine does not have \(name)",
            remedy: "it has \(available.joined(separator: ", "))")
    }
}
