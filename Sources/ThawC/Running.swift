import CThaw
import Thaw

@_cdecl("thaw_model_run")
public func runModel(
    _ model: OpaquePointer?, _ inputs: UnsafePointer<thaw_tensor>?, _ inputCount: Int, _ threads: Int32,
    _ result: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        result.pointee = try run(object(model, "model"), nil, inputs, inputCount, threads)
    }
}

/// The object of a state handle.
final class CState: Sendable {
    let model: CModel
    let state: ModelState

    init(_ model: CModel) throws {
        self.model = model
        guard case .network(let document) = model.content else { throw Failure.cannotRunPipeline() }
        state = try document.model.makeState()
    }
}

@_cdecl("thaw_state_create")
public func createState(_ model: OpaquePointer?, _ state: HandleResult?, _ error: HandleResult?) -> thaw_status {
    state?.pointee = nil
    return call(error) {
        let state = try required(state, "state")
        state.pointee = Handles.shared.add(try CState(object(model, "model")))
    }
}

@_cdecl("thaw_state_free")
public func freeState(_ state: OpaquePointer?) { release(state, as: CState.self) }

@_cdecl("thaw_state_run")
public func runState(
    _ state: OpaquePointer?, _ inputs: UnsafePointer<thaw_tensor>?, _ inputCount: Int, _ threads: Int32,
    _ result: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        let state: CState = try object(state, "state")
        result.pointee = try run(state.model, state.state, inputs, inputCount, threads)
    }
}

@_cdecl("thaw_state_read")
public func readState(
    _ state: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ result: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        let state: CState = try object(state, "state")
        let name = try requiredText(name, "name")
        let tensor = try state.state.existingTensor(named: name)
        result.pointee = Handles.shared.add(
            CResult([ModelRunner.Output(name: name, tensor: tensor)]))
    }
}

@_cdecl("thaw_state_write")
public func writeState(
    _ state: OpaquePointer?, _ value: UnsafePointer<thaw_tensor>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let state: CState = try object(state, "state")
        guard let value else { throw Failure.isNull("value") }
        let tensor = try GivenTensor(checked(value, "value"), "value")
        guard let name = tensor.name else { throw Failure.isNull("value.name") }
        try state.state.setTensor(tensor.tensor, named: name)
    }
}

/// The handle of a run's result.
private func run(
    _ model: CModel, _ state: ModelState?, _ inputs: UnsafePointer<thaw_tensor>?, _ inputCount: Int, _ threads: Int32
) throws -> OpaquePointer {
    let given = try structures(inputs, inputCount, "inputs").enumerated().map { index, tensor in
        try GivenTensor(tensor, "inputs[\(index)]")
    }
    guard case .network(let document) = model.content else { throw Failure.cannotRunPipeline() }
    let runner = try model.runner(document, threads: threadCount(threads))
    let values = try given.map { tensor in
        (name: tensor.name, value: try tensor.value(for: runner.inputs))
    }
    let outputs = try runner.run(values, state: state)
    return Handles.shared.add(CResult(outputs, probabilitiesName: runner.probabilities?.name))
}

extension GivenTensor {
    /// Pixels for an 8-bit image, and a tensor for everything else.
    fileprivate func value(for inputs: [ModelFeature]) throws -> ModelRunner.Value {
        let feature = name == nil && inputs.count == 1 ? inputs[0] : inputs.first { $0.name == name }
        guard case .image(let image)? = feature?.kind, !image.isFloat16, element == .uint8 else {
            return .tensor(tensor)
        }
        let sizes = shape.dimensions
        let channels = sizes.count == 2 ? 1 : sizes.last ?? 0
        guard 2...3 ~= sizes.count, [1, 3, 4].contains(channels), sizes[0] > 0, sizes[1] > 0 else {
            throw Failure(
                .wrongShape, "the image for '\(feature!.name)' has shape \(shape)",
                remedy: "expected [height, width, 3], [height, width, 4] or [height, width]", names: [feature!.name])
        }
        return .pixels(
            try Pixels(copying: bytes, width: sizes[1], height: sizes[0], layout: pixelLayout(channels)))
    }
}

// MARK: Images

/// An image given by the caller.
/// - Parameter background: The color under transparent pixels; nil ignores alpha.
func imageFile(_ pointer: UnsafePointer<thaw_image>?, background: RGBColor?) throws -> ImageFile {
    guard let pointer else { throw Failure.isNull("image") }
    let image = try checked(pointer, "image")
    let path = path(image.path)
    if image.pixels != nil {
        guard image.bytes == nil else { throw Failure.cannotCombine("image.bytes", "image.pixels") }
        return ImageFile(path: path ?? "", pixels: try givenPixels(image, background))
    }
    if image.bytes != nil || image.byte_count != 0 {
        let content = try bytes(image.bytes, image.byte_count, "image.bytes")
        return ImageFile(path: path ?? "", content: Array(content))
    }
    guard let path else { throw Failure.noImageGiven() }
    return ImageFile(path: path)
}

private func givenPixels(_ image: thaw_image, _ background: RGBColor?) throws -> Pixels {
    let (width, height, channels) = (Int(image.width), Int(image.height), Int(image.channels))
    try Pixels.requireSides(width, height)
    guard [1, 3, 4].contains(channels) else { throw Failure.pixelChannels(channels) }
    let length = width * channels
    let stride = image.row_stride == 0 ? length : image.row_stride
    guard stride >= length, !stride.multipliedReportingOverflow(by: height).overflow else {
        throw Failure.rowStride(stride, length)
    }
    let buffer = UnsafeRawBufferPointer(start: image.pixels, count: stride * (height - 1) + length)
    return try Pixels(
        copying: buffer, width: width, height: height, layout: pixelLayout(channels), bytesPerRow: stride,
        background: background)
}

/// The order of pixels with 1, 3 or 4 channels.
private func pixelLayout(_ channels: Int) -> PixelLayout { channels == 1 ? .gray : channels == 3 ? .rgb : .rgba }

extension ModelRunner {
    /// The output with a classifier's probabilities.
    var probabilities: ModelFeature? {
        outputs.first { if case .probabilities = $0.kind { true } else { false } }
    }
}
