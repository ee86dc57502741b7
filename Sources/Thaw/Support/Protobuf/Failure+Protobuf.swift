/// Protobuf encodings that cannot be read. Offsets count bytes from the file's start.
extension Failure {
    static func fieldPastEnd(at offset: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "something here reaches past the end",
            remedy: "the file is damaged or cut off")
    }

    static func malformedField(at offset: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "this is no protobuf field",
            remedy: "the file is damaged or of another kind")
    }

    static func wrongWireType(_ field: String, at offset: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "the field \(field) is encoded as another type",
            remedy: "the file is damaged or of another kind")
    }

    static func nestedTooDeep(at offset: Int, limit: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "messages are nested more than \(limit) deep", remedy: "no real model is"
        )
    }

    static func messageTooLarge(at offset: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "the message here would take far more memory than it has bytes",
            remedy: "no real model does")
    }

    static func malformedMessage(_ name: String, at offset: Int) -> Failure {
        Failure(.damaged, place: "byte \(offset)", "no valid \(name)", remedy: "the file is damaged or of another kind")
    }

    static func fieldInPieces(_ field: String) -> Failure {
        Failure(.damaged, "the field \(field) stands in several pieces", remedy: "it must be written in one")
    }

    static func malformedPackedField(_ field: String) -> Failure {
        Failure(.damaged, "the numbers in the field \(field) are damaged")
    }

    static func messageBeyondTwoGigabytes(_ bytes: Int) -> Failure {
        Failure(.limitExceeded, "the model would take \(bytes) bytes", remedy: "protobuf allows less than 2^31")
    }
}
