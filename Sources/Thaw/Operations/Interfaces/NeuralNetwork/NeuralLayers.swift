/// How the arrays of a Core ML neural network are shaped.
enum NeuralArrays: Sendable {
    /// Every array is an image of five axes: sequence, batch, channel, height, width. All versions know this.
    case images
    /// Arrays have the axes that they have. From version 4 on.
    case exact
}

/// An array between layers of a neural network: its name, and its shape with the batch in front, channels before height.
struct NeuralBlob: Sendable {
    var name: String
    var shape: Shape
    /// What the graph holds there; to Core ML all are float32.
    var element = ElementType.float32
}

/// A node of the graph as it is written: its name, what it reads and what it computes.
struct NeuralNode: Sendable {
    var name: String
    var inputs: [NeuralBlob]
    var outputs: [NeuralBlob]

    var input: NeuralBlob { inputs[0] }
    var output: NeuralBlob { outputs[0] }
}

/// The layers of a neural network being written, in order, and the lowest version that knows them all.
struct NeuralLayers {
    let arrays: NeuralArrays
    /// The oldest system that must load them; nil where the leanest layers will do.
    let target: CoreMLVersion?
    private(set) var layers: [Message] = []
    private(set) var version: Int
    /// Names that are other names for an array that was there before.
    private var aliases: [String: String] = [:]

    /// Arrays of neural networks have no more axes.
    static let mostAxes = 5

    /// Thrown by an operation that no layer computes on images of five axes.
    struct NeedsExactArrays: Error {}

    init(_ arrays: NeuralArrays, target: CoreMLVersion? = nil) {
        (self.arrays, self.target) = (arrays, target)
        version = arrays == .exact ? 4 : 1
    }

    /// The name that an array has in the layers.
    func name(_ blob: NeuralBlob) -> String { aliases[blob.name] ?? blob.name }

    /// Adds a layer that computes all of a node; `fill` sets its kind and parameters.
    mutating func add(_ node: NeuralNode, _ fill: (inout Message) -> Void) {
        add(node.name, node.inputs, node.outputs, fill)
    }

    /// Adds a layer.
    mutating func add(_ name: String, _ inputs: [NeuralBlob], _ outputs: [NeuralBlob], _ fill: (inout Message) -> Void)
    {
        var layer = Message(.layer)
        layer.name = name
        layer.input = inputs.map { self.name($0) }
        layer.output = outputs.map(\.name)
        fill(&layer)
        layers.append(layer)
    }

    /// Adds a layer for a part of a node, and returns what it computes: an array like the node's output.
    mutating func addPart(
        _ node: NeuralNode, _ part: String, _ inputs: [NeuralBlob], _ fill: (inout Message) -> Void
    ) -> NeuralBlob {
        let blob = NeuralBlob(name: node.output.name + "/" + part, shape: node.output.shape)
        add(node.name + "/" + part, inputs, [blob], fill)
        return blob
    }

    /// Adds a layer that gives an array that is known. Only exact arrays have such.
    mutating func addConstant(_ value: Tensor, name: String) -> NeuralBlob {
        let blob = NeuralBlob(name: name, shape: value.shape)
        add(name, [], [blob]) { layer in
            layer.loadConstantND.shape = value.shape.rank == 0 ? [1] : value.shape.dimensions
            layer.loadConstantND.data = .weights(value)
        }
        return blob
    }

    /// Says that a node computes nothing: in these layers its output is the same array as its input.
    mutating func alias(_ node: NeuralNode) { aliases[node.output.name] = name(node.input) }

    /// Goes on only with exact arrays.
    func requireExactArrays() throws { if arrays == .images { throw NeedsExactArrays() } }

    /// Goes on with layers that only this version and later ones know; those of the fourth want exact arrays.
    mutating func requireVersion(_ version: Int) throws {
        if version >= 4 { try requireExactArrays() }
        self.version = max(self.version, version)
    }

    /// Gives an array another name wherever it stands. What is an input keeps its own.
    mutating func rename(_ old: String, to new: String) {
        for index in layers.indices {
            layers[index].input = (layers[index].input as [String]).map { $0 == old ? new : $0 }
            layers[index].output = (layers[index].output as [String]).map { $0 == old ? new : $0 }
        }
    }
}

/// An operation that Core ML's neural networks have layers for.
protocol NeuralOperation: Operation {
    /// Adds the layers that compute the node.
    /// - Throws: `NeuralLayers.NeedsExactArrays` where only exact arrays will do, `Failure` where no layer will.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws
}

extension NeuralLayers {
    /// Adds the layers of operations that one behind the other compute a node.
    mutating func addSteps(_ steps: [any Operation], _ node: NeuralNode) throws {
        var blob = node.input
        for (index, step) in steps.enumerated() {
            guard let operation = step as? any NeuralOperation else {
                throw Failure.cannotWriteOperation(node.name, step.kind)
            }
            let isLast = index == steps.count - 1
            let shape = try step.outputTypes([TensorType(blob.shape)])[0].shape
            guard shape.rank <= NeuralLayers.mostAxes else {
                throw Failure.tooManyAxes(node.name, step.kind, shape.rank)
            }
            let result = isLast ? node.output : NeuralBlob(name: "\(node.output.name)/step\(index)", shape: shape)
            let name = isLast ? node.name : "\(node.name)/step\(index)"
            try operation.write(NeuralNode(name: name, inputs: [blob], outputs: [result]), to: &self)
            blob = result
        }
    }
}

extension Message {
    /// Weights as they are stored: in single precision, their axes in this order.
    static func weights(_ tensor: Tensor, order: [Int]? = nil) -> Message {
        var message = Message(.weights)
        message.floatValue = tensor.pending(order, as: .float32)
        return message
    }
}

extension Tensor {
    /// The bytes of the tensor, kept alive by the view.
    var view: ByteView { ByteView(viewing: bytes, of: storage) }
}
