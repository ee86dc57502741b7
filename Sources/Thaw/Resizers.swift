/// Converts a file whose sizes are open again at another size.
struct FileResizer: ModelResizer {
    let path: String
    var options: Converter.Options

    func model(at size: ImageSize) throws -> Model {
        var options = options
        options.size = size
        return try Model.load(contentsOfFile: path, options: options).model
    }
}

/// Makes the output of every size an image.
struct ImageOutputResizer: ModelResizer {
    let base: any ModelResizer
    let converter: Converter

    func model(at size: ImageSize) throws -> Model { try converter.withImageOutput(base.model(at: size)) }
}
