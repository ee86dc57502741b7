#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is said when a file cannot be written.
extension Failure {
    static func precisionOfNetwork() -> Failure {
        Failure(
            .unsupportedTarget, "a neural network computes in what the system chooses, and takes and gives float32",
            remedy: "write an ML Program (.mlpackage), or leave --compute-precision, --input-type and --output-type out"
        )
    }

    static func cannotCreate(_ path: String, _ code: Int32) -> Failure {
        code == ENOENT
            ? Failure(.notWritable, file: path, "the folder does not exist", remedy: "make it first")
            : cannotWrite(path, code)
    }

    static func alreadyExists(_ path: String) -> Failure {
        Failure(.fileExists, file: path, "the file exists already", remedy: "--no-clobber keeps it")
    }
}

/// What can be wrong with a NumPy file.
extension Failure {
    static func notNumPy() -> Failure {
        Failure(.unknownFormat, "is not a NumPy file", remedy: "a .npy file as numpy.save writes it is expected")
    }

    static func numPyVersion(_ major: UInt8, _ minor: UInt8) -> Failure {
        Failure(.unknownFormat, "the NumPy format \(major).\(minor) is not known", remedy: "versions 1 to 3 are read")
    }

    static func numPyHeader(_ problem: String) -> Failure {
        Failure(.damaged, place: "header", problem)
    }

    static func numPyElement(_ type: String) -> Failure {
        Failure(
            .wrongType, place: "header", "elements of type '\(type)' are not read",
            remedy: "little-endian float32 or float64, integers, uint8 and bool are: numpy.save(…, array.astype('<f4'))"
        )
    }

    static func numPyFortran() -> Failure {
        Failure(
            .wrongType, place: "header", "the array is stored column by column",
            remedy: "row by row is expected: numpy.save(…, numpy.ascontiguousarray(array))")
    }

    static func numPySize(_ shape: [Int], _ needed: Int?, _ found: Int) -> Failure {
        let text = "(" + shape.map(String.init).joined(separator: ", ") + ")"
        return Failure(
            .damaged,
            "an array of shape \(text) takes \(needed.map { "\($0) bytes" } ?? "more bytes than any file has")",
            remedy: "the file has \(found)")
    }
}

/// What is said of a folder that cannot be written.
extension Failure {
    static func notReplaceable(_ path: String) -> Failure {
        Failure(
            .fileExists, file: path, "something else stands under this name",
            remedy: "a Core ML package would be replaced")
    }
}
