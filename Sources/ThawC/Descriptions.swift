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
            (
                "metadata",
                .object([
                    ("shortDescription", .string(metadata.description)), ("author", .string(metadata.author)),
                    ("license", .string(metadata.license)), ("versionString", .string(metadata.version)),
                    (
                        "userDefined",
                        .object(metadata.userDefined.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
                    ),
                ])
            ),
            ("parameters", JSON(model.graph.parameterCount)),
            ("multiplyAdds", JSON(model.graph.multiplyAdds)),
            ("hasShortWeights", .bool(conversion.hasShortWeights)),
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

extension ModelFeature {
    fileprivate func json(_ metadata: Metadata, isInput: Bool) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("name", .string(name)), ("description", .string(metadata.features[name] ?? text)),
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
