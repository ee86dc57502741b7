/// A constant tensor, for operations that read it as an input rather than as a field.
struct Constant: Operation {
    var value: Tensor

    init(_ value: Tensor) { self.value = value }

    var kind: String { "Constant" }
    var weights: [Tensor] { [value] }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { [value.type] }
    func evaluate(_ inputs: [Tensor]) -> [Tensor] { [value] }
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        Reordered(self, inputs: [], outputs: [Array(0..<value.shape.rank)])
    }
}

// MARK: Facts

extension Constant {
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        preconditionFailure("a constant has no inputs")
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Constant", [Words.sizes(value.shape)])
    }
}

// MARK: Neural network

extension Constant: NeuralOperation {
    func write(_ node: NeuralNode, to layers: inout NeuralLayers) throws {
        layers.add(node) { layer in
            layer.loadConstantND.shape = value.shape.rank == 0 ? [1] : value.shape.dimensions
            layer.loadConstantND.data = .weights(value)
        }
    }
}

extension Constant {
    static let neural = [
        NeuralRule("loadConstantND", "loadConstant") { layer, _ in
            var shape = Shape(layer.parameters.shape as [Int])
            let value = try layer.weights(layer.parameters.data, shape)
            // The older layer specifies channel, height and width.
            if layer.kind == "loadConstant" { shape = Shape([1] + shape.dimensions) }
            return [.constant(value.reshaped(shape))]
        },
        NeuralRule("copy") { layer, _ in [try layer.input()] },
    ]
}

// MARK: ML Program

extension Constant: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        block.add("identity", node, ["x": .constant(value)])
    }
}
