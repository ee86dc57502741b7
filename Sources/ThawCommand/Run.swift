import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `thaw run`: computes a model's outputs for NumPy arrays, and a pipeline's for values of any kind.
func runRun(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    if try Pipeline.isPipeline(contentsOfFile: path) { return try runPipeline(arguments, console) }
    if arguments[Options.layout] == .native { return try runNative(arguments, console) }
    if arguments[Options.reference], arguments[Options.precision] != .float32 {
        throw Failure.cannotCombine(
            Options.reference.spelling + ", which computes in float32,", "another " + Options.precision.spelling)
    }
    let arrayArguments = ArrayArguments(arguments.positional.dropFirst())
    guard let target = arguments[Options.arrays] else { throw Failure.missingArgument("-o OUTPUT.npy or -o FOLDER") }
    try checkArrayTarget(target)
    try arguments.requireNoInput(at: target)
    let model = try arguments.model(at: path, arrays: arrayArguments, console)
    let graph = model.graph
    let isFile = target.hasSuffix(".npy")
    if isFile, graph.outputs.count != 1 {
        throw Failure.severalArrays(graph.outputs.map(\.name)).inFile(target)
    }
    let arrays = try arrayArguments.tensors(ofInputs: graph.inputs.map(\.name))
    let runner = try naming(file: path) {
        try ArrayRunner(
            model, byReference: arguments[Options.reference], precision: arguments[Options.precision],
            threads: arguments.threads)
    }
    console.report(arguments[Options.precision])
    let outputs = try naming(file: path) { try runner.run(arrays) }
    if isFile {
        try outputs[0].array.write(toNumPyFile: target)
    } else {
        try writeArrays(outputs, toFolder: target, arguments)
    }
    return .done
}

extension Arguments {
    /// Loads the model at `path`, with open sizes taken from the given arrays, and prints its notes and warnings.
    fileprivate func model(at path: String, arrays: ArrayArguments, _ console: Console) throws -> Model {
        var conversion = try model(at: path, arrays: arrays)
        let inputs = conversion.model.graph.inputs.map(\.name)
        try arrays.check(inputs)
        // Arrays are used as they are, so image preprocessing is irrelevant.
        if conversion.isGraph {
            console.reportGraph(conversion)
        } else {
            conversion.warnings.forEach(console.warn)
        }
        try conversion.model.setArrayShapes(arrays.shapes(ofInputs: inputs))
        if let only = arrays.only(ofInputs: conversion.model.graph.inputs.map(\.name)) {
            try naming(file: only) {
                try conversion.model.setImageSize(fromArrayShape: arrays.tensor(only).shape.dimensions)
            }
        }
        return conversion.model
    }
}

/// The arrays given as `NAME=FILE` or `FILE`.
private final class ArrayArguments: GivenArrays, @unchecked Sendable {
    private let texts: [String]
    /// The arrays that have been read, by file. Several steps need them.
    private var read: [String: Tensor] = [:]
    private let lock = Lock()

    init(_ texts: some Sequence<String>) { self.texts = Array(texts) }

    var names: Set<String> {
        Set(texts.compactMap { text in text.firstIndex(of: "=").map { String(text[..<$0]) } })
    }

    /// - Throws: `Failure` if there is no array although the model has inputs.
    func check(_ inputs: [String]) throws {
        guard !texts.isEmpty || inputs.isEmpty else { throw Failure.missingArgument("an array, INPUT.npy,") }
    }

    func shapes(ofInputs inputs: [String]) throws -> [(name: String?, shape: [Int])] {
        try tensors(ofInputs: inputs).map { ($0.name, $0.array.shape.dimensions) }
    }

    func tensors(ofInputs inputs: [String]) throws -> [(name: String?, array: Tensor)] {
        try check(inputs)
        return try texts.map { text in
            let (name, file) = nameAndFile(text, inputs: inputs)
            return (name, try tensor(file))
        }
    }

    /// The file if there is only one.
    func only(ofInputs inputs: [String]) -> String? {
        texts.count == 1 ? nameAndFile(texts[0], inputs: inputs).file : nil
    }

    func tensor(_ file: String) throws -> Tensor {
        try lock.withLock {
            if let known = read[file] { return known }
            let tensor = try Tensor(contentsOfNumPyFile: file)
            read[file] = tensor
            return tensor
        }
    }
}
