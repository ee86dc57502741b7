import Thaw

// ThawService, which cannot import ThawCommand, has a link to this file: its messages name the same options and commands.

extension OptionName {
    /// The option of the commands, with its dashes.
    var forCommand: String { Self.commandOptions[self] ?? rawValue }

    private static let commandOptions: [OptionName: String] = [
        .input: "--input", .outputs: "--output", .size: "--size", .color: "--color", .channels: "--channels",
        .preprocessing: "--preprocess", .scale: "--scale", .bias: "--bias", .placeholderValues: "--set",
        .batchNorm: "--batch-norm", .usesMovingAverages: "--moving-averages", .tag: "--tag",
        .signature: "--signature", .function: "--function", .hasIntegerLabels: "--integer-labels",
        .offset: "--offset",
        .imageOutput: "--image-output", .outputColor: "--output-color", .outputScale: "--output-scale",
        .outputBias: "--output-bias", .target: "--target", .weights: "--weights",
        .maximumChangedShare: "--keep-accuracy", .minimumCount: "--min-elements", .includesDepthwise: "--depthwise",
        .computePrecision: "--compute-precision", .inputType: "--input-type", .outputType: "--output-type",
        .mayReplace: "--no-clobber", .threads: "--threads",
        .maximumPixels: "--max-pixels", .longestSide: "--max-side", .tile: "--tile",
    ]
}

extension TaskName {
    /// The command for the task, in quotes.
    var forCommand: String {
        switch self {
        case .convert: "'thaw convert'"
        case .quantize: "'thaw quantize'"
        case .classify: "'thaw classify'"
        case .detect: "'thaw detect'"
        case .evaluateDetector: "'thaw evaluate'"
        case .apply: "'thaw apply'"
        case .run, .runWithState, .runPipeline: "'thaw run'"
        }
    }
}
