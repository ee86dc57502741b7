/// Protobuf encodings that cannot be read. Offsets count bytes from the file's start.
extension Failure {
    static func fieldPastEnd(at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "a field here extends past the end of the file",
            remedy: "the file is corrupt or truncated")
    }

    static func malformedField(at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "this is not a protobuf field",
            remedy: "the file is corrupt or of another kind")
    }

    static func wrongWireType(_ field: String, at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "the field \(field) is encoded as another type",
            remedy: "the file is corrupt or of another kind")
    }

    static func textWithNull(_ field: String, at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "the text of the field \(field) contains a NUL character",
            remedy: "the file is corrupt")
    }

    static func nestedTooDeep(at offset: Int, limit: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "messages are nested more than \(limit) deep",
            remedy: "no real model nests so deeply"
        )
    }

    static func messageTooLarge(at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "the message here would need far more memory than its size in bytes",
            remedy: "no real model does")
    }

    static func malformedMessage(_ name: String, at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "this is not a valid \(name)",
            remedy: "the file is corrupt or of another kind")
    }

    static func fieldInPieces(_ field: String) -> Failure {
        Failure(.damaged, "the field \(field) is split into several pieces", remedy: "it must be written in one")
    }

    static func malformedPackedField(_ field: String) -> Failure {
        Failure(.damaged, "the packed values of the field \(field) are corrupt")
    }

    static func messageBeyondTwoGigabytes(_ bytes: Int) -> Failure {
        Failure(.limitExceeded, "the model would take \(bytes) bytes", remedy: "protobuf allows less than 2^31")
    }
}
