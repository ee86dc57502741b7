import Thaw

/// `thaw run` for a pipeline: its outputs for each row of inputs.
func runPipeline(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    let inputs = Array(arguments.positional.dropFirst())
    for option in [Options.reference as any AnyOption, Options.layout, Options.labels, Options.function]
        + OptionGroups.graphInput
    where arguments.isGiven(option) {
        throw Failure.networkOption(option.spelling).inFile(path)
    }
    let target = arguments[Options.arrays]
    if let target { try arguments.requireNoInput(at: target) }
    let pipeline = try Pipeline(
        contentsOfFile: path, precision: arguments[Options.precision], threads: arguments.threads)
    console.report(arguments[Options.precision])
    let destination = try Destination(target, pipeline)
    let results: [OutputRow]
    if inputs.count == 1, inputs[0].hasSuffix(".jsonl") {
        let rows = try pipeline.rows(inFile: inputs[0])
        results = try rows.map { row in
            do { return try pipeline.run(row.inputs) } catch let failure as Failure {
                throw failure.inLine(row.line).inFile(inputs[0])
            }
        }
    } else {
        results = try pipeline.rows(inputs).map { row in try naming(file: path) { try pipeline.run(row) } }
    }
    try destination.write(results, console)
    return .done
}

/// The outputs for one row of inputs, in the pipeline's order.
private typealias OutputRow = [(name: String, value: FeatureValue)]

/// Where the outputs go, and in which form.
private enum Destination {
    case terminal
    case lines(String)
    case array(String)
    case image(String)

    /// - Throws: `Failure` if the pipeline's outputs do not suit the file's format.
    init(_ path: String?, _ pipeline: Pipeline) throws {
        guard let path else {
            self = .terminal
            return
        }
        let outputs = pipeline.outputs
        if ImageFormat(path: path) != nil {
            guard outputs.count == 1, case .image = outputs[0].type else {
                throw Failure.noSingleImage(outputs.map(\.name))
            }
            self = .image(path)
        } else if path.hasSuffix(".npy") {
            guard outputs.count == 1, outputs[0].type.isNumeric else {
                throw Failure.noSingleOutput(outputs.map(\.name))
            }
            self = .array(path)
        } else {
            self = .lines(path)
        }
    }

    func write(_ rows: [OutputRow], _ console: Console) throws {
        switch self {
        case .terminal:
            for row in rows { try console.print(jsonLine(row)) }
        case .lines(let path):
            let file = try AtomicFile(path: path)
            for row in rows { try file.write(jsonLine(row).utf8) }
            try file.commit()
        case .array(let path):
            try writeNumbers(rows.map { $0[0].value }, to: path)
        case .image(let path):
            guard rows.count == 1, case .image(let pixels) = rows[0][0].value else {
                throw Failure.severalImages(rows.count)
            }
            try pixels.write(toFile: path)
        }
    }
}

/// The outputs for a row, as a line of JSON.
private func jsonLine(_ outputs: OutputRow) -> String {
    JSON.object(outputs.map { (key: $0.name, value: $0.value.json) }).text + "\n"
}

/// Writes numbers or arrays, those of several rows along a first axis.
private func writeNumbers(_ values: [FeatureValue], to path: String) throws {
    var numbers: [Double] = []
    var shape: [Int]?
    for value in values {
        guard case .multiArray(let elements, let rowShape) = value else {
            numbers += value.numbers ?? []
            continue
        }
        guard rowShape == shape ?? rowShape else { throw Failure.unequalRows(shape ?? [], rowShape) }
        numbers += elements
        shape = rowShape
    }
    let rows = values.count == 1 ? [] : [values.count]
    try Tensor(shape: Tensor.Shape(rows + (shape ?? [])), element: .float64) { numbers[$0] }.write(toNumPyFile: path)
}

extension Pipeline {
    /// The rows given by arguments of the form `NAME=VALUE`: one, or as many as the arrays in files have.
    fileprivate func rows(_ arguments: [String]) throws -> [[String: FeatureValue]] {
        var columns: [(name: String, values: [FeatureValue])] = []
        for word in arguments {
            // JSON may contain equals signs too.
            let isJSON = word.first.map { "{[\"".contains($0) } ?? false
            let (name, text) = isJSON ? (nil, word) : nameAndFile(word, inputs: inputs.map(\.name))
            let input = try input(named: name)
            guard !columns.contains(where: { $0.name == input.name }) else { throw Failure.duplicateOption(input.name) }
            do { columns.append((input.name, try values(text, input))) } catch let failure as Failure {
                throw failure.file == nil ? failure.at("input '\(input.name)'") : failure
            }
        }
        let counts = columns.map(\.values.count)
        let count = counts.max() ?? 1
        guard counts.allSatisfy({ $0 == 1 || $0 == count }) else { throw Failure.rowCounts(counts) }
        return (0..<count).map { row in
            var inputs: [String: FeatureValue] = [:]
            for (name, values) in columns { inputs[name] = values[values.count == 1 ? 0 : row] }
            return inputs
        }
    }

    /// The values of an argument: JSON, an image, or an array in a file, which may have several rows.
    private func values(_ text: String, _ input: PipelineFeature) throws -> [FeatureValue] {
        let type = input.type
        if case .image(let image) = type {
            return [.image(try Pixels(contentsOfFile: text).feature(for: image))]
        }
        guard type.isNumeric, text.hasSuffix(".npy") else { return [try type.value(json: text)] }
        return try naming(file: text) {
            let array = try Tensor(contentsOfNumPyFile: text)
            return try input.rows(array.doubles, shape: array.shape.dimensions)
        }
    }
}
