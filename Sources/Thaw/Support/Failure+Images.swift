/// What can be wrong with a picture.
extension Failure {
    static func emptyImage() -> Failure { Failure("the file is empty") }

    static func notAnImage() -> Failure {
        Failure("is not an image", remedy: "a JPEG or PNG file is expected")
    }

    static func unsupportedImage(kind: String) -> Failure {
        Failure("is an image of the kind \(kind), which this version does not read", remedy: "JPEG and PNG are read")
    }

    static func truncatedImage(_ kind: String) -> Failure {
        Failure("the \(kind) file ends too early", hint: "was it copied or downloaded to the end?")
    }

    static func damagedImage(_ kind: String, _ reason: String) -> Failure {
        Failure("the \(kind) file is damaged: \(reason)")
    }

    static func imageTooLarge(width: Int, height: Int) -> Failure {
        Failure("the picture claims \(width) × \(height) pixels", remedy: "at most \(1 << 28) pixels are read")
    }

    static func imageClaimsTooMuch(width: Int, height: Int) -> Failure {
        Failure("the file is too short for the \(width) × \(height) pixels that it claims")
    }
}
