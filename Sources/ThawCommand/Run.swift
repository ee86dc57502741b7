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
        throw Failure.cannotCombine("--reference, which computes in float32,", "another --precision")
    }
    let arrayArguments = Array(arguments.positional.dropFirst())
    guard let target = arguments[Options.arrays] else { throw Failure.missingArgument("-o OUTPUT.npy or -o FOLDER") }
    try checkArrayTarget(target)
    try arguments.requireNoInput(at: target)
    let model = try arguments.model(at: path, arrays: arrayArguments, console)
    let graph = model.graph
    let isFile = target.hasSuffix(".npy")
    if isFile, graph.outputs.count != 1 {
        throw Failure.severalArrays(graph.outputs.map(\.name)).inFile(target)
    }
    let arrays = try arrayArguments.map { word in
        let (name, file) = nameAndFile(word, inputs: graph.inputs.map(\.name))
        return (name, try Tensor(contentsOfNumPyFile: file))
    }
    let runner = try naming(file: path) {
        try ArrayRunner(
            model, byReference: arguments[Options.reference], precision: arguments[Options.precision],
            threads: arguments.threads)
    }
    console.report(arguments[Options.precision])
    let answers = try naming(file: path) { try runner.run(arrays) }
    if isFile {
        try answers[0].array.write(toNumPyFile: target)
    } else {
        try writeArrays(answers, toFolder: target, arguments)
    }
    return .done
}

extension Arguments {
    /// Loads the model at `path`, with open sizes taken from the given arrays, and prints its notes and warnings.
    fileprivate func model(at path: String, arrays arrayArguments: [String], _ console: Console) throws -> Model {
        var conversion = try model(at: path, arrays: ArrayArguments(texts: arrayArguments))
        guard !arrayArguments.isEmpty || conversion.model.graph.inputs.isEmpty else {
            throw Failure.missingArgument("an array, INPUT.npy,")
        }
        // Arrays are used as they are, so image preprocessing is irrelevant.
        if conversion.isGraph {
            console.reportGraph(conversion)
        } else {
            conversion.warnings.forEach(console.warn)
        }
        let inputs = conversion.model.graph.inputs.map(\.name)
        try conversion.model.setArrayShapes(
            arrayArguments.map { word in
                let (name, file) = nameAndFile(word, inputs: inputs)
                return (name, try Tensor(contentsOfNumPyFile: file).shape.dimensions)
            })
        if arrayArguments.count == 1, let word = arrayArguments.first {
            let (_, file) = nameAndFile(word, inputs: conversion.model.graph.inputs.map(\.name))
            try naming(file: file) {
                try conversion.model.setImageSize(fromArrayShape: Tensor(contentsOfNumPyFile: file).shape.dimensions)
            }
        }
        return conversion.model
    }
}

/// The arrays given as `NAME=FILE` or `FILE`.
private struct ArrayArguments: GivenArrays {
    let texts: [String]

    var names: Set<String> {
        Set(texts.compactMap { text in text.firstIndex(of: "=").map { String(text[..<$0]) } })
    }

    func shapes(ofInputs inputs: [String]) throws -> [(name: String?, shape: [Int])] {
        guard !texts.isEmpty || inputs.isEmpty else { throw Failure.missingArgument("an array, INPUT.npy,") }
        return try texts.map { text in
            let (name, file) = nameAndFile(text, inputs: inputs)
            return (name, try Tensor(contentsOfNumPyFile: file).shape.dimensions)
        }
    }
}
