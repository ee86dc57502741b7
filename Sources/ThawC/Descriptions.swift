import Thaw

/// The JSON that describes models and files.
extension ModelDocument {
    func json() throws -> JSON {
        let (inputs, outputs) = try features()
        let metadata = model.metadata
        let kinds: [ModelFormat: String] = [.coreML: "neuralNetwork", .coreMLPackage: "mlProgram"]
        return .object([
            ("kind", .string(format.flatMap { kinds[$0] } ?? "graph")),
            ("version", JSON(version)),
            ("systems", JSON(loadableVersion?.systems)),
            ("inputs", .array(inputs.map { $0.json(metadata, isInput: true) })),
            ("outputs", .array(outputs.map { $0.json(metadata, isInput: false) })),
            ("classifier", classifierJSON),
            ("preprocessing", JSON(model.formulas)),
            ("metadata", metadata.json),
            ("parameters", JSON(model.graph.parameterCount)),
            ("multiplyAdds", JSON(model.graph.multiplyAdds)),
            ("hasShortWeights", .bool(conversion.hasShortWeights)), ("isPackage", .bool(format == .coreMLPackage)),
            ("states", JSON(model.stateNames)), ("stages", .null), ("detector", .null),
            ("notes", .array(conversion.notes.map(\.json))),
            ("warnings", .array(conversion.warnings.map(\.json))),
        ])
    }

    private var classifierJSON: JSON {
        guard let classifier = model.classifier else { return .null }
        return .object([
            ("count", JSON(classifier.labels.count)), ("labels", JSON(classifier.labels)),
            ("hasIntegerLabels", .bool(classifier.hasIntegerLabels)),
            ("predictedFeatureName", .string(classifier.predictedFeature)),
            ("predictedProbabilitiesName", .string(classifier.probabilities)),
            ("areIndependent", .bool(model.labelsAreIndependent)),
        ])
    }
}

extension Metadata {
    fileprivate var json: JSON {
        .object([
            ("shortDescription", .string(description)), ("author", .string(author)), ("license", .string(license)),
            ("versionString", .string(version)),
            ("userDefined", .object(userDefined.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
        ])
    }
}

extension PipelineDocument {
    var json: JSON {
        let metadata = metadata
        let stages = pipeline.stages.map { stage in
            JSON.object([
                ("position", .string(stage.position)), ("kind", .string(stage.kind)), ("inputs", JSON(stage.inputs)),
                ("outputs", JSON(stage.outputs)),
            ])
        }
        return .object([
            ("kind", .string("pipeline")), ("version", JSON(version)), ("systems", JSON(loadableVersion?.systems)),
            ("inputs", .array(pipeline.inputs.map(\.json))),
            ("outputs", .array(pipeline.outputs.map(\.json))),
            ("classifier", pipeline.classifierJSON), ("preprocessing", .array([])), ("metadata", metadata.json),
            ("parameters", JSON(pipeline.parameterCount)), ("multiplyAdds", JSON(pipeline.multiplyAdds)),
            ("hasShortWeights", .bool(false)), ("isPackage", .bool(isPackage)), ("states", .array([])),
            ("stages", .array(stages)),
            ("detector", (try? Detector(pipeline))?.json ?? .null), ("notes", .array([])), ("warnings", .array([])),
        ])
    }
}

extension Pipeline {
    fileprivate var classifierJSON: JSON {
        guard let labels else { return .null }
        return .object([
            ("count", JSON(labels.count)), ("labels", JSON(labels.map(\.description))),
            ("hasIntegerLabels", .bool(labels.first.map { if case .integer = $0 { true } else { false } } ?? false)),
            ("predictedFeatureName", .string(predictedFeature)), ("predictedProbabilitiesName", .string(probabilities)),
            ("areIndependent", .bool(false)),
        ])
    }
}

extension Detector {
    fileprivate var json: JSON {
        .object([
            ("labels", labels.map { JSON($0) } ?? .null), ("confidenceThreshold", .number(confidenceThreshold)),
            ("iouThreshold", .number(iouThreshold)),
        ])
    }
}

extension PipelineFeature {
    fileprivate var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("name", .string(name)), ("description", .string(text)), ("isOptional", .bool(isOptional)),
        ]
        switch type {
        case .integer: members.append(("type", .string("int64")))
        case .number: members.append(("type", .string("double")))
        case .string: members.append(("type", .string("string")))
        case .multiArray(let shape):
            members += [
                ("type", .string("multiArray")), ("shape", shape.map { JSON($0) } ?? .null),
                ("dataType", .string(element.rawValue)), ("shapes", shapes.json),
            ]
        case .dictionary(let hasIntegerKeys):
            members += [
                ("type", .string("dictionary")), ("keyType", .string(hasIntegerKeys ? "int64" : "string")),
            ]
        case .image(let image):
            members += [
                ("type", .string("image")), ("width", JSON(image.width)), ("height", JSON(image.height)),
                ("color", .string(image.color.rawValue)), ("isFloat16", .bool(false)), ("sizes", image.sizes.json),
            ]
        }
        return .object(members)
    }
}

extension ModelFeature {
    fileprivate func json(_ metadata: Metadata, isInput: Bool) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("name", .string(name)), ("description", .string(metadata.features[name] ?? text)),
            ("isOptional", .bool(defaultValue != nil)),
        ]
        switch kind {
        case .image(let image):
            members += [
                ("type", .string("image")), ("width", JSON(image.width)), ("height", JSON(image.height)),
                ("color", .string(image.color.rawValue)), ("isFloat16", .bool(image.isFloat16)),
                ("sizes", image.sizes.json),
            ]
            if isInput, let scaling = image.scaling {
                members += [("scale", JSON(scaling.scale)), ("bias", JSON(scaling.bias))]
            }
        case .multiArray(let shape, let type):
            members += [
                ("type", .string("multiArray")), ("shape", JSON(shape)), ("dataType", .string(type.rawValue)),
                ("shapes", shapes.json),
            ]
        case .probabilities(let hasIntegerLabels):
            members += [
                ("type", .string("dictionary")), ("keyType", .string(hasIntegerLabels ? "int64" : "string")),
            ]
        case .label(let isInteger): members.append(("type", .string(isInteger ? "int64" : "string")))
        }
        return .object(members)
    }
}

extension ArrayShapes {
    fileprivate var json: JSON {
        switch self {
        case .fixed: .null
        case .enumerated(let shapes): .object([("enumerated", .array(shapes.map { JSON($0) }))])
        case .ranges(let ranges):
            .object([
                (
                    "ranges",
                    .array(ranges.map { JSON([$0.lowerBound, $0.upperBound == .max ? -1 : $0.upperBound]) })
                )
            ])
        }
    }
}

extension ImageSizes {
    fileprivate var json: JSON {
        switch self {
        case .fixed: .null
        case .enumerated(let sizes):
            .object([("enumerated", .array(sizes.map { JSON([$0.width, $0.height]) }))])
        case .range(let width, let height):
            .object([
                ("width", JSON([width.lowerBound, width.upperBound])),
                ("height", JSON([height.lowerBound, height.upperBound])),
            ])
        }
    }
}

extension FileContents {
    var json: JSON {
        .object([
            ("format", .string("\(format)")), ("byteCount", JSON(byteCount)), ("version", JSON(version)),
            ("systems", JSON(loadableVersion?.systems)),
            ("parts", .array(parts.map { .object([("kind", .string($0.kind)), ("count", JSON($0.count))]) })),
            (
                "weights",
                .array(
                    weights.map {
                        .object([("type", .string($0.form)), ("count", JSON($0.count)), ("byteCount", JSON($0.bytes))])
                    })
            ),
            ("signatures", JSON(signatures)), ("variableCount", JSON(variableCount)),
            (
                "placeholders",
                .array(placeholders.map { .object([("name", .string($0.name)), ("type", .string($0.type))]) })
            ),
        ])
    }
}
