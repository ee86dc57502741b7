/// Computes a model's outputs as Core ML does: images are pixels, and multi-arrays have the shapes of the description.
///
///     let runner = try ModelRunner(ModelDocument(contentsOfFile: "Net.mlmodel"))
///     let outputs = try runner.run([(nil, .pixels(Pixels(contentsOfFile: "cat.png")))])
///
/// A runner may be used from several threads at once.
public final class ModelRunner: Sendable {
    /// A value for an input.
    public enum Value: Sendable {
        /// An image of one of the model's sizes, with one channel for a gray image, and three otherwise.
        case pixels(Pixels)
        /// A multi-array, or a grayscale image of 16 bits: height, width.
        case tensor(Tensor)
    }

    /// An output: for an image, of 8-bit pixels of shape height, width, 3, or height, width.
    public struct Output: Sendable {
        /// The name of the output.
        public var name: String
        /// Its value.
        public var tensor: Tensor

        package init(name: String, tensor: Tensor) { (self.name, self.tensor) = (name, tensor) }
    }

    /// The inputs, in order.
    public let inputs: [ModelFeature]
    /// The outputs, in order.
    public let outputs: [ModelFeature]
    private let model: Model
    /// The precision that the network is computed in.
    let precision: Precision
    private let threads: Int
    /// The compiled models of the last sizes and shapes.
    private let compiledModels = RecentValues<InputShapes, CompiledModel>(limit: 4)

    /// Compiles a model.
    /// - Parameters:
    ///   - precision: The precision that the network is computed in.
    ///   - threads: The threads that share the work of a run.
    /// - Throws: `Failure` if the engine cannot run the model, or if `threads` is less than 1.
    public convenience init(
        _ document: ModelDocument, precision: Precision = .float32, threads: Int = 1
    ) throws {
        try self.init(document.model, document.features(), precision: precision, threads: threads)
    }

    /// - Parameter features: The model's inputs and outputs.
    init(
        _ model: Model, _ features: (inputs: [ModelFeature], outputs: [ModelFeature]), precision: Precision,
        threads: Int
    ) throws {
        (inputs, outputs) = features
        (self.model, self.precision, self.threads) = (model, precision, threads)
        _ = try compiledModel(for: model.image?.size)
    }

    /// The outputs for these inputs, in the order of the description; a classifier's label is not among them.
    ///
    /// - Parameters:
    ///   - values: One for each input that is not optional; the name may be omitted if there is only one.
    ///   - state: The state of a stateful model, made by `makeState`.
    /// - Throws: `Failure` for an unknown or missing input, and for a value that does not fit.
    public func run(_ values: [(name: String?, value: Value)], state: ModelState? = nil) throws -> [Output] {
        let bindings = try inOrder(values)
        try checkState(state)
        let size = try imageSize(of: bindings)
        let shapes = flexibleShapes(bindings)
        let compiled = try compiledModel(for: size, shapes)
        let tensors = try bindings.map { try tensor(for: $0, compiled.model.graph) }
        return try compiled.pool.with { executor in
            guard let state else {
                return try run(bindings, tensors, compiled.model, executor, isDefault: shapes.isEmpty)
            }
            return try state.update { states in
                for (state, tensor) in zip(model.states, states) { executor.load(tensor, forInputAt: state.input) }
                let results = try run(bindings, tensors, compiled.model, executor, isDefault: shapes.isEmpty)
                for (index, state) in model.states.enumerated() {
                    guard let output = state.output else { continue }
                    states[index] = executor.output(at: output).reshaped(state.type.shape)
                }
                return results
            }
        }
    }

    private func checkState(_ state: ModelState?) throws {
        if let state {
            guard state.belongs(to: model.states) else { throw Failure.otherState() }
        } else if model.isStateful {
            throw Failure.noState(model.states.map(\.name))
        }
    }

    /// - Parameters:
    ///   - tensors: The tensors that the graph takes, one per binding; nil for pixels.
    ///   - isDefault: Whether all arrays have their default shapes.
    private func run(
        _ bindings: [Binding], _ tensors: [Tensor?], _ model: Model, _ executor: Executor, isDefault: Bool
    ) throws -> [Output] {
        for (binding, tensor) in zip(bindings, tensors) {
            if let tensor {
                executor.load(tensor, forInputAt: binding.index)
            } else if case .pixels(let pixels) = binding.value, let image = model.image(at: binding.index) {
                load(pixels, image, into: executor, binding.index)
            } else {
                preconditionFailure("the value for '\(binding.feature.name)' is neither")
            }
        }
        try executor.run()
        return try outputs.compactMap { try output($0, model, executor, isDefault: isDefault) }
    }

    /// The initial state of the model, for a new sequence of runs.
    /// - Throws: `Failure` for a model without a state.
    public func makeState() throws -> ModelState { try model.makeState() }

    // MARK: Inputs

    /// The value of an input, and the input's index in the graph.
    private struct Binding {
        let index: Int
        let feature: ModelFeature
        let value: Value
    }

    /// The input of this name, or the only one if there is no name.
    /// - Throws: `Failure` if there is no such input.
    package func input(named name: String?) throws -> ModelFeature {
        let names = inputs.map(\.name)
        guard let name = name ?? (names.count == 1 ? names[0] : nil) else { throw Failure.valueWithoutName(names) }
        let known = names.contains(name) ? name : featureName(name)
        guard let input = inputs.first(where: { $0.name == known }) else { throw Failure.unknownInput(name, names) }
        return input
    }

    /// The features and values in the order of the graph's inputs.
    private func inOrder(_ values: [(name: String?, value: Value)]) throws -> [Binding] {
        var given: [String: Value] = [:]
        for (name, value) in values {
            let known = try input(named: name).name
            guard given.updateValue(value, forKey: known) == nil else {
                throw Failure.duplicateValue(forInput: name ?? known)
            }
        }
        let states = model.stateInputs
        return try model.graph.inputs.enumerated().filter { !states.contains($0.offset) }.map { index, port in
            let name = featureName(port.name)
            guard let feature = inputs.first(where: { featureName($0.name) == name }) else {
                throw Failure.inputMissing(port.name)
            }
            if let value = given[feature.name] { return Binding(index: index, feature: feature, value: value) }
            let type = model.graph[port.value]
            guard let defaultValue = feature.defaultValue, case .multiArray(let shape, _) = feature.kind else {
                throw Failure.inputMissing(feature.name)
            }
            let tensor = Tensor(shape: Shape(shape), element: type.element) { _ in defaultValue }
            return Binding(index: index, feature: feature, value: .tensor(tensor))
        }
    }

    /// The shapes of flexible arrays that do not have their default shape.
    private func flexibleShapes(_ bindings: [Binding]) -> [String: [Int]] {
        var shapes: [String: [Int]] = [:]
        for binding in bindings {
            guard case .multiArray(let defaultShape, _) = binding.feature.kind, case .tensor(let tensor) = binding.value
            else { continue }
            let given = tensor.shape.dimensions
            if given != defaultShape, binding.feature.shapes.contains(given) {
                shapes[model.graph.inputs[binding.index].name] = given
            }
        }
        return shapes
    }

    /// The size of the image that is the first input; nil if that is no image.
    /// - Throws: `Failure` if an image does not have one of the possible sizes, or the required channels and type.
    private func imageSize(of bindings: [Binding]) throws -> ImageSize? {
        var size: ImageSize?
        for binding in bindings {
            guard case .image(let image) = binding.feature.kind else { continue }
            let given = try Self.size(of: binding.value, as: image, binding.feature.name)
            if binding.index == 0 { size = given }
            let isDefault = given.width == image.width && given.height == image.height
            guard isDefault || image.sizes.contains(given) else {
                throw Failure.imageSize(binding.feature.name, given, image)
            }
        }
        return size
    }

    /// The size of an image.
    /// - Throws: `Failure` if it is not an image of the required channels and type.
    private static func size(of value: Value, as image: ModelFeature.Image, _ name: String) throws -> ImageSize {
        switch value {
        case .pixels(let pixels) where !image.isFloat16 && pixels.channels == image.color.channels:
            return ImageSize(width: pixels.width, height: pixels.height)
        case .tensor(let tensor) where image.isFloat16 && tensor.element.isFloatingPoint && tensor.shape.rank == 2:
            return ImageSize(width: tensor.shape[1], height: tensor.shape[0])
        default: throw Failure.imageExpected(name, image)
        }
    }

    /// The tensor that the graph takes; nil for pixels.
    private func tensor(for binding: Binding, _ graph: Graph) throws -> Tensor? {
        let feature = binding.feature
        guard case .tensor(let tensor) = binding.value else {
            guard case .image = feature.kind else { throw Failure.multiArrayExpected(feature.name) }
            return nil
        }
        let type = graph[graph.inputs[binding.index].value]
        switch feature.kind {
        case .multiArray(let shape, _):
            let given = tensor.shape.dimensions
            let isShape = given == shape || [1] + given == shape || given == [1] + shape
            guard isShape || feature.shapes.contains(given), tensor.elementCount == type.shape.elementCount else {
                throw Failure.multiArrayShape(feature.name, given, shape, feature.shapes)
            }
            return try tensor.reshaped(type.shape).converted(to: type.element, forInput: feature.name)
        case .image(let image):
            let scale = Float(image.scaling?.scale[0] ?? 1)
            let bias = Float(image.scaling?.bias[0] ?? 0)
            return Tensor(shape: [1, tensor.shape[0], tensor.shape[1], 1]) { target in
                tensor.withFloats { floats in
                    for i in floats.indices { target[i] = scale * floats[i] + bias }
                }
            }
        default: throw Failure.multiArrayExpected(feature.name)
        }
    }

    private func load(_ pixels: Pixels, _ input: ImageInput, into executor: Executor, _ index: Int) {
        let ordered = pixels.converted(to: input.color)
        for image in 0..<model.batchSize {
            ordered.bytes.withUnsafeBufferPointer {
                executor.load(pixels: $0, input.scaling, forInputAt: index, image: image)
            }
        }
    }

    // MARK: Sizes

    private struct CompiledModel: Sendable {
        let model: Model
        let pool: ExecutorPool
    }

    /// What a model is compiled for: nil and no shapes for the model's defaults.
    private struct InputShapes: Equatable {
        let size: ImageSize?
        let shapes: [String: [Int]]
    }

    /// The model compiled for images of this size, and for arrays of these shapes if they are not the defaults.
    private func compiledModel(for size: ImageSize?, _ shapes: [String: [Int]] = [:]) throws -> CompiledModel {
        try compiledModels.value(for: InputShapes(size: size, shapes: shapes)) {
            var model = self.model
            if !shapes.isEmpty, let reshaper = model.reshaper {
                let isDefault = model.image?.size == size
                model = try reshaper.model(at: shapes, isDefault ? nil : size)
            } else if let size {
                try model.setImageSize(size)
            }
            let (prepared, precision) = try model.prepared(for: precision)
            let program = try Program(prepared.graphOfPixels(), precision: precision, threads: threads)
            return CompiledModel(model: model, pool: ExecutorPool(program, threads: threads))
        }
    }
}
