import Thaw

/// A request that matches the model.
struct InferPlan {
    /// Requests with more items than this are refused.
    static let maximumItems = 4096

    /// An input that matches its port.
    struct Input {
        /// Its content.
        enum Items {
            case pixels([UInt8], ImageInput)
            case encoded([ArraySlice<UInt8>], ImageWork)
            case numbers([Double])
            case integers([Int])
            case texts([String])
        }

        let name: String
        let items: Items
        let port: ServedModel.Port
        /// The shape of an item.
        let shape: [Int]
    }

    /// An output to send.
    struct Output {
        let index: Int
        let port: ServedModel.Port
        let isBinary: Bool
        let classes: Int?
    }

    /// In the order of the model; nil for an omitted one of a pipeline.
    let inputs: [Input?]
    let outputs: [Output]
    /// The size of the batch.
    let items: Int

    /// - Throws: `ErrorResponse` or `Failure` if the request does not match the model.
    init(_ request: InferRequest, _ model: ServedModel, _ settings: Settings) throws {
        let (given, count) = try InferPlan.givenInputs(of: request, model, settings)
        items = count ?? 1
        inputs = zip(given, model.inputs).map { $0 ?? Input(defaultOf: $1, items: count ?? 1) }
        guard items <= InferPlan.maximumItems else { throw ErrorResponse.batchTooLarge(InferPlan.maximumItems) }
        guard items > 0 else {
            throw ErrorResponse(400, .wrongShape, "the batch is empty", remedy: "send at least one item")
        }
        outputs = try InferPlan.outputs(of: request, model)
        try checkOutputSize(model, settings)
    }

    /// The inputs in the order of the model, nil for omitted ones, and the size of the batch; nil without inputs.
    private static func givenInputs(
        of request: InferRequest, _ model: ServedModel, _ settings: Settings
    ) throws -> (inputs: [Input?], items: Int?) {
        let names = model.inputs.map(\.name)
        for input in request.inputs where !names.contains(input.name) {
            throw InferPlan.unknown("input", input.name, names)
        }
        var items: Int?
        let inputs = try model.inputs.map { port -> Input? in
            let given = request.inputs.filter { $0.name == port.name }
            guard let input = given.first else {
                if port.isOptional { return nil }
                throw ErrorResponse(400, .noInput, "the input '\(port.name)' is missing")
            }
            guard given.count == 1 else {
                throw ErrorResponse.badRequest("the input '\(port.name)' is given \(given.count) times")
            }
            let count = try InferPlan.items(of: input, port, isBatched: model.isBatched)
            guard items == nil || items == count else {
                throw ErrorResponse(
                    400, .wrongShape, "the inputs have batches of \(items!) and \(count)", remedy: "they must agree")
            }
            items = count
            return try Input(input, port, settings)
        }
        return (inputs, items)
    }

    /// The requested outputs, or all.
    private static func outputs(of request: InferRequest, _ model: ServedModel) throws -> [Output] {
        let wanted =
            request.outputs
            ?? model.outputs.map { InferRequest.Output(name: $0.name, isBinary: request.isBinary, classes: nil) }
        let outputs = try wanted.map { output in
            guard let index = model.outputs.firstIndex(where: { $0.name == output.name }) else {
                throw InferPlan.unknown("output", output.name, model.outputs.map(\.name))
            }
            return Output(index: index, port: model.outputs[index], isBinary: output.isBinary, classes: output.classes)
        }
        guard Set(outputs.map(\.index)).count == outputs.count else {
            throw ErrorResponse.badRequest("an output is requested twice")
        }
        return outputs
    }

    /// - Throws: `ErrorResponse` if the response would be too large.
    private func checkOutputSize(_ model: ServedModel, _ settings: Settings) throws {
        let bytes = outputs.reduce(0) { sum, output in
            let items = model.isBatched ? items : max(1, output.port.shape.first ?? 1)
            let size = output.port.size * items
            // Text takes more space than the values themselves.
            return sum + (output.isBinary || output.classes != nil ? size : 4 * size)
        }
        guard bytes <= 4 * settings.maxBody else { throw ErrorResponse.outputsTooLarge(bytes) }
    }

    private static func unknown(_ kind: String, _ name: String, _ names: [String]) -> ErrorResponse {
        var error = ErrorResponse(
            400, .noSuchFeature, "the model has no \(kind) '\(name)'",
            remedy: "it has '\(names.joined(separator: "', '"))'")
        error.failure.names = names
        return error
    }

    /// The number of items in an input, whose shape and type must match.
    private static func items(of input: InferRequest.Input, _ port: ServedModel.Port, isBatched: Bool) throws -> Int {
        if input.type == .bytes, port.image != nil {
            guard input.shape.count == 1 || input.shape.count == 2 && input.shape[1] == 1 else {
                throw InferPlan.wrongShape(input, expected: "[n] encoded images")
            }
            guard isBatched || input.shape[0] == 1 else {
                throw InferPlan.wrongShape(input, expected: "[1], since the model has no batch dimension")
            }
            return input.shape[0]
        }
        guard input.type == port.type else {
            let expected = port.image == nil ? port.type.rawValue : "UINT8, or BYTES for encoded images"
            throw ErrorResponse(
                400, .wrongType, "'\(port.name)' is given as \(input.type.rawValue)", remedy: "expected \(expected)")
        }
        guard port.accepts(input.shape) else {
            throw InferPlan.wrongShape(input, expected: "\(Tensor.Shape(port.shape))")
        }
        return isBatched ? input.shape[0] : 1
    }

    private static func wrongShape(_ input: InferRequest.Input, expected: String) -> ErrorResponse {
        ErrorResponse(
            400, .wrongShape, "'\(input.name)' has the shape \(Tensor.Shape(input.shape))",
            remedy: "expected \(expected)")
    }
}

extension InferPlan.Input {
    init(_ input: InferRequest.Input, _ port: ServedModel.Port, _ settings: Settings) throws {
        (name, self.port, shape) = (input.name, port, Array(input.shape.dropFirst()))
        switch (port.image, input.type) {
        case (let image?, .bytes): items = .encoded(try input.byteStrings(), ImageWork(settings, image))
        case (let image?, _): items = .pixels(try input.pixelBytes(), image)
        case (nil, .bytes): items = .texts(try input.texts())
        case (nil, .int64) where port.isInteger: items = .integers(try input.integers())
        case (nil, _): items = .numbers(try input.values())
        }
    }

    /// The default value of an omitted input of a network; nil if there is none.
    init?(defaultOf port: ServedModel.Port, items count: Int) {
        guard case .network(let type, _, let value?) = port.content else { return nil }
        (name, self.port, shape) = (port.name, port, Array(port.shape.dropFirst()))
        items = .numbers(Array(repeating: value, count: count * type.shape.elementCount))
    }

    /// The content of an item.
    enum Item {
        case pixels(ArraySlice<UInt8>, ImageInput)
        case tensor(Tensor)

        func load(into executor: Executor, input: Int) {
            switch self {
            case .pixels(let bytes, let image):
                bytes.withUnsafeBufferPointer { executor.load(pixels: $0, image.scaling, forInputAt: input) }
            case .tensor(let tensor): executor.load(tensor, forInputAt: input)
            }
        }
    }

    /// The content of the item at an index.
    func item(_ index: Int, _ exchange: Exchange) throws -> Item {
        switch items {
        case .encoded(let images, let work):
            return .pixels(try work.pixels(decoding: images, at: index, exchange).bytes[...], work.image)
        case .pixels(let bytes, let image):
            let count = image.width * image.height * image.color.channels
            return .pixels(bytes[index * count..<(index + 1) * count], image)
        case .numbers(let values):
            guard case .network(let type, _, _) = port.content else { preconditionFailure("a pipeline takes rows") }
            let count = type.shape.elementCount
            let start = index * count
            if type.element == .float32 {
                return .tensor(Tensor(values[start..<start + count].map { Float($0) }, shape: type.shape))
            }
            return .tensor(Tensor(shape: type.shape, element: type.element) { values[start + $0] })
        case .integers, .texts: preconditionFailure("a network takes tensors")
        }
    }
}
