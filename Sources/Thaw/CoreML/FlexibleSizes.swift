/// Writes a model whose image has several sizes.
///
/// The model is written once at each size. The results must be equal except for the sizes of tensors, which are left
/// open if they differ. So the file is correct at every size that was tried, whatever its operations are.
struct FlexibleSizes {
    /// The value of an unknown size in a layer's shapes (coremltools' NeuralNetwork.proto).
    private static let unknown = -1
    /// The axes that differ, by the name of the tensor.
    private var open: [String: Set<Int>] = [:]
    /// The shape of each output at each size, in the order of the model's outputs: the sizes of an array's axes, or an
    /// image's width and height.
    private var outputs: [[[Int]]]

    init(_ message: Message) {
        outputs = (message.description.output as [Message]).map { [FlexibleSizes.sizes($0)] }
    }

    private static func sizes(_ feature: Message) -> [Int] {
        let type: Message = feature["type"]
        switch type.choice {
        case "imageType": return [type.imageType.width, type.imageType.height]
        case "multiArrayType": return type.multiArrayType.shape
        default: return []
        }
    }

    private mutating func addOutputs(_ message: Message) {
        for (index, feature) in (message.description.output as [Message]).enumerated() {
            outputs[index].append(FlexibleSizes.sizes(feature))
        }
    }

    // MARK: Neural networks

    /// Adds the same network at another size, and leaves the sizes that differ open in `message`.
    /// - Throws: `Failure` naming a layer with other differences.
    mutating func add(_ other: Message, to message: inout Message, at size: ImageSize) throws {
        let kind = message.choice!
        var layers: [Message] = message[kind].layers
        let others: [Message] = other[kind].layers
        for index in layers.indices {
            guard others.indices.contains(index) else { throw Failure.sizeMatters("output", "model", size) }
            var otherLayer = others[index]
            for field in ["inputTensor", "outputTensor"] {
                var shapes: [Message] = layers[index][field]
                var otherShapes: [Message] = otherLayer[field]
                for (shapeIndex, (shape, otherShape)) in zip(shapes, otherShapes).enumerated() {
                    let sizes: [Int] = shape.dimValue
                    let loose = zip(sizes, otherShape.dimValue as [Int]).map { $0 == $1 ? $0 : FlexibleSizes.unknown }
                    guard loose.count == sizes.count else { continue }
                    shapes[shapeIndex].dimValue = loose
                    otherShapes[shapeIndex].dimValue = loose
                }
                layers[index][field] = shapes
                otherLayer[field] = otherShapes
            }
            guard layers[index] == otherLayer else {
                throw Failure.sizeMatters(layers[index].name, layers[index].choice ?? "layer", size)
            }
        }
        guard layers.count == others.count else { throw Failure.sizeMatters("output", "model", size) }
        message[kind].layers = layers
        addOutputs(other)
    }

    // MARK: ML Programs

    /// Adds the same program at another size.
    /// - Throws: `Failure` naming an operation that differs in more than the sizes of its outputs.
    mutating func add(_ other: EncodedProgram, to base: EncodedProgram, at size: ImageSize) throws {
        let operations = FlexibleSizes.operations(base.message)
        let others = FlexibleSizes.operations(other.message)
        for (operation, otherOperation) in zip(operations, others) {
            let named: [Message] = operation.outputs
            let otherNamed: [Message] = otherOperation.outputs
            var same = otherOperation
            same.outputs = named
            guard same == operation, named.map({ $0.name as String }) == otherNamed.map({ $0.name as String }) else {
                throw Failure.sizeMatters(named.first?.name ?? "", operation.type, size)
            }
            for (value, otherValue) in zip(named, otherNamed) { try add(value, otherValue, operation.type, size) }
        }
        guard operations.count == others.count, base.weights == other.weights else {
            throw Failure.sizeMatters("output", "model", size)
        }
        for (input, otherInput) in zip(FlexibleSizes.inputs(base.message), FlexibleSizes.inputs(other.message)) {
            try add(input, otherInput, "input", size)
        }
        addOutputs(other.message)
    }

    private mutating func add(_ value: Message, _ other: Message, _ kind: String, _ size: ImageSize) throws {
        let sizes = FlexibleSizes.dimensions(value)
        let others = FlexibleSizes.dimensions(other)
        guard sizes.count == others.count else { throw Failure.sizeMatters(value.name, kind, size) }
        let axes = sizes.indices.filter { sizes[$0] != others[$0] }
        if !axes.isEmpty { open[value.name, default: []].formUnion(axes) }
    }

    private static func dimensions(_ value: Message) -> [Int] {
        (value.type.tensorType.dimensions as [Message]).map { $0.constant.size }
    }

    private static func block(_ message: Message) -> Message {
        let functions: [Message] = message.mlProgram.functions
        let blocks: [Message] = functions[0].value.block_specializations
        return blocks[0]["value"]
    }

    private static func operations(_ message: Message) -> [Message] { block(message).operations }

    private static func inputs(_ message: Message) -> [Message] {
        let functions: [Message] = message.mlProgram.functions
        return functions[0].value.inputs
    }

    /// Leaves the sizes that differ open in a program.
    func loosen(_ message: inout Message) {
        var functions: [Message] = message.mlProgram.functions
        var blocks: [Message] = functions[0].value.block_specializations
        func loosened(_ values: [Message]) -> [Message] {
            values.map { value in
                guard let axes = open[value.name] else { return value }
                var value = value
                var dimensions: [Message] = value.type.tensorType.dimensions
                for axis in axes { dimensions[axis].choose("unknown") }
                value.type.tensorType.dimensions = dimensions
                return value
            }
        }
        functions[0].value.inputs = loosened(functions[0].value.inputs)
        blocks[0].value.operations = (blocks[0].value.operations as [Message]).map { operation in
            var operation = operation
            operation.outputs = loosened(operation.outputs)
            return operation
        }
        functions[0].value.block_specializations = blocks
        message.mlProgram.functions = functions
    }

    // MARK: The description

    /// Adds the possible sizes of the image and the outputs to the description.
    func describe(_ sizes: ImageSizes, in message: inout Message) {
        message.specificationVersion = max(CoreMLVersion.iOS12.rawValue, message.specificationVersion as Int)
        message.description.input = (message.description.input as [Message]).enumerated().map { index, feature in
            var feature = feature
            if index == 0 { feature.type["imageType"].setSizes(sizes) }
            return feature
        }
        message.description.output = (message.description.output as [Message]).enumerated().map { index, feature in
            let found = outputs[index]
            guard found.contains(where: { $0 != found[0] }) else { return feature }
            var feature = feature
            let ranges = found[0].indices.map { axis in
                let sizes = found.map { $0[axis] }
                return sizes.min()!...sizes.max()!
            }
            if feature.type.has("imageType") {
                if case .enumerated = sizes {
                    feature.type["imageType"].setSizes(
                        .enumerated(found.map { ImageSize(width: $0[0], height: $0[1]) }))
                } else {
                    feature.type["imageType"].setSizes(.range(width: ranges[0], height: ranges[1]))
                }
            } else {
                let type = MessageType.model.type(of: "description").type(of: "input").type(of: "type")
                    .type(of: "multiArrayType").type(of: "shapeRange").type(of: "sizeRanges")
                feature.type.multiArrayType.shapeRange.sizeRanges = ranges.map { range in
                    var message = Message(type)
                    message.set(range)
                    return message
                }
            }
            return feature
        }
    }
}

extension Message {
    /// Sets the sizes of an image.
    fileprivate mutating func setSizes(_ sizes: ImageSizes) {
        switch sizes {
        case .fixed: break
        case .enumerated(let sizes):
            let type = messageType.type(of: "enumeratedSizes").type(of: "sizes")
            self.enumeratedSizes.sizes = sizes.unique.map { size in
                var message = Message(type)
                message.width = size.width
                message.height = size.height
                return message
            }
        case .range(let width, let height):
            self["imageSizeRange"]["widthRange"].set(width)
            self["imageSizeRange"]["heightRange"].set(height)
        }
    }

    fileprivate mutating func set(_ range: ClosedRange<Int>) {
        self.lowerBound = range.lowerBound
        self.upperBound = range.upperBound
    }
}

// MARK: Reading

extension ImageSizes {
    /// Reads the sizes of an image's type.
    /// - Throws: `Failure` for invalid sizes, or too many.
    init(_ type: Message, of name: String) throws {
        if type.has("enumeratedSizes") {
            let sizes = (type["enumeratedSizes"].sizes as [Message]).map {
                ImageSize(width: $0.width, height: $0.height)
            }
            guard sizes.allSatisfy({ ImageSizes.isSide($0.width) && ImageSizes.isSide($0.height) }) else {
                throw Failure.imageSizes(name, "\(sizes)")
            }
            // The default size is stored separately from the list.
            let first = ImageSize(width: type.width, height: type.height)
            let all = ([first] + sizes).unique
            guard all.count <= ImageSizes.maximumCount + 1 else {
                throw Failure.imageSizes(name, "\(all.count) of them")
            }
            self = all.count > 1 ? .enumerated(all) : .fixed
        } else if type.has("imageSizeRange") {
            func range(_ field: String) throws -> ClosedRange<Int> {
                let range: Message = type["imageSizeRange"][field]
                // A negative upper bound means none.
                let lower = Swift.max(1, range.lowerBound as Int)
                let above: Int = range.upperBound
                let upper = above < 0 ? ImageSizes.longestSide : Swift.min(above, ImageSizes.longestSide)
                guard lower <= upper else { throw Failure.imageSizes(name, "\(lower) to \(above)") }
                return lower...upper
            }
            self = .range(width: try range("widthRange"), height: try range("heightRange"))
        } else {
            self = .fixed
        }
    }

    private static func isSide(_ side: Int) -> Bool { 1...ImageSizes.longestFixedSide ~= side }
}
