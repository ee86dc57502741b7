import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `thaw run`: computes a model's outputs for NumPy arrays, and a pipeline's for values of any kind.
func runRun(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    if try Pipeline.isPipeline(path: path) { return try runPipeline(arguments, console) }
    if arguments[Options.layout] == .native { return try runNative(arguments, console) }
    let words = Array(arguments.positional.dropFirst())
    guard let target = arguments[Options.arrays] else { throw Failure.missingArgument("-o OUTPUT.npy or -o FOLDER") }
    let model = try arguments.model(at: path, arrays: words, console)
    let graph = model.graph
    let isFile = target.hasSuffix(".npy")
    if isFile, graph.outputs.count != 1 {
        throw Failure.severalArrays(graph.outputs.map(\.name)).inFile(target)
    }
    let arrays = try words.map { word in
        let (name, file) = nameAndFile(word, inputs: graph.inputs.map(\.name))
        return (name, try NumPyFile(contentsOfFile: file))
    }
    let runner = try naming(file: path) {
        try ArrayRunner(
            model, byReference: arguments[Options.reference], precision: arguments[Options.precision],
            threads: arguments.threads)
    }
    console.report(arguments[Options.precision])
    let answers = try naming(file: path) { try runner.run(arrays) }
    if isFile {
        try answers[0].array.write(toFile: target)
    } else {
        try writeArrays(answers, toFolder: target)
    }
    return .done
}

extension Arguments {
    /// Loads the model at `path`, with open sizes taken from the arrays in `words`, and prints its notes and warnings.
    fileprivate func model(at path: String, arrays words: [String], _ console: Console) throws -> Model {
        var conversion = try model(at: path, arrays: ArrayWords(words: words))
        guard !words.isEmpty || conversion.model.graph.inputs.isEmpty else {
            throw Failure.missingArgument("an array, INPUT.npy,")
        }
        // Arrays are used as they are, so image preprocessing is irrelevant.
        if conversion.isGraph {
            conversion.assumptions.forEach(console.note)
        } else {
            conversion.warnings.forEach(console.warn)
        }
        let inputs = conversion.model.graph.inputs.map(\.name)
        try conversion.model.setArrayShapes(
            words.map { word in
                let (name, file) = nameAndFile(word, inputs: inputs)
                return (name, try NumPyFile(contentsOfFile: file).shape)
            })
        if words.count == 1, let word = words.first {
            let (_, file) = nameAndFile(word, inputs: conversion.model.graph.inputs.map(\.name))
            try naming(file: file) {
                try conversion.model.setImageSize(fromArrayShape: NumPyFile(contentsOfFile: file).shape)
            }
        }
        return conversion.model
    }
}

/// The arrays given as `NAME=FILE` or `FILE`.
private struct ArrayWords: GivenArrays {
    let words: [String]

    var names: Set<String> {
        Set(words.compactMap { word in word.firstIndex(of: "=").map { String(word[..<$0]) } })
    }

    func shapes(ofInputs inputs: [String]) throws -> [(name: String?, shape: [Int])] {
        guard !words.isEmpty || inputs.isEmpty else { throw Failure.missingArgument("an array, INPUT.npy,") }
        return try words.map { word in
            let (name, file) = nameAndFile(word, inputs: inputs)
            return (name, try NumPyFile(contentsOfFile: file).shape)
        }
    }
}
