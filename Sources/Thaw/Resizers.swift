/// Names the graph's file in failures.
struct NamingResizer: ModelResizer {
    let base: any ModelResizer
    let path: String

    func model(at size: ImageSize) throws -> Model { try naming(file: path) { try base.model(at: size) } }
}

/// Makes the output of every size an image.
struct ImageOutputResizer: ModelResizer {
    let base: any ModelResizer
    let converter: Converter

    func model(at size: ImageSize) throws -> Model { try converter.withImageOutput(base.model(at: size)) }
}
