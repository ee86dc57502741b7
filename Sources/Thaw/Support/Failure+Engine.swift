extension Failure {
    static func unknownInstructionSet(_ name: String, known: [String]) -> Failure {
        Failure(
            place: "THAW_ISA", "no instruction set is called \(name)",
            remedy: known.joined(separator: ", ") + " are known")
    }

    static func missingInstructionSet(_ name: String, available: [String]) -> Failure {
        Failure(
            place: "THAW_ISA", "this machine does not have \(name)",
            remedy: "it has " + available.joined(separator: ", "))
    }
}
