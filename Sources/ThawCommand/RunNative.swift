import Thaw

/// `thaw run --layout native`: a network's outputs for arrays in the shapes of the Core ML model, and for images.
func runNative(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
    let path = arguments.positional[0]
    if arguments.isGiven(Options.reference) {
        throw Failure.cannotCombine(Options.layout.spelling + " native", Options.reference.spelling)
    }
    guard let target = arguments[Options.arrays] else { throw Failure.missingArgument("-o OUTPUT.npy or -o FOLDER") }
    try checkArrayTarget(target)
    try arguments.requireNoInput(at: target)
    let document = try ModelDocument(
        contentsOfFile: path, options: arguments.converterOptions(), labels: arguments.labels())
    try arguments.checkOptions(forModelAt: path, isGraph: document.conversion.isGraph)
    console.report(document.conversion)
    let runner = try naming(file: path) {
        try ModelRunner(document, precision: arguments[Options.precision], threads: arguments.threads)
    }
    console.report(arguments[Options.precision])
    let names = runner.inputs.map(\.name)
    let values = try arguments.positional.dropFirst().map { word -> (name: String?, value: ModelRunner.Value) in
        let (name, file) = nameAndFile(word, inputs: names)
        let feature = try runner.input(named: name)
        return (feature.name, try feature.value(inFile: file))
    }
    let state = document.model.isStateful ? try runner.makeState() : nil
    let outputs = try naming(file: path) { try runner.run(values, state: state) }
    let arrays = outputs.map { (name: $0.name, array: $0.tensor) }
    guard target.hasSuffix(".npy") else {
        try writeArrays(arrays, toFolder: target, arguments)
        return .done
    }
    guard arrays.count == 1 else { throw Failure.severalArrays(arrays.map(\.name)).inFile(target) }
    try arrays[0].array.write(toNumPyFile: target)
    return .done
}

extension ModelFeature {
    /// The value in a file: an array, or an image.
    fileprivate func value(inFile file: String) throws -> ModelRunner.Value {
        guard case .image(let image) = kind else { return .tensor(try Tensor(contentsOfNumPyFile: file)) }
        guard file.hasSuffix(".npy") else {
            return .pixels(try Pixels(contentsOfFile: file).converted(to: image.color == .gray ? .gray : .rgb))
        }
        let array = try Tensor(contentsOfNumPyFile: file)
        guard !image.isFloat16 else { return .tensor(array) }
        let sizes = array.shape.dimensions
        let channels = image.color.channels
        guard sizes.count == (channels == 1 ? 2 : 3), channels == 1 || sizes[2] == channels else {
            throw Failure.pixelArray(name, sizes, channels).inFile(file)
        }
        let bytes = array.floats.map { UInt8(max(0, min(255, $0.isNaN ? 0 : $0.rounded()))) }
        return .pixels(Pixels(width: sizes[1], height: sizes[0], channels: channels, bytes: bytes))
    }
}

extension Failure {
    fileprivate static func pixelArray(_ name: String, _ shape: [Int], _ channels: Int) -> Failure {
        Failure(
            .wrongShape, "the image for '\(name)' has shape \(shape)",
            remedy: channels == 1 ? "expected [height, width]" : "expected [height, width, 3]", names: [name])
    }
}
