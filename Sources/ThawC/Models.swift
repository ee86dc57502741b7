import CThaw
import Thaw

@_cdecl("thaw_model_load")
public func loadModel(_ path: UnsafePointer<CChar>?, _ model: HandleResult?, _ error: HandleResult?) -> thaw_status {
    load(path, function: nil, model, error)
}

@_cdecl("thaw_model_load_function")
public func loadModel(
    _ path: UnsafePointer<CChar>?, _ function: UnsafePointer<CChar>?, _ model: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    load(path, function: function, model, error)
}

private func load(
    _ path: UnsafePointer<CChar>?, function: UnsafePointer<CChar>?, _ model: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    model?.pointee = nil
    return call(error) {
        let model = try required(model, "model")
        let path = try requiredPath(path, "path")
        var options = Converter.Options.independentOfFiles
        options.function = try text(function, "function")
        let isPipeline = try Pipeline.isPipeline(contentsOfFile: path)
        if options.function != nil, try isPipeline || ![.coreML, .coreMLPackage].contains(ModelFormat(of: path)) {
            throw Failure.functionOfOther().inFile(path)
        }
        let content: CModel.Content =
            try isPipeline
            ? .pipeline(PipelineDocument(contentsOfFile: path, mapsFiles: false))
            : .network(ModelDocument(contentsOfFile: path, options: options))
        model.pointee = Handles.shared.add(CModel(content))
    }
}

@_cdecl("thaw_model_load_bytes")
public func loadModel(
    _ content: UnsafeRawPointer?, _ count: Int, _ weights: UnsafeRawPointer?, _ weightCount: Int,
    _ model: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    loadModel(content, count, weights, weightCount, nil, model, error)
}

@_cdecl("thaw_model_load_function_bytes")
public func loadModel(
    _ content: UnsafeRawPointer?, _ count: Int, _ weights: UnsafeRawPointer?, _ weightCount: Int,
    _ function: UnsafePointer<CChar>?, _ model: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    model?.pointee = nil
    return call(error) {
        let model = try required(model, "model")
        let content = try bytes(content, count, "bytes")
        let bytes = try bytes(weights, weightCount, "weights")
        let weights = bytes.isEmpty ? nil : bytes
        let function = try text(function, "function")
        let isPipeline = try Pipeline.isPipeline(decoding: content)
        if isPipeline, function != nil { throw Failure.functionOfOther() }
        let read: CModel.Content =
            try isPipeline
            ? .pipeline(PipelineDocument(decoding: content, weights: weights))
            : .network(ModelDocument(decoding: content, weights: weights, function: function))
        if weights != nil, !read.hasProgram { throw Failure.weightsWithoutProgram() }
        model.pointee = Handles.shared.add(CModel(read))
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

@_cdecl("thaw_model_set_precision")
public func setPrecision(
    _ model: OpaquePointer?, _ precision: UnsafePointer<CChar>?, _ error: HandleResult?
) -> thaw_status {
    call(error) {
        let model: CModel = try object(model, "model")
        model.precision = try choice(precision, "precision") ?? .float32
    }
}

@_cdecl("thaw_precision_note")
public func precisionNote(
    _ precision: UnsafePointer<CChar>?, _ note: TextResult?, _ error: HandleResult?
) -> thaw_status {
    note?.pointee = nil
    return call(error) {
        let note = try required(note, "note")
        let precision: Precision = try choice(precision, "precision") ?? .float32
        note.pointee = precision.note.map { copied("\($0)") }
    }
}

// MARK: Describing

@_cdecl("thaw_model_describe")
public func describeModel(
    _ model: OpaquePointer?, _ json: TextResult?, _ error: HandleResult?
) -> thaw_status {
    json?.pointee = nil
    return call(error) {
        let json = try required(json, "json")
        let model: CModel = try object(model, "model")
        json.pointee = copied(
            try {
                switch model.content {
                case .network(let document): try document.json().text
                case .pipeline(let document): document.json.text
                }
            }())
    }
}

@_cdecl("thaw_inspect")
public func inspect(
    _ path: UnsafePointer<CChar>?, _ tag: UnsafePointer<CChar>?, _ json: TextResult?, _ error: HandleResult?
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
        func keyed(_ make: (String) -> Metadata.Field) throws -> Metadata.Field {
            guard let key else { throw Failure.isNull("key") }
            return make(key)
        }
        func single(_ field: Metadata.Field) throws -> Metadata.Field {
            guard key == nil else { throw Failure.cannotCombine("key", "the field '\(name)'") }
            return field
        }
        let field: Metadata.Field =
            switch name {
            case "shortDescription": try single(.description)
            case "author": try single(.author)
            case "license": try single(.license)
            case "versionString": try single(.version)
            case "userDefined": try keyed { .userDefined($0) }
            case "feature": try keyed { .feature($0) }
            default:
                throw Failure.notAChoiceOf(
                    "field", name,
                    ["shortDescription", "author", "license", "versionString", "userDefined", "feature"])
            }
        try model.set(value, for: field)
    }
}
