import CThaw
import Thaw

/// The object of a result handle.
final class CResult: @unchecked Sendable {
    enum Kind {
        case run, prediction, classification, detection
    }

    let kind: Kind
    /// The position of the image in its batch.
    let index: Int
    let path: CText?
    let warning: CText?
    /// The handle of the failure, which is freed with the result.
    let error: OpaquePointer?
    /// One value per class.
    let probabilities: Tensor?
    let outputs: [Output]
    let values: [CValue]
    let objects: CObjects?

    struct Output {
        let name: CText
        let tensor: Tensor
        let shape: UnsafeMutablePointer<Int64>
    }

    /// The outputs of a run.
    /// - Parameter probabilitiesName: The output with one value per class, if the model is a classifier.
    init(_ outputs: [ModelRunner.Output], probabilitiesName: String? = nil) {
        (kind, index, path, warning, error) = (.run, 0, nil, nil, nil)
        (values, objects) = ([], nil)
        probabilities = outputs.first { $0.name == probabilitiesName }?.tensor
        self.outputs = outputs.map { output in
            let sizes = output.tensor.shape.dimensions
            let shape = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, sizes.count))
            for (axis, size) in sizes.enumerated() { (shape + axis).initialize(to: Int64(size)) }
            return Output(name: CText(output.name), tensor: output.tensor, shape: shape)
        }
    }

    /// The outputs of a prediction.
    init(_ values: [CValue]) {
        (kind, index, path, warning, error) = (.prediction, 0, nil, nil, nil)
        (probabilities, outputs, objects) = (nil, [], nil)
        self.values = values
    }

    /// The classification of an image, or the objects in it.
    init<Value: ImageResult>(_ image: String, _ result: Result<Value, Failure>, index: Int = 0) {
        (kind, self.index) = (Value.kind, index)
        path = image.isEmpty ? nil : CText(fileName: image)
        (outputs, values) = ([], [])
        switch result {
        case .success(let value):
            (probabilities, objects, error) = (value.classProbabilities, value.detectedObjects, nil)
            warning = value.warning.map { CText($0.text.forC) }
        case .failure(let failure):
            (probabilities, objects, warning) = (nil, nil, nil)
            error = Handles.shared.add(CError(failure))
        }
    }

    /// Whether it has probabilities, or the reason why there are none.
    var isClassification: Bool { kind == .classification || probabilities != nil }

    deinit {
        for output in outputs { output.shape.deallocate() }
        if let error { _ = Handles.shared.remove(error, CError.self) }
    }
}

/// The result for an image: a classification or a detection.
protocol ImageResult: Sendable {
    static var kind: CResult.Kind { get }
    /// A problem found in the image's file if it could still be read.
    var warning: Note? { get }
    /// One value per class of a classification.
    var classProbabilities: Tensor? { get }
    /// What a detection found.
    var detectedObjects: CObjects? { get }
}

extension Classification: ImageResult {
    static var kind: CResult.Kind { .classification }
    var classProbabilities: Tensor? { Tensor(probabilities, shape: [probabilities.count]) }
    var detectedObjects: CObjects? { nil }
}

extension Detection: ImageResult {
    static var kind: CResult.Kind { .detection }
    var classProbabilities: Tensor? { nil }
    var detectedObjects: CObjects? { CObjects(self) }
}

@_cdecl("thaw_result_free")
public func freeResult(_ result: OpaquePointer?) { release(result, as: CResult.self) }

@_cdecl("thaw_result_classification")
public func resultClassification(
    _ result: OpaquePointer?, _ classification: UnsafeMutablePointer<thaw_classification>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let result: CResult = try object(result, "result")
        let target = try required(classification, "classification")
        var value = try checked(UnsafePointer(target), "classification")
        guard result.isClassification else { throw Failure.noClassification() }
        value.index = result.index
        value.path = result.path?.pointer
        value.warning = result.warning?.pointer
        value.error = result.error
        value.probabilities = result.probabilities?.bytes.baseAddress?.assumingMemoryBound(to: Float.self)
        value.count = result.probabilities?.elementCount ?? 0
        target.pointee = value
    }
}

@_cdecl("thaw_result_top")
public func resultTop(
    _ result: OpaquePointer?, _ count: Int, _ indices: UnsafeMutablePointer<Int>?,
    _ found: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> thaw_status {
    found?.pointee = 0
    return call(error) {
        let found = try required(found, "found")
        let result: CResult = try object(result, "result")
        guard count >= 0 else { throw Failure.sizeTooLarge("count", count) }
        guard result.isClassification else { throw Failure.noClassification() }
        guard count > 0 else { return }
        let indices = try required(indices, "indices")
        let top = result.probabilities.map { Classification.topIndices(of: $0.floats, count: count) } ?? []
        for (position, index) in top.enumerated() { indices[position] = index }
        found.pointee = top.count
    }
}

@_cdecl("thaw_result_output_count")
public func resultOutputCount(_ result: OpaquePointer?) -> Int {
    guard thaw_enter_call() else { return 0 }
    defer { thaw_leave_call() }
    return Handles.shared.find(result, CResult.self)?.outputs.count ?? 0
}

@_cdecl("thaw_result_output")
public func resultOutput(
    _ result: OpaquePointer?, _ index: Int, _ tensor: UnsafeMutablePointer<thaw_tensor>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let result: CResult = try object(result, "result")
        let target = try required(tensor, "tensor")
        var value = try checked(UnsafePointer(target), "tensor")
        guard result.outputs.indices.contains(index) else {
            throw Failure.noSuchOutput(index, result.outputs.count)
        }
        let output = result.outputs[index]
        value.name = output.name.pointer
        value.data = output.tensor.bytes.baseAddress
        value.byte_count = output.tensor.bytes.count
        value.type = output.tensor.element.number
        value.rank = Int32(output.tensor.shape.rank)
        value.shape = UnsafePointer(output.shape)
        target.pointee = value
    }
}

@_cdecl("thaw_result_detection")
public func resultDetection(
    _ result: OpaquePointer?, _ detection: UnsafeMutablePointer<thaw_detection>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let result: CResult = try object(result, "result")
        let target = try required(detection, "detection")
        var value = try checked(UnsafePointer(target), "detection")
        guard result.kind == .detection else { throw Failure.noDetection() }
        value.index = result.index
        value.path = result.path?.pointer
        value.warning = result.warning?.pointer
        value.error = result.error
        (value.width, value.height) = result.objects?.size ?? (0, 0)
        value.objects = result.objects.map { UnsafePointer($0.objects) }
        value.count = result.objects?.count ?? 0
        target.pointee = value
    }
}

@_cdecl("thaw_result_value_count")
public func resultValueCount(_ result: OpaquePointer?) -> Int {
    guard thaw_enter_call() else { return 0 }
    defer { thaw_leave_call() }
    return Handles.shared.find(result, CResult.self)?.values.count ?? 0
}

@_cdecl("thaw_result_value")
public func resultValue(
    _ result: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<thaw_value>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let result: CResult = try object(result, "result")
        let target = try required(value, "value")
        let size = try checked(UnsafePointer(target), "value").size
        guard result.values.indices.contains(index) else { throw Failure.noSuchOutput(index, result.values.count) }
        var record = result.values[index].record
        record.size = size
        target.pointee = record
    }
}
