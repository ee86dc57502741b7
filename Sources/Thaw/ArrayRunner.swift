/// Runs a model on arrays in the form that its graph takes: without the image input's scaling, but with the arithmetic that
/// was lifted out of the graph. Images are in NHWC layout, or in NCHW if the network's own graph takes them so.
package struct ArrayRunner: Sendable {
    private let model: Model
    private let method: Method

    private enum Method {
        /// The reference implementations.
        case reference
        case engine(ExecutorPool)
    }

    /// - Parameters:
    ///   - byReference: Whether to use the reference implementations instead of the engine.
    ///   - precision: The precision that the engine computes in.
    /// - Throws: `Failure` if the engine cannot run the model, or if one of its tensors is too large.
    package init(
        _ model: Model, byReference: Bool = false, precision: Precision = .float32, threads: Int = 1
    ) throws {
        self.model = model
        guard byReference else {
            let program = try Program(model, precision: precision, threads: threads)
            method = .engine(ExecutorPool(program, threads: threads))
            return
        }
        try model.graph.requireComputable()
        method = .reference
    }

    /// Runs the model with a program compiled from its graph.
    init(_ model: Model, program: Program, threads: Int = 1) {
        (self.model, method) = (model, .engine(ExecutorPool(program, threads: threads)))
    }

    private func outputs(of inputs: [Tensor]) throws -> [Tensor] {
        switch method {
        case .reference:
            try model.graph.evaluate(inputs)
        case .engine(let pool):
            try pool.with { executor in
                for (index, input) in inputs.enumerated() { executor.load(input, forInputAt: index) }
                try executor.run()
                return model.graph.outputs.indices.map { executor.output(at: $0) }
            }
        }
    }

    /// The outputs for these inputs, by name. A batch larger than the model's is split into several runs.
    ///
    /// - Parameter arrays: One array per input, of any element type. The name may be omitted if there is only one input.
    /// - Throws: `Failure` for an unknown or missing input, for an array of the wrong shape, and for a value that an integer
    ///   input cannot take.
    package func run(_ arrays: [(name: String?, array: Tensor)]) throws -> [(name: String, array: Tensor)] {
        // States are not inputs of the caller. They begin as zeros, and pass from one run to the next.
        let (states, hidden) = (model.stateInputs, model.stateOutputs)
        let graphIndices = model.graph.inputs.indices.filter { !states.contains($0) }
        let ports = graphIndices.map { model.graph.inputs[$0] }
        let types = ports.map { model.graph[$0.value] }
        let arrays = arrays + defaultArrays(ports, without: arrays)
        let ordered = try Self.inOrder(arrays, ports.map(\.name)) { $0.name }
        let inputs = try ordered.indices.map { index in
            let (type, name) = (types[index], ports[index].name)
            let image = model.image(at: graphIndices[index])
            var array = ordered[index].array
            if let image, image.isChannelsFirst { array = try channelsLast(array, type.shape, name) }
            if let lifted = image?.lifted { array = array.scaled(by: lifted) }
            return try array.converted(to: type.element, forInput: name)
        }
        let counts = try zip(inputs, zip(types, ports)).map { try runCount(for: $0, $1.0, $1.1.name) }
        let count = counts.first ?? 1
        guard counts.allSatisfy({ $0 == count }) else { throw Failure.batchesDiffer(counts) }

        var kept = ModelState(model.states).update { $0 }
        let runs = try (0..<count).map { piece in
            var tensors = zip(inputs, types).map { $0.piece(piece, of: $1) }
            for (state, tensor) in zip(model.states, kept).sorted(on: \.0.input) {
                tensors.insert(tensor, at: state.input)
            }
            let results = try outputs(of: tensors)
            for (index, state) in model.states.enumerated() {
                if let output = state.output { kept[index] = results[output].reshaped(state.type.shape) }
            }
            return results
        }
        return model.graph.outputs.enumerated().filter { !hidden.contains($0.offset) }.map { index, port in
            let parts = runs.map { $0[index] }
            guard count > 1 else { return (port.name, parts[0]) }
            var shape = parts[0].shape.dimensions
            if shape.first == model.batchSize { shape[0] *= count } else { shape.insert(count, at: 0) }
            return (port.name, Tensor(joining: parts, shape: Shape(shape)))
        }
    }

    /// The arrays of optional inputs that are not given.
    private func defaultArrays(
        _ ports: [Graph.Port], without given: [(name: String?, array: Tensor)]
    ) -> [(name: String?, array: Tensor)] {
        // If no array has a name, there is one input.
        let absent = ports.filter { port in !given.contains { ($0.name ?? ports[0].name) == port.name } }
        return absent.compactMap { port in
            model.defaultArray(port.name, model.graph[port.value]).map { (port.name, $0) }
        }
    }

    /// Arranges the given elements, one per input, in the order of the inputs.
    ///
    /// - Parameter name: The name of the input that an element is for; it may be nil if there is only one input.
    /// - Throws: `Failure` for an unknown or missing name, and for an input without an element.
    static func inOrder<Given>(_ given: [Given], _ names: [String], name: (Given) -> String?) throws -> [Given] {
        if let unknown = given.compactMap(name).first(where: { !names.contains($0) }) {
            throw Failure.unknownInput(unknown, names)
        }
        guard given.count <= names.count else { throw Failure.tooManyArrays(given.count, names) }
        if names.count > 1, given.contains(where: { name($0) == nil }) { throw Failure.arrayWithoutName(names) }
        return try names.map { wanted in
            guard let found = given.first(where: { name($0) ?? names[0] == wanted }) else {
                throw Failure.inputMissing(wanted, names)
            }
            return found
        }
    }

    /// Converts an array for a graph that takes NCHW images into the model's NHWC layout. It may already be in either layout;
    /// if both are possible, it is in the graph's.
    /// - Throws: `Failure` for a flat array, which may be in either layout.
    private func channelsLast(_ array: Tensor, _ image: Shape, _ name: String) throws -> Tensor {
        let graphShape = image.permuted(Graph.toFirst)
        let given = array.shape.filter { $0 != 1 }
        func matches(_ shape: Shape) -> Bool {
            let item = shape.dropFirst().filter { $0 != 1 }
            return given == item || Array(given.dropFirst()) == item || given == shape.filter { $0 != 1 }
        }
        let ends = array.shape.suffix(3)
        guard matches(graphShape), ends.elementsEqual(graphShape.dropFirst()) || !matches(image) else {
            // With one channel, either order is the same in memory.
            guard matches(image) || image[3] == 1 else {
                throw Failure.arrayShape(name, array.shape, expected: graphShape)
            }
            return array
        }
        let count = array.elementCount / max(1, graphShape.elementCount / max(1, graphShape[0]))
        let shape = Shape([count] + graphShape.dropFirst())
        guard shape.elementCount == array.elementCount else { return array }
        return array.reshaped(shape).transposed(Graph.toLast)
    }

    /// The number of runs that an array needs.
    private func runCount(for array: Tensor, _ type: TensorType, _ name: String) throws -> Int {
        let size = type.shape.elementCount
        // The batch may be missing or different, an image may be flat, and axes of size 1 make no difference.
        let item = type.shape.dropFirst().filter { $0 != 1 }
        let whole = type.shape.filter { $0 != 1 }
        let given = array.shape.filter { $0 != 1 }
        let itemSize = item.reduce(1, *)
        let fits =
            given == whole || given == item || Array(given.dropFirst()) == item || given == [itemSize]
            || Array(given.dropFirst()) == [itemSize] || Array(given.dropFirst()) == whole
        guard fits, size > 0, array.elementCount % size == 0, array.elementCount > 0 else {
            throw Failure.arrayShape(name, array.shape, expected: type.shape)
        }
        return array.elementCount / size
    }
}

extension Tensor {
    /// The elements as an input of the model takes them: rounded to floating point, or truncated to integers.
    /// - Throws: `Failure` for a value that the integers cannot represent.
    func converted(to element: ElementType, forInput name: String) throws -> Tensor {
        guard self.element != element else { return self }
        if let bounds = element.bounds, let value = doubles.first(where: { !bounds.contains($0.rounded(.towardZero)) })
        {
            throw Failure.inputValue(name, value, element)
        }
        return Cast(element: element).evaluate([self])[0]
    }

    /// float32 pixels with the arithmetic per channel that was lifted out of the graph.
    fileprivate func scaled(by lifted: PixelScaling) -> Tensor {
        let (scale, bias) = (lifted.scale.map { Float($0) }, lifted.bias.map { Float($0) })
        let values = floats
        return Tensor(
            values.indices.map { values[$0] * scale[$0 % scale.count] + bias[$0 % bias.count] }, shape: shape)
    }

    /// One of the consecutive parts of this type that a larger tensor consists of.
    fileprivate func piece(_ index: Int, of type: TensorType) -> Tensor {
        let size = type.shape.elementCount * type.element.size
        guard storage.byteCount > size else { return reshaped(type.shape) }
        return withUnsafeBytes {
            Tensor(
                copying: .init(rebasing: $0[(index * size)..<(index + 1) * size]), shape: type.shape, element: element)
        }
    }

    /// The elements of tensors of the same type, one after the other.
    fileprivate init(joining parts: [Tensor], shape: Shape) {
        let bytes = parts.flatMap { part in part.withUnsafeBytes { Array($0) } }
        self = bytes.withUnsafeBytes { Tensor(copying: $0, shape: shape, element: parts[0].element) }
    }
}
