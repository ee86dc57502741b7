import CThaw
import Thaw

/// The work of a batch: classifying or detecting.
protocol AnyImageBatch: Sendable {
    var window: Int { get }
    func add(_ image: ImageFile) -> ImageAddition
    /// The next result; nil at the end.
    func result(within limit: Duration?) throws -> CResult?
    func cancel()
    func cancelAndWait()
}

extension ImageBatch: AnyImageBatch where Output: ImageResult {
    func result(within limit: Duration?) throws -> CResult? {
        let (index, next) = indexedNext(within: limit)
        switch next {
        case .result(let element): return CResult(element.image.path, element.result, index: index)
        case .end: return nil
        case .canceled: throw Failure.canceledBatch()
        case .timedOut: throw TimedOut()
        }
    }
}

/// The object of a batch handle. It counts as an active call as long as its threads exist.
final class CBatch: @unchecked Sendable {
    let batch: any AnyImageBatch
    let background: RGBColor?
    private let isCounted: Bool

    /// - Parameter start: Starts the work on images, with a number of threads and a window.
    init(
        _ pointer: UnsafePointer<thaw_batch_options>?, background: RGBColor?,
        start: (sending ImageFiles?, Int, Int?) throws -> any AnyImageBatch
    ) throws {
        let given = try options(pointer, "options")
        let paths = try given.map { try array($0.paths, $0.path_count, "options.paths") }
        let names = try paths.map { try $0.enumerated().map { try requiredPath($1, "options.paths[\($0)]") } } ?? []
        let window = Int(given?.window ?? 0)
        guard window >= 0 else { throw Failure.outOfRange("options.window", window) }
        let threads = try threadCount(given?.threads ?? 0)
        self.background = background
        batch = try start(names.isEmpty ? nil : ImageFiles(names), threads, window == 0 ? nil : min(window, 1 << 16))
        isCounted = thaw_enter_call()
    }

    deinit {
        batch.cancelAndWait()
        if isCounted { thaw_leave_call() }
    }
}

@_cdecl("thaw_batch_create")
public func createBatch(
    _ classifier: OpaquePointer?, _ options: UnsafePointer<thaw_batch_options>?, _ batch: HandleResult?,
    _ error: HandleResult?
) -> thaw_status {
    batch?.pointee = nil
    return call(error) {
        let batch = try required(batch, "batch")
        let classifier: CClassifier = try object(classifier, "classifier")
        batch.pointee = Handles.shared.add(
            try CBatch(options, background: classifier.background) { images, threads, window in
                try ClassificationBatch(classifier.classifier, images: images, threads: threads, window: window)
            })
    }
}

@_cdecl("thaw_batch_add")
public func addToBatch(
    _ batch: OpaquePointer?, _ image: UnsafePointer<thaw_image>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let batch: CBatch = try object(batch, "batch")
        switch batch.batch.add(try imageFile(image, background: batch.background)) {
        case .added: break
        case .canceled: throw Failure.canceledBatch()
        case .hasImages: throw Failure.batchOfPaths()
        }
    }
}

@_cdecl("thaw_batch_window")
public func batchWindow(_ batch: OpaquePointer?) -> Int {
    guard thaw_enter_call() else { return 0 }
    defer { thaw_leave_call() }
    return Handles.shared.find(batch, CBatch.self)?.batch.window ?? 0
}

@_cdecl("thaw_batch_next")
public func nextOfBatch(
    _ batch: OpaquePointer?, _ timeout: Int32, _ result: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        let batch: CBatch = try object(batch, "batch")
        let next = try batch.batch.result(within: timeout < 0 ? nil : .milliseconds(timeout))
        result.pointee = next.map { Handles.shared.add($0) }
    }
}

@_cdecl("thaw_batch_cancel")
public func cancelBatch(_ batch: OpaquePointer?) {
    guard thaw_enter_call() else { return }
    defer { thaw_leave_call() }
    Handles.shared.find(batch, CBatch.self)?.batch.cancel()
}

@_cdecl("thaw_batch_free")
public func freeBatch(_ batch: OpaquePointer?) {
    guard thaw_enter_call() else { return }
    defer { thaw_leave_call() }
    guard let found = Handles.shared.remove(batch, CBatch.self) else { return }
    // Another thread may be waiting for a result.
    found.batch.cancelAndWait()
}
