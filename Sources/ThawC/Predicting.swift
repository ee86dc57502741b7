import CThaw
import Thaw

@_cdecl("thaw_model_predict")
public func predict(
    _ model: OpaquePointer?, _ inputs: UnsafePointer<thaw_value>?, _ inputCount: Int, _ threads: Int32,
    _ result: HandleResult?, _ error: HandleResult?
) -> thaw_status {
    result?.pointee = nil
    return call(error) {
        let result = try required(result, "result")
        let model: CModel = try object(model, "model")
        let given = try structures(inputs, inputCount, "inputs").enumerated().map { index, value in
            try GivenValue(value, "inputs[\(index)]")
        }
        let outputs = try model.predict(given, threads: threadCount(threads))
        result.pointee = Handles.shared.add(CResult(outputs))
    }
}

/// A value given by the caller.
struct GivenValue {
    enum Content {
        case integer(Int)
        case number(Double)
        case string(String)
        case array(GivenTensor)
        case dictionary([(key: FeatureKey, value: Double)])
        case image(ImageFile)
    }

    let name: String?
    let content: Content

    init(_ value: thaw_value, _ position: String) throws {
        name = try text(value.name, "\(position).name")
        switch Int(value.kind) {
        case Int(THAW_VALUE_INTEGER): content = .integer(Int(value.integer))
        case Int(THAW_VALUE_NUMBER): content = .number(value.number)
        case Int(THAW_VALUE_STRING): content = .string(try requiredText(value.string, "\(position).string"))
        case Int(THAW_VALUE_ARRAY):
            guard let array = value.array else { throw Failure.isNull("\(position).array") }
            let tensor = try checked(array, "\(position).array")
            content = .array(try GivenTensor(tensor, "\(position).array"))
        case Int(THAW_VALUE_DICTIONARY):
            let entries = try array(value.entries, value.entry_count, "\(position).entries").map { entry in
                let key = try text(entry.string, "\(position).entries.string")
                return (key: key.map { FeatureKey.string($0) } ?? .integer(Int(entry.integer)), value: entry.value)
            }
            let strings = entries.count { if case .string = $0.key { true } else { false } }
            guard strings == 0 || strings == entries.count else { throw Failure.mixedKeys("\(position).entries") }
            content = .dictionary(entries)
        case Int(THAW_VALUE_IMAGE): content = .image(try imageFile(value.image, background: nil))
        case let kind: throw Failure.unknownValueKind(position, kind)
        }
    }

    /// Its name in messages.
    private var kind: String {
        switch content {
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .image: "an image"
        }
    }

    /// The value for an input of a pipeline.
    func value(for feature: PipelineFeature) throws -> FeatureValue {
        switch content {
        case .integer(let number): return .integer(number)
        case .number(let number): return .number(number)
        case .string(let text): return .string(text)
        case .array(let tensor): return .multiArray(tensor.tensor.doubles, shape: tensor.shape.dimensions)
        case .dictionary(let entries): return .dictionary(entries)
        case .image(let found):
            let pixels = try found.decoded(DecodingOptions()).pixels
            guard case .image(let image) = feature.type else { return .image(pixels) }
            return .image(pixels.feature(for: image))
        }
    }

    /// The value for an input of a network.
    func value(for feature: ModelFeature) throws -> ModelRunner.Value {
        switch (content, feature.kind) {
        case (.array(let tensor), _): return .tensor(tensor.tensor)
        case (.image(let found), .image(let image)) where !image.isFloat16:
            return .pixels(try found.decoded(DecodingOptions()).pixels.value(for: image))
        default: throw Failure.valueOfNetwork(feature.name, kind)
        }
    }
}

extension Pixels {
    /// The image in one of a model's sizes, grayscale or red, green and blue.
    fileprivate func value(for image: ModelFeature.Image) -> Pixels {
        let colored = converted(to: image.color == .gray ? .gray : .rgb)
        let size = ImageSize(width: width, height: height)
        if image.sizes.contains(size) || (width, height) == (image.width, image.height) { return colored }
        return colored.fitted(width: image.width, height: image.height)
    }
}

extension CModel {
    /// The outputs for these inputs.
    fileprivate func predict(_ given: [GivenValue], threads: Int) throws -> [CValue] {
        switch content {
        case .pipeline(let document):
            let pipeline = try pipeline(document, precision, threads: threads)
            var values: [String: FeatureValue] = [:]
            for value in given {
                let feature = try pipeline.input(named: value.name)
                guard values.updateValue(try value.value(for: feature), forKey: feature.name) == nil else {
                    throw Failure.duplicateValue(forInput: feature.name)
                }
            }
            return try zip(pipeline.run(values), pipeline.outputs).map { output, feature in
                CValue(output.name, output.value, element: feature.element)
            }
        case .network(let document):
            let runner = try runner(document, threads: threads)
            let values = try given.map { value in
                let feature = try runner.input(named: value.name)
                return (name: Optional(feature.name), value: try value.value(for: feature))
            }
            let outputs = try runner.run(values)
            return try CValue.all(outputs, of: runner, document.model.classifier)
        }
    }
}
