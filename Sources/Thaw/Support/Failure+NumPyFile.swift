/// NumPy files that cannot be read.
extension Failure {
    static func notNumPy() -> Failure {
        Failure(.unknownFormat, "is not a NumPy file", remedy: "expected a .npy file as written by numpy.save")
    }

    static func numPyVersion(_ major: UInt8, _ minor: UInt8) -> Failure {
        Failure(.unknownFormat, "the NumPy format \(major).\(minor) is unknown", remedy: "versions 1 to 3 are read")
    }

    static func numPyHeader(_ problem: String) -> Failure {
        Failure(.damaged, location: "header", "\(problem)")
    }

    static func numPyElement(_ type: String) -> Failure {
        Failure(
            .wrongType, location: "header", "elements of type '\(type)' are not supported",
            remedy: "expected little-endian floats, integers or bool: numpy.save(…, array.astype('<f4'))"
        )
    }

    static func numPyFortran() -> Failure {
        Failure(
            .wrongType, location: "header", "the array is stored in column-major order",
            remedy: "expected row-major order: numpy.save(…, numpy.ascontiguousarray(array))")
    }

    static func numPySize(_ shape: [Int], _ needed: Int?, _ found: Int) -> Failure {
        let text = "(" + shape.map(String.init).joined(separator: ", ") + ")"
        return Failure(
            .damaged,
            "an array of shape \(text) takes \(needed.map { "\($0) bytes" } ?? "more bytes than any file has")",
            remedy: "the file has \(found)")
    }
}
