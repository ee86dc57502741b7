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

extension Failure {
    static func arrayTooLarge(_ type: some CustomStringConvertible) -> Failure {
        Failure(
            "an array of the network, \(type), is larger than the engine can hold", remedy: "2^28 elements are the most"
        )
    }
}
