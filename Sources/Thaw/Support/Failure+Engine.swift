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

    static func arrayTooLarge(_ type: some CustomStringConvertible) -> Failure {
        Failure(
            "an array of the network, \(type), is larger than the engine can hold",
            remedy: "2^29 elements, borders included, are the most")
    }

    static func networkTooLarge(_ byteCount: Int) -> Failure {
        Failure("the network needs \(byteCount >> 20) MB for its activations", remedy: "8192 MB are the most")
    }
}
