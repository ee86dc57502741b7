/// What can be wrong with the nodes and constants of a frozen graph's file.
extension Failure {
    static func graphCutOff(after nodes: Int, at offset: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "the graph is cut off or damaged after \(nodes) nodes",
            remedy: "download or export it again")
    }

    static func emptyGraph() -> Failure { Failure(.invalidModel, "the graph has no nodes") }

    static func namelessNode(at offset: Int) -> Failure {
        Failure(
            .damaged, place: "byte \(offset)", "a node without a name or an operation",
            remedy: "the file is damaged, or no frozen TensorFlow graph")
    }

    static func impossibleConstant(_ shape: Shape) -> Failure {
        Failure(
            .invalidModel, "a constant cannot have the shape \(shape)",
            remedy: "its sizes must be known, and fit into memory")
    }

    static func contentMismatch(bytes: Int, _ shape: Shape, _ element: ElementType) -> Failure {
        Failure(
            .damaged,
            "the constant has \(bytes) bytes, but its shape \(shape) of \(element.rawValue) takes "
                + "\(shape.elementCount * element.size)",
            remedy: "the file is damaged")
    }

    static func listMismatch(elements: Int, _ shape: Shape) -> Failure {
        Failure(
            .damaged, "the constant has \(elements) elements, but its shape \(shape) takes \(shape.elementCount)",
            remedy: "the file is damaged")
    }

    static func tooManyRepeated(_ shape: Shape) -> Failure {
        Failure(
            .invalidModel, "a constant of shape \(shape) is filled with one repeated element",
            remedy: "that is more than a model has")
    }
}
