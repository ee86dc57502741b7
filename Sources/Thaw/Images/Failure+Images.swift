/// Images that cannot be read or written.
extension Failure {
    static func emptyImage() -> Failure { Failure(.imageDamaged, "the file is empty") }

    static func notAnImage() -> Failure {
        Failure(.unknownFormat, "is not an image", remedy: "expected a \(ImageKind.supportedNames("or")) file")
    }

    /// - Parameter details: What is unsupported if other images of the kind are supported: " that contains a JPEG".
    static func unsupportedImage(kind: String, _ details: String = "") -> Failure {
        let article = kind.first.map { "AEIOUaeiou".contains($0) } == true ? "an" : "a"
        return Failure(
            .unknownFormat, "is \(article) \(kind) image\(details), which is not supported",
            remedy: "\(ImageKind.supportedNames("and")) are supported")
    }

    static func truncatedImage(_ kind: String) -> Failure {
        Failure(.imageDamaged, "the \(kind) file ends too early", hint: "was it copied or downloaded completely?")
    }

    static func optimizedPNG() -> Failure {
        Failure(
            .unknownFormat, "is a PNG file in the format of iOS apps (CgBI), which is not supported",
            hint: "xcrun pngcrush -revert-iphone-optimizations restores the standard format")
    }

    static func damagedImage(_ kind: String, _ reason: String) -> Failure {
        Failure(.imageDamaged, "the \(kind) file is corrupt: \(reason)")
    }

    static func wrongChecksum(_ kind: String) -> Failure {
        Failure(.imageDamaged, "a checksum in the \(kind) file is wrong")
    }

    static func imageTooLarge(width: Int, height: Int, limit: Int) -> Failure {
        Failure(
            .limitExceeded, "the image claims \(width) × \(height) pixels",
            remedy: "the limit is \(limit) pixels",
            hint: "\(option: .maximumPixels) raises the limit")
    }

    static func imageFileTooLarge(_ bytes: Int, _ limit: Int) -> Failure {
        Failure(
            .limitExceeded, "the file has \(bytes) bytes",
            remedy: "no image within the limit of \(limit) pixels is that large",
            hint: "\(option: .maximumPixels) raises the limit")
    }

    static func imageClaimsTooMuch(width: Int, height: Int) -> Failure {
        Failure(.imageDamaged, "the file is too short for the \(width) × \(height) pixels that it claims")
    }

    static func unknownImageFormat() -> Failure {
        Failure(
            .unknownFormat, "unrecognized image extension",
            remedy: "expected .png, .jpg or .jpeg")
    }

    static func imageTooLarge(forJPEG width: Int, _ height: Int) -> Failure {
        Failure(
            .limitExceeded, "a JPEG file cannot hold \(width) × \(height) pixels",
            remedy: "65535 is the maximum per side; PNG allows more")
    }

    static func cannotEncode(_ kind: String, _ reason: String) -> Failure {
        Failure(.notWritable, "the \(kind) file cannot be written: \(reason)")
    }
}

extension Note {
    /// A failure that did not prevent decoding.
    static func imageDamaged(_ failure: Failure) -> Note { Note(.imageDamaged, failure.problem) }
}
