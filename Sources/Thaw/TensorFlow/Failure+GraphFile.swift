/// Corrupt nodes and constants in a frozen graph's file.
extension Failure {
    static func graphCutOff(after nodes: Int, at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "the graph is truncated or corrupt after \(nodes) nodes",
            remedy: "download or export it again")
    }

    static func emptyGraph() -> Failure { Failure(.invalidModel, "the graph has no nodes") }

    static func namelessNode(at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "a node has no name or no operation",
            remedy: "the file is corrupt, or not a frozen TensorFlow graph")
    }

    static func impossibleConstant(_ shape: Shape) -> Failure {
        Failure(
            .invalidModel, "a constant cannot have the shape \(shape)",
            remedy: "its sizes must be known and fit into memory")
    }

    static func contentMismatch(bytes: Int, _ shape: Shape, _ element: ElementType) -> Failure {
        Failure(
            .damaged,
            "the constant has \(bytes) bytes, but its shape \(shape) of \(element.rawValue) needs "
                + "\(shape.elementCount * element.size)",
            remedy: "the file is corrupt")
    }

    static func listMismatch(elements: Int, _ shape: Shape) -> Failure {
        Failure(
            .damaged, "the constant has \(elements) elements, but its shape \(shape) needs \(shape.elementCount)",
            remedy: "the file is corrupt")
    }

    static func tooManyRepeated(_ shape: Shape, limit: Int) -> Failure {
        Failure(
            .invalidModel, "a constant of shape \(shape) is filled with one repeated element",
            remedy: "all such constants together may have \(limit >> 20) MB")
    }

    static func nameTooLong(_ name: String, limit: Int) -> Failure {
        Failure(
            .limitExceeded, "the name '\(name)' has \(name.utf8.count) bytes", remedy: "the limit is \(limit)",
            hint: "THAW_MAX_NAME raises the limit")
    }
}
