import CThaw
import Thaw

/// What the handle of a model refers to.
final class CModel: @unchecked Sendable {
    private var current: ModelDocument
    private var runners: [(threads: Int, runner: ModelRunner)] = []
    /// The labels as the header returns them; the model's own never change.
    private let labelTexts: [CText]
    private let labelPointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    /// Guards `current`.
    private let lock = Lock()
    /// Guards `runners`. It is held while a program is compiled.
    private let runnerLock = Lock()

    init(_ document: ModelDocument) {
        current = document
        labelTexts = (document.model.classifier?.labels ?? []).map { CText($0) }
        labelPointers = .allocate(capacity: max(1, labelTexts.count))
        for (index, text) in labelTexts.enumerated() { (labelPointers + index).initialize(to: text.pointer) }
    }

    deinit { labelPointers.deallocate() }

    var document: ModelDocument { lock.withLock { current } }

    func change(_ body: (inout ModelDocument) throws -> Void) throws { try lock.withLock { try body(&current) } }

    var labels: (pointer: UnsafeMutablePointer<UnsafePointer<CChar>?>, count: Int) { (labelPointers, labelTexts.count) }

    /// The runner for this number of threads. Those of the last two numbers are kept.
    func runner(threads: Int) throws -> ModelRunner {
        try runnerLock.withLock {
            if let found = runners.first(where: { $0.threads == threads }) { return found.runner }
            let runner = try ModelRunner(document, threads: threads)
            runners = runners.suffix(1) + [(threads, runner)]
            return runner
        }
    }
}

@_cdecl("thaw_model_load")
public func loadModel(_ path: UnsafePointer<CChar>?, _ model: HandleResult?, _ error: HandleResult?) -> thaw_status {
    model?.pointee = nil
    return call(error) {
        let model = try required(model, "model")
        let document = try ModelDocument(contentsOfFile: requiredPath(path, "path"))
        model.pointee = Handles.shared.add(CModel(document))
    }
}

@_cdecl("thaw_model_load_bytes")
public func loadModel(
    _ content: UnsafeRawPointer?, _ count: Int, _ weights: UnsafeRawPointer?, _ weightCount: Int,
    _ model: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    model?.pointee = nil
    return call(error) {
        let model = try required(model, "model")
        let content = try bytes(content, count, "bytes")
        let weights = try bytes(weights, weightCount, "weights")
        let document = try ModelDocument(decoding: content, weights: weights.isEmpty ? nil : weights)
        model.pointee = Handles.shared.add(CModel(document))
    }
}

@_cdecl("thaw_model_free")
public func freeModel(_ model: OpaquePointer?) { release(model, as: CModel.self) }

@_cdecl("thaw_convert")
public func convert(
    _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<thaw_convert_options>?, _ model: HandleResult?,
    _ error: HandleResult?
) -> thaw_status {
    model?.pointee = nil
    return call(error) {
        let model = try required(model, "model")
        let path = try requiredPath(path, "path")
        let given = try ConvertOptions(options)
        let conversion = try Converter(given.options).convert(contentsOfFile: path, labels: given.labels)
        model.pointee = Handles.shared.add(CModel(ModelDocument(conversion)))
    }
}

@_cdecl("thaw_convert_bytes")
public func convert(
    _ graph: UnsafeRawPointer?, _ count: Int, _ variables: UnsafePointer<thaw_tensor>?, _ variableCount: Int,
    _ options: UnsafePointer<thaw_convert_options>?, _ model: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    model?.pointee = nil
    return call(error) {
        let model = try required(model, "model")
        let graph = try bytes(graph, count, "graph")
        var values: [String: Tensor] = [:]
        for (index, variable) in try structures(variables, variableCount, "variables").enumerated() {
            let tensor = try GivenTensor(variable, "variables[\(index)]")
            guard let name = tensor.name else { throw Failure.isNull("variables[\(index)].name") }
            values[name] = tensor.tensor
        }
        let given = try ConvertOptions(options)
        let conversion = try Converter(given.options).convert(
            decoding: graph, variables: values, labels: given.labels)
        model.pointee = Handles.shared.add(CModel(ModelDocument(conversion)))
    }
}

// MARK: Describing

@_cdecl("thaw_model_describe")
public func describeModel(
    _ model: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ error: HandleResult?
) -> thaw_status {
    json?.pointee = nil
    return call(error) {
        let json = try required(json, "json")
        let model: CModel = try object(model, "model")
        json.pointee = copied(try model.document.json().text)
    }
}

@_cdecl("thaw_inspect")
public func inspect(
    _ path: UnsafePointer<CChar>?, _ tag: UnsafePointer<CChar>?,
    _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ error: HandleResult?
) -> thaw_status {
    json?.pointee = nil
    return call(error) {
        let json = try required(json, "json")
        let contents = try FileContents(contentsOfFile: requiredPath(path, "path"), tag: text(tag, "tag"))
        json.pointee = copied(contents.json.text)
    }
}

@_cdecl("thaw_model_labels")
public func modelLabels(
    _ model: OpaquePointer?, _ labels: UnsafeMutablePointer<UnsafePointer<UnsafePointer<CChar>?>?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: HandleResult?
) -> thaw_status {
    labels?.pointee = nil
    count?.pointee = 0
    return call(error) {
        let (labels, count) = (try required(labels, "labels"), try required(count, "count"))
        let model: CModel = try object(model, "model")
        (labels.pointee, count.pointee) = (UnsafePointer(model.labels.pointer), model.labels.count)
    }
}

@_cdecl("thaw_model_set_metadata")
public func setMetadata(
    _ model: OpaquePointer?, _ field: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let model: CModel = try object(model, "model")
        let name = try requiredText(field, "field")
        let key = try text(key, "key")
        let value = try text(value, "value")
        func keyed(_ make: (String) -> MetadataField) throws -> MetadataField {
            guard let key else { throw Failure.isNull("key") }
            return make(key)
        }
        let field: MetadataField =
            switch name {
            case "shortDescription": .description
            case "author": .author
            case "license": .license
            case "versionString": .version
            case "userDefined": try keyed { .userDefined($0) }
            case "feature": try keyed { .feature($0) }
            default:
                throw Failure.notAChoiceOf(
                    "field", name,
                    ["shortDescription", "author", "license", "versionString", "userDefined", "feature"])
            }
        try model.change { try $0.set(value, for: field) }
    }
}
