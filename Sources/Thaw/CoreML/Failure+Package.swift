/// Packages: the manifest and the weight file.
extension Failure {
    static func packageWithoutManifest() -> Failure {
        Failure(.incomplete, "the package has no Manifest.json", remedy: "the package is incomplete")
    }

    static func manifestLacks(_ what: String) -> Failure {
        Failure(.damaged, location: "Manifest.json", "does not say \(what)", remedy: "the file is corrupt")
    }

    static func manifestFileMissing(_ path: String) -> Failure {
        Failure(
            .incomplete, location: "Manifest.json", "names '\(path)', which does not exist",
            remedy: "the package is incomplete")
    }

    static func leavesPackage(_ path: String) -> Failure {
        Failure(.damaged, "'\(path)' is outside the package", remedy: "a package may name only its own files")
    }

    static func weightFileMissing(_ name: String) -> Failure {
        Failure(.incomplete, "the weight file '\(name)' does not exist", remedy: "the package is incomplete")
    }

    static func weightsMissing() -> Failure {
        Failure(
            .incomplete, "the model is an ML Program without its weights",
            remedy: "give the content of the package's weights/weight.bin too")
    }

    static func severalWeightFiles(_ names: [String]) -> Failure {
        Failure(
            .unsupportedModel, "the weights are in \(names.quotedList())",
            remedy:
                "in memory, a model has one file of weights, '\(EncodedModel.weightFile)'; load the package by its path"
        )
    }

    static func weightFileVersion(_ version: UInt32) -> Failure {
        Failure(
            .unsupportedModel, location: "weights", "version \(version) is not supported", remedy: "expected version 2")
    }

    static func weightsOutside(_ offset: Int, _ fileSize: Int) -> Failure {
        Failure(
            .damaged, location: "weights, byte \(offset)", "the tensor extends past the end of the file",
            remedy: "the file has \(fileSize) bytes: it is truncated")
    }

    static func weightSentinel(_ offset: Int) -> Failure {
        Failure(.damaged, location: "weights, byte \(offset)", "no tensor begins here", remedy: "the file is corrupt")
    }

    static func weightsUnaligned(_ offset: Int) -> Failure {
        Failure(
            .damaged, location: "weights, byte \(offset)", "a tensor cannot begin here",
            remedy: "the offset is not a multiple of 64")
    }

    static func weightKind(_ offset: Int, _ found: String, _ expected: String) -> Failure {
        Failure(
            .damaged, location: "weights, byte \(offset)", "the tensor has the type \(found)",
            remedy: "the program declares \(expected)")
    }

    static func weightCount(_ offset: Int, _ bytes: Int, _ type: String, _ expected: Int) -> Failure {
        Failure(
            .damaged, location: "weights, byte \(offset)", "the tensor has \(bytes) bytes",
            remedy: "\(type) takes \(expected)")
    }
}
