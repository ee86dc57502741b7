extension ModelRunner {
    /// - Parameter isDefault: Whether all arrays have their default shapes.
    func output(
        _ feature: ModelFeature, _ model: Model, _ executor: Executor, isDefault: Bool
    ) throws -> Output? {
        let name = featureName(feature.name)
        guard let index = model.graph.outputs.firstIndex(where: { featureName($0.name) == name }) else { return nil }
        switch feature.kind {
        case .label: return nil
        case .probabilities:
            let values = executor.withOutput(at: index) { Array($0.prefix(model.classCount)) }
            return Output(name: feature.name, tensor: Tensor(values, shape: [values.count]))
        case .image(let image):
            guard let form = model.imageOutput?.form else { return nil }
            if image.isFloat16 {
                let values = executor.output(at: index).floats
                let tensor = Tensor(shape: [form.height, form.width], element: .float16) { Double(values[$0]) }
                return Output(name: feature.name, tensor: tensor)
            }
            return Output(name: feature.name, tensor: executor.pixels(index, form, image.color))
        case .multiArray(let shape, let element):
            let tensor = executor.output(at: index)
            let isDescribed = isDefault && Shape(shape).checkedCount == tensor.elementCount
            // For other shapes, the description determines only the number of axes.
            let leading = isDefault || shape.isEmpty ? 0 : max(0, tensor.shape.rank - shape.count)
            let removed = tensor.shape.dimensions.prefix(leading).allSatisfy { $0 == 1 } ? leading : 0
            let shaped = tensor.reshaped(isDescribed ? Shape(shape) : Shape(tensor.shape.dimensions.dropFirst(removed)))
            if shaped.element == element { return Output(name: feature.name, tensor: shaped) }
            return Output(name: feature.name, tensor: Cast(element: element).evaluate([shaped])[0])
        }
    }
}

extension Executor {
    /// An output that holds pixels, rounded to 8 bits: red, green, blue, or gray.
    fileprivate func pixels(_ index: Int, _ form: ImageForm, _ color: ColorLayout) -> Tensor {
        let channels = form.channels
        let count = form.width * form.height * channels
        let storage = Tensor.Storage(byteCount: count) { target in
            withOutput(at: index) { values in
                Pixels.round(
                    UnsafeBufferPointer(rebasing: values[0..<count]), color,
                    to: target.bindMemory(to: UInt8.self).baseAddress!)
            }
        }
        let shape: Shape = channels == 1 ? [form.height, form.width] : [form.height, form.width, channels]
        return Tensor(shape: shape, element: .uint8, storage: storage)
    }
}
