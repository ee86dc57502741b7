import CThaw
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The options for writing a model, from the structure of the header.
private struct SaveOptions {
    private(set) var format: ModelFormat?
    private(set) var target: CoreMLVersion?
    private(set) var weights: WeightStorage?
    private(set) var precision = ProgramPrecision()
    private(set) var mayReplace = true

    /// - Parameter pointer: NULL for the defaults.
    init(_ pointer: UnsafePointer<thaw_save_options>?) throws {
        guard let given = try ThawC.options(pointer, "options") else { return }
        switch try text(given.kind, "options.kind") {
        case nil: break
        case "neuralNetwork": format = .coreML
        case "mlProgram": format = .coreMLPackage
        case let other?: throw Failure.notAChoiceOf("options.kind", other, ["neuralNetwork", "mlProgram"])
        }
        if let name = try text(given.target, "options.target") {
            guard let version = CoreMLVersion(target: name) else {
                throw Failure.notAChoiceOf("options.target", name, CoreMLVersion.allCases.flatMap(\.targets))
            }
            target = version
        }
        if let type: WeightType = try choice(given.weights, "options.weights") {
            guard given.minimum_count >= 0 else { throw Failure.sizeTooLarge("minimum_count", given.minimum_count) }
            let minimum = given.minimum_count == 0 ? 2048 : given.minimum_count
            weights = WeightStorage(type, minimumCount: minimum, includesDepthwise: given.includes_depthwise != 0)
        }
        precision = ProgramPrecision(
            compute: try choice(given.compute_precision, "options.compute_precision"),
            inputs: try choice(given.input_type, "options.input_type") ?? .float32,
            outputs: try choice(given.output_type, "options.output_type") ?? .float32)
        mayReplace = given.keeps_existing == 0
    }

    /// - Throws: `Failure` if a pipeline cannot be written with these options.
    func checkForPipeline() throws {
        guard format == nil, weights == nil, target == nil, precision.isDefault else {
            throw Failure.pipelineTakesNoOptions()
        }
    }

    /// - Throws: `Failure` if the extension of the path is unknown, or is that of a file for an ML Program.
    func check(_ path: String) throws {
        let pathFormat = try ModelFormat(pathToWrite: path)
        if format == .coreMLPackage, pathFormat == .coreML { throw Failure.programNeedsPackage(path) }
    }
}

extension CompressionReport {
    fileprivate var members: [(key: String, value: JSON)] {
        [("compressedLayers", JSON(layerCount)), ("atEightBits", JSON(atEightBits.map(\.name)))]
    }
}

extension WrittenModel {
    fileprivate var json: JSON {
        .object(
            [("byteCount", JSON(bytes)), ("version", JSON(version.rawValue)), ("systems", .string(version.systems))]
                + (compression ?? CompressionReport()).members)
    }
}

@_cdecl("thaw_model_save")
public func saveModel(
    _ model: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<thaw_save_options>?,
    _ report: TextResult?, _ error: HandleResult?
) -> thaw_status {
    report?.pointee = nil
    return call(error) {
        let model: CModel = try object(model, "model")
        let path = try requiredPath(path, "path")
        let options = try SaveOptions(options)
        try options.check(path)
        let written: WrittenModel
        switch model.content {
        case .network(let document):
            written = try document.write(
                toFile: path, as: options.format, weights: options.weights, target: options.target,
                precision: options.precision, mayReplace: options.mayReplace)
        case .pipeline(let document):
            try options.checkForPipeline()
            written = try document.write(toFile: path, mayReplace: options.mayReplace)
        }
        report?.pointee = copied(written.json.text)
    }
}

@_cdecl("thaw_model_serialize")
public func serializeModel(
    _ model: OpaquePointer?, _ options: UnsafePointer<thaw_save_options>?,
    _ content: UnsafeMutablePointer<thaw_buffer>?, _ weights: UnsafeMutablePointer<thaw_buffer>?,
    _ error: HandleResult?
) -> thaw_status {
    content?.pointee = thaw_buffer()
    weights?.pointee = thaw_buffer()
    return call(error) {
        let content = try required(content, "bytes")
        let model: CModel = try object(model, "model")
        let options = try SaveOptions(options)
        let written: (model: [UInt8], weights: [UInt8]?)
        switch model.content {
        case .network(let document):
            written = try document.bytes(
                as: options.format, weights: options.weights, target: options.target, precision: options.precision)
        case .pipeline(let document):
            try options.checkForPipeline()
            written = try weights == nil ? (document.modelBytes(), nil) : document.bytes()
        }
        content.pointee = buffer(written.model)
        if let weights, let bytes = written.weights { weights.pointee = buffer(bytes) }
    }
}

/// A copy of bytes that the caller frees.
private func buffer(_ bytes: [UInt8]) -> thaw_buffer {
    let memory = malloc(max(1, bytes.count))!
    bytes.withUnsafeBytes {
        memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: bytes.count)
    }
    return thaw_buffer(data: memory, count: bytes.count)
}

@_cdecl("thaw_model_compress")
public func compressModel(
    _ model: OpaquePointer?, _ options: UnsafePointer<thaw_save_options>?, _ compressed: HandleResult?,
    _ report: TextResult?, _ error: HandleResult?
) -> thaw_status {
    compressed?.pointee = nil
    report?.pointee = nil
    return call(error) {
        let compressed = try required(compressed, "compressed")
        let model: CModel = try object(model, "model")
        let options = try SaveOptions(options)
        guard let weights = options.weights else { throw Failure.required("options.weights") }
        let result = try model.network("thaw_model_compress").compressed(
            as: options.format, weights: weights, target: options.target, precision: options.precision)
        compressed.pointee = Handles.shared.add(CModel(result.document))
        report?.pointee = copied(JSON.object((result.report ?? CompressionReport()).members).text)
    }
}
