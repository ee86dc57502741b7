/// Packages: the manifest and the weight file.
extension Failure {
    static func packageWithoutManifest() -> Failure {
        Failure(.incomplete, "the package has no Manifest.json", remedy: "it is not whole")
    }

    static func manifestWithout(_ what: String) -> Failure {
        Failure(.damaged, place: "Manifest.json", "does not say \(what)", remedy: "it is damaged")
    }

    static func manifestFileMissing(_ path: String) -> Failure {
        Failure(
            .incomplete, place: "Manifest.json", "names '\(path)', which is not there",
            remedy: "the package is not whole")
    }

    static func leavesPackage(_ path: String) -> Failure {
        Failure(.damaged, "'\(path)' leads out of the package", remedy: "a package names files of its own only")
    }

    static func weightFileMissing(_ name: String) -> Failure {
        Failure(.incomplete, "the file of weights '\(name)' is not there", remedy: "the package is not whole")
    }

    static func weightFileVersion(_ version: UInt32) -> Failure {
        Failure(.unsupportedModel, place: "weights", "the version \(version) is not known", remedy: "2 is read")
    }

    static func weightsOutside(_ offset: Int, _ fileSize: Int) -> Failure {
        Failure(
            .damaged, place: "weights, byte \(offset)", "an array here reaches past the end",
            remedy: "the file has \(fileSize) bytes: it is cut off")
    }

    static func weightSentinel(_ offset: Int) -> Failure {
        Failure(.damaged, place: "weights, byte \(offset)", "there is no array here", remedy: "the file is damaged")
    }

    static func weightsUnaligned(_ offset: Int) -> Failure {
        Failure(
            .damaged, place: "weights, byte \(offset)", "an array cannot begin here",
            remedy: "the offset is no multiple of 64")
    }

    static func weightKind(_ offset: Int, _ found: String, _ expected: String) -> Failure {
        Failure(
            .damaged, place: "weights, byte \(offset)", "the array is of the type \(found)",
            remedy: "the program says \(expected)")
    }

    static func weightCount(_ offset: Int, _ bytes: Int, _ type: String, _ expected: Int) -> Failure {
        Failure(
            .damaged, place: "weights, byte \(offset)", "the array has \(bytes) bytes",
            remedy: "\(type) takes \(expected)")
    }
}
