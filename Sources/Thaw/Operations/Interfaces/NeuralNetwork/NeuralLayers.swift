/// A tensor between layers of a neural network: its name, and its shape with the batch first and channels before
/// height.
struct NeuralBlob: Sendable {
    var name: String
    var shape: Shape
    /// The element type in the graph; Core ML treats all tensors as float32.
    var element = ElementType.float32
}

/// A node of the graph as it is written: its name, inputs and outputs.
struct NeuralNode: Sendable {
    var name: String
    var inputs: [NeuralBlob]
    var outputs: [NeuralBlob]

    var input: NeuralBlob { inputs[0] }
    var output: NeuralBlob { outputs[0] }
}

/// The layers of a neural network that is being written, in order, and the lowest version that supports them all.
struct NeuralLayers {
    let arrays: NeuralArrays
    private(set) var layers: [Message] = []
    private(set) var version: Int
    /// Names that are aliases of earlier tensors.
    private var aliases: [String: String] = [:]

    init(_ arrays: NeuralArrays) {
        self.arrays = arrays
        version = arrays == .exact ? 4 : 1
    }

    /// The name of a tensor in the layers.
    func name(_ blob: NeuralBlob) -> String { aliases[blob.name] ?? blob.name }

    /// Adds a layer that computes the whole node; `fill` sets its kind and parameters.
    mutating func add(_ node: NeuralNode, _ fill: (inout Message) -> Void) {
        add(node.name, node.inputs, node.outputs, fill)
    }

    /// Adds a layer.
    mutating func add(_ name: String, _ inputs: [NeuralBlob], _ outputs: [NeuralBlob], _ fill: (inout Message) -> Void)
    {
        var layer = layer(name, inputs, outputs)
        fill(&layer)
        layers.append(layer)
    }

    private func layer(_ name: String, _ inputs: [NeuralBlob], _ outputs: [NeuralBlob]) -> Message {
        var layer = Message(.layer)
        layer.name = name
        layer.input = inputs.map { self.name($0) }
        layer.output = outputs.map(\.name)
        return layer
    }

    /// Adds a layer for part of a node and returns its output, which has the shape of the node's output.
    mutating func addPart(
        _ node: NeuralNode, _ part: String, _ inputs: [NeuralBlob], _ fill: (inout Message) -> Void
    ) -> NeuralBlob {
        let blob = NeuralBlob(name: node.output.name + "/" + part, shape: node.output.shape)
        add(node.name + "/" + part, inputs, [blob], fill)
        return blob
    }

    /// Adds a layer that produces a constant. Only exact tensor shapes support this.
    mutating func addConstant(_ value: Tensor, name: String) -> NeuralBlob {
        let blob = NeuralBlob(name: name, shape: value.shape)
        add(name, [], [blob]) { layer in
            layer.loadConstantND.shape = value.shape.rank == 0 ? [1] : value.shape.dimensions
            layer.loadConstantND.data = .weights(value)
        }
        return blob
    }

    /// Declares that a node computes nothing: in these layers its output is the same tensor as its input.
    mutating func alias(_ node: NeuralNode) { aliases[node.output.name] = name(node.input) }

    /// Requires a version. Layers of version 4 and later need exact tensor shapes.
    mutating func requireVersion(_ version: Int) { self.version = max(self.version, version) }

    /// Renames a tensor everywhere. Inputs keep their own names.
    mutating func rename(_ old: String, to new: String) {
        for index in layers.indices {
            layers[index].input = (layers[index].input as [String]).map { $0 == old ? new : $0 }
            layers[index].output = (layers[index].output as [String]).map { $0 == old ? new : $0 }
        }
    }
}

/// An operation that can be written as layers of Core ML neural networks.
protocol NeuralOperation: CoreMLOperation {
    /// Whether a layer computes the operation on tensors that are images with five axes, which all versions support.
    /// Otherwise the tensors of the network have to keep their rank.
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool

    /// Adds the layer that computes the node.
    /// - Precondition: `fitsImages`, if the tensors are images.
    /// - Throws: `Failure` if no layer can express it.
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws
}

extension NeuralOperation {
    func fitsImages(_ inputs: [TensorType], _ output: TensorType) -> Bool { false }
}

extension Message {
    /// Weights as they are stored: in single precision, with their axes in this order.
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
