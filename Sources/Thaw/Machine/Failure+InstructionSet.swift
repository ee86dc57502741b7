/// Instruction sets requested by `THAW_ISA`.
extension Failure {
    static func unknownInstructionSet(_ name: String, known: [String]) -> Failure {
        Failure(
            .environment, file: "THAW_ISA", "unknown instruction set \(name)",
            remedy: "\(known.joined(separator: ", ")) are known")
    }

    static func unknownBFloat16(_ value: String) -> Failure {
        Failure(.environment, file: "THAW_BF16", "'\(value)' is unknown", remedy: "0 and 1 are known")
    }

    static func missingInstructionSet(_ name: String, available: [String]) -> Failure {
        Failure(
            .environment, file: "THAW_ISA", "this machine does not have \(name)",
            remedy: "it has \(available.joined(separator: ", "))")
    }
}
