/// The operations of an ML Program that is being written, in order, with its weights and the lowest version that
/// supports them all.
///
///     block.add("relu", node, ["x": .value(node.input)])
///     let square = block.part("mul", node, "square", ["x": .value(node.input), "y": .value(node.input)])
///
/// All floating-point values have the type `float`, integers are int32, Booleans are bool.
struct MILBlock {
    /// The type of floating-point values: float16 or float32.
    var float: ElementType
    /// Their type unless an operation requires another.
    private let defaultFloat: ElementType
    private(set) var operations: [Message] = []
    private(set) var weights = ProgramWeights()
    /// The lowest version that supports all operations so far.
    var version = CoreMLVersion.firstProgram
    /// Whether weights that are multiples of a scale in each output channel are stored as 8-bit integers.
    var quantizesWeights = false
    /// The newest version that is allowed.
    let target: CoreMLVersion?
    private let storage: WeightStorage
    private var names: Set<String> = []
    /// Values that are aliases of earlier ones.
    private var aliases: [String: String] = [:]
    /// Constants that exist already and can be reused.
    private var shared: [SharedConstant: String] = [:]

    private struct SharedConstant: Hashable {
        enum Content: Hashable {
            case immediate([UInt8])
            /// The offset in the weight file, which stores equal tensors once.
            case inFile(Int)
        }

        var type: TensorType?
        var content: Content
    }

    /// Constants with fewer elements are stored in the program itself.
    static let minimumElementsInFile = 10

    init(_ storage: WeightStorage, target: CoreMLVersion? = nil, compute: ComputePrecision? = nil) {
        self.storage = storage
        defaultFloat = compute?.element ?? storage.type.arithmetic
        float = defaultFloat
        self.target = target
        version = max(.firstProgram, target ?? .firstProgram)
    }

    // MARK: Names

    /// A name that is unique in the program, consisting of letters, digits and underscores.
    mutating func unique(_ name: String) -> String { names.insertUnique(featureName(name)) }

    /// The name under which a value is computed.
    func name(_ value: MILValue) -> String { aliases[value.name] ?? value.name }

    /// Declares that a node computes nothing: its output is the same value as its input.
    mutating func alias(_ node: MILNode) { aliases[node.output.name] = name(node.input) }

    // MARK: Versions

    /// Requires a version, and fails if the target system does not support it.
    mutating func require(_ needed: CoreMLVersion, _ what: String) throws {
        if let target, target < needed { throw Failure.targetTooOld("\(what)", needs: needed, target) }
        version = max(version, needed)
    }

    // MARK: Operations

    /// Adds an operation that computes the whole node.
    mutating func add(_ kind: String, _ node: MILNode, _ arguments: KeyValuePairs<String, MILArgument>) {
        add(kind, node.outputs, arguments)
    }

    /// Adds an operation for part of a node and returns its output, which has the type of the node's output by
    /// default.
    mutating func part(
        _ kind: String, _ node: MILNode, _ part: String, shape: Shape? = nil, element: ElementType? = nil,
        _ arguments: KeyValuePairs<String, MILArgument>
    ) -> MILValue {
        let output = node.output
        let value = MILValue(
            name: unique(output.name + "_" + part),
            type: TensorType(shape ?? output.shape, element ?? output.element))
        add(kind, [value], arguments)
        return value
    }

    /// Adds an operation.
    mutating func add(_ kind: String, _ outputs: [MILValue], _ arguments: KeyValuePairs<String, MILArgument>) {
        add(kind, outputs, arguments.map { ($0.key, $0.value) })
    }

    /// Adds an operation with a list of arguments.
    mutating func add(_ kind: String, _ outputs: [MILValue], _ arguments: [(String, MILArgument)]) {
        var operation = Message(.operation)
        operation.type = kind
        operation.inputs = arguments.map { key, argument in
            var entry = Message(.argument)
            entry.key = key
            entry.value.arguments = bindings(argument, name: outputs[0].name + "_" + key)
            return entry
        }
        operation.outputs = outputs.map { Message.named($0.name, .tensorType($0.type)) }
        operation.attributes = [Message.attribute("name", .text(outputs[0].name))]
        operations.append(operation)
    }

    /// Adds the final operation of a classifier. The classes are stored in it directly, not as separate constants.
    /// - Parameter areIntegers: Whether the labels are integers and are written as such.
    mutating func addClassify(
        _ probabilities: MILValue, labels: [String], areIntegers: Bool, label: String, dictionary: String
    ) {
        let key: Message = areIntegers ? .tensorType(TensorType([], .int64)) : .text
        add(
            "classify",
            [MILValue(name: label, type: probabilities.type), MILValue(name: dictionary, type: probabilities.type)],
            ["probabilities": .value(probabilities)])
        var operation = operations.removeLast()
        var classes = Message(.argument)
        classes.key = "classes"
        var binding = Message(.binding)
        binding.value = .list(
            labels.map { areIntegers ? .integer(Int($0)!) : .text($0) }, of: key)
        classes.value.arguments = [binding]
        operation.inputs = (operation.inputs as [Message]) + [classes]
        var names = Message(.valueType)
        names.dictionaryType.keyType = key
        names.dictionaryType.valueType = .tensorType(TensorType([], .float64))
        operation.outputs = [Message.named(label, key), Message.named(dictionary, names)]
        operations.append(operation)
    }

    // MARK: Arguments

    private mutating func bindings(_ argument: MILArgument, name: String) -> [Message] {
        let names: [String]
        switch argument {
        case .value(let value): names = [self.name(value)]
        case .values(let values): names = values.map { self.name($0) }
        case .weights(let tensor, let order) where quantizesWeights:
            names = [quantizedWeights(tensor, name, order) ?? storedWeights(tensor, name, order)]
        // Weights that are compressed later are stored uncompressed first.
        case .weights(let tensor, let order) where storage.compresses(tensor, order: order):
            names = [constant(tensor, name, order)]
        case .weights(let tensor, let order): names = [storedWeights(tensor, name, order)]
        case .constant(let tensor): names = [constant(tensor, name)]
        case .quantized(let tensor): names = [quantized(tensor, name)]
        case .integer(let integer): names = [constant(Tensor(integers: [integer], shape: []), name)]
        case .integers(let integers): names = [constant(Tensor(integers: integers, shape: [integers.count]), name)]
        case .bools(let bools):
            names = [constant(Tensor(shape: [bools.count], element: .bool) { bools[$0] ? 1 : 0 }, name)]
        case .text(let text): names = [self.text(text, name)]
        }
        return names.map { name in
            var binding = Message(.binding)
            binding.name = name
            return binding
        }
    }

    /// The name of weights that are stored in the requested type, whatever type the program computes in.
    private mutating func storedWeights(_ tensor: Tensor, _ name: String, _ order: [Int]?) -> String {
        let stored = storage.type.stored
        guard stored != defaultFloat, float == defaultFloat, tensor.elementCount >= MILBlock.minimumElementsInFile,
            tensor.element.isFloatingPoint, stored == .float32 || !tensor.exceedsFloat16
        else { return constant(tensor, name, order) }
        let type = TensorType(order.map { tensor.shape.permuted($0) } ?? tensor.shape, stored)
        let kind: ProgramWeights.Kind = stored == .float16 ? .float16 : .float32
        let source = inFile(tensor, kind, Message.tensorType(type), order: order)
        let result = unique(name)
        if stored == .float16 {
            // The format can widen constants, but not narrow them.
            version = max(version, .iOS16)
            addConstantExpression(
                "constexpr_cast", result, TensorType(type.shape, float),
                [("source_val", source), ("output_dtype", .text("fp32"))])
        } else {
            let original = unique(name + "_float32")
            addConstant(original, .tensorType(type), source)
            castInto(
                MILValue(name: result, type: TensorType(type.shape, float)), from: MILValue(name: original, type: type))
        }
        return result
    }

    private mutating func text(_ text: String, _ name: String) -> String {
        let key = SharedConstant(type: nil, content: .immediate(Array(text.utf8)))
        if let name = shared[key] { return name }
        let name = unique(name)
        addConstant(name, .text, .text(text))
        shared[key] = name
        return name
    }

    /// The name of a constant with its axes in this order. It is added if it does not exist yet.
    private mutating func constant(_ tensor: Tensor, _ name: String, _ order: [Int]? = nil) -> String {
        let element = stored(tensor.element)
        let type = TensorType(order.map { tensor.shape.permuted($0) } ?? tensor.shape, element)
        let value: Message
        let content: SharedConstant.Content
        if tensor.elementCount >= MILBlock.minimumElementsInFile, element.isFloatingPoint {
            let kind: ProgramWeights.Kind = element == .float16 ? .float16 : .float32
            let offset = weights.append(tensor, as: kind, order: order)
            (value, content) = (.inFile(.tensorType(type), offset: offset), .inFile(offset))
        } else {
            let exact = order.map { tensor.transposed($0) } ?? tensor
            let converted = (element == .float16 ? exact.withoutUnderflow : exact).converted(to: element)
            (value, content) = (.immediate(converted), .immediate(Array(converted.bytes)))
        }
        let key = SharedConstant(type: type, content: content)
        if let name = shared[key] { return name }
        let name = unique(name)
        addConstant(name, .tensorType(type), value)
        shared[key] = name
        return name
    }

    private mutating func quantized(_ tensor: Tensor, _ name: String) -> String {
        let name = unique(name)
        addConstant(name, .tensorType(tensor.type), .immediate(tensor))
        return name
    }

    /// The type in which the program stores elements of a constant.
    private func stored(_ element: ElementType) -> ElementType {
        element.isFloatingPoint ? float : element == .bool ? .bool : .int32
    }

    private mutating func addConstant(_ name: String, _ type: Message, _ value: Message) {
        var operation = Message(.operation)
        operation.type = "const"
        operation.outputs = [Message.named(name, type)]
        operation.attributes = [Message.attribute("name", .text(name)), Message.attribute("val", value)]
        operations.append(operation)
    }

    /// An operation that only computes a constant. Its parts are in its attributes, or from iOS 18 on `bound` as
    /// arguments.
    /// - Parameter reading: An argument that is the result of another such operation, of this name.
    mutating func addConstantExpression(
        _ kind: String, _ name: String, _ type: TensorType, _ parts: [(key: String, value: Message)],
        bound: Bool = false, reading: (key: String, name: String)? = nil
    ) {
        var operation = Message(.operation)
        operation.type = kind
        operation.outputs = [Message.named(name, .tensorType(type))]
        operation.attributes =
            [Message.attribute("name", .text(name))]
            + (bound ? [] : parts.map { Message.attribute($0.key, $0.value) })
        if bound {
            func input(_ key: String, _ fill: (inout Message) -> Void) -> Message {
                var entry = Message(.argument)
                var binding = Message(.binding)
                fill(&binding)
                entry.key = key
                entry.value.arguments = [binding]
                return entry
            }
            var inputs: [Message] = []
            if let reading { inputs.append(input(reading.key) { $0.name = reading.name }) }
            for part in parts { inputs.append(input(part.key) { $0.value = part.value }) }
            operation.inputs = inputs
        }
        operations.append(operation)
    }

    /// A constant in the weight file. Elements of less than 8 bits are already packed.
    mutating func inFile(
        _ tensor: Tensor, _ kind: ProgramWeights.Kind, _ type: Message, elements: Int? = nil, order: [Int]? = nil
    ) -> Message {
        .inFile(type, offset: weights.append(tensor, as: kind, elements: elements, order: order))
    }
}

extension Tensor {
    /// The tensor with the smallest half-precision values in place of those that would become 0: a small constant often
    /// keeps a quotient or a logarithm finite. coremltools does the same.
    fileprivate var withoutUnderflow: Tensor {
        let (smallest, floats) = (Float(0x1p-24), floats)
        guard element == .float32, floats.contains(where: { $0 != 0 && abs($0) <= smallest / 2 }) else { return self }
        return Tensor(
            floats.map { $0 == 0 || abs($0) > smallest / 2 ? $0 : $0 < 0 ? -smallest : smallest }, shape: shape)
    }
}
