import Thaw

extension Phrase {
    /// The text, with options, commands and arguments as typed on the command line.
    var forCommand: String {
        spelled(
            \.forCommand, task: { "'thaw \($0.command.name)'" },
            inputs: { names in names.map { "\($0)=FILE.npy" }.joined(separator: " ") })
    }
}

extension Failure {
    /// The failure of a command, ready to be shown: its messages are spelled.
    var forCommand: Failure {
        var copy = self
        copy.problem = "\(problem.forCommand)"
        copy.remedy = remedy.map { "\($0.forCommand)" }
        copy.hint = hint.map { "\($0.forCommand)" }
        return copy
    }
}

extension OptionName {
    /// The option of the commands, with its dashes.
    var forCommand: String { Self.spellings[self] ?? rawValue }

    private static let spellings: [OptionName: String] = {
        let options: [OptionName: any AnyOption] = [
            .input: Options.input, .outputs: Options.output, .size: Options.size, .color: Options.color,
            .channels: Options.channels, .preprocessing: Options.preprocess, .scale: Options.scale,
            .bias: Options.bias, .placeholderValues: Options.set, .batchNorm: Options.batchNorm,
            .usesMovingAverages: Options.movingAverages, .tag: Options.tag,
            .signature: Options.signature, .function: Options.function, .hasIntegerLabels: Options.integerLabels,
            .offset: Options.offset,
            .imageOutput: Options.imageOutput, .outputColor: Options.outputColor,
            .outputScale: Options.outputScale, .outputBias: Options.outputBias, .target: Options.target,
            .weights: Options.weights, .maximumChangedShare: Options.keepAccuracy, .minimumCount: Options.minElements,
            .includesDepthwise: Options.depthwise,
            .computePrecision: Options.computePrecision, .inputType: Options.inputType,
            .outputType: Options.outputType, .mayReplace: Options.noClobber,
            .threads: Options.threads, .maximumPixels: Options.maxPixels, .longestSide: Options.maxSide,
            .tile: Options.tile,
        ]
        return options.mapValues { $0.spelling }
    }()
}

extension TaskName {
    /// The command for the task.
    fileprivate var command: Command {
        switch self {
        case .convert: Commands.convert
        case .quantize: Commands.quantize
        case .classify: Commands.classify
        case .detect: Commands.detect
        case .evaluateDetector: Commands.evaluate
        case .apply: Commands.apply
        case .run, .runWithState, .runPipeline: Commands.run
        }
    }
}
