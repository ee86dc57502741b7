/// Why a TensorFlow operation is not supported, if its name reveals that.
enum UnsupportedKind: String {
    case loop = "a loop"
    case condition = "a condition that depends on data"
    case recurrent = "for recurrent networks"
    case text = "on strings"
    case sound = "on audio"
    case quantized = "quantized arithmetic"
    case random = "random numbers, as in training; export the model with training=False"
    case randomInKeras = "random numbers, as in training; in Keras 3, export by ExportArchive with training=False"
    case variable = "a variable: the graph is not frozen"

    private static let signs: [(kind: UnsupportedKind, names: Set<String>, prefixes: [String])] = [
        (.variable, ["Variable", "VariableV2", "VarHandleOp", "ReadVariableOp", "ResourceGather"], []),
        (
            .loop,
            [
                "Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond", "While",
                "StatelessWhile", "For",
            ], []
        ),
        (.condition, ["If", "StatelessIf", "Case", "StatelessCase"], []),
        (
            .recurrent, ["DynamicRNN"],
            ["TensorList", "TensorArray", "LSTMBlock", "BlockLSTM", "GRUBlock", "CudnnRNN", "Stack"]
        ),
        (.sound, ["DecodeWav", "EncodeWav", "Mfcc", "AudioSpectrogram", "RFFT", "IRFFT", "FFT"], ["Audio"]),
        (
            .text,
            [
                "AsString", "DecodeRaw", "DecodePaddedRaw", "DecodeBase64", "EncodeBase64", "DecodeCSV", "ReadFile",
                "Substr", "EncodeJpeg", "EncodePng", "ReduceJoin",
            ], ["String", "Parse", "LookupTable", "HashTable", "Regex", "StaticRegex", "Unicode"]
        ),
        (
            .quantized, ["QuantizeV2", "Requantize", "RequantizationRange"],
            ["Quantized", "Requantiz", "QuantizeDown"]
        ),
        (.random, ["Multinomial", "TruncatedNormal", "RandomShuffle"], ["Random"]),
        (.randomInKeras, [], ["StatelessRandom", "StatelessTruncated"]),
    ]

    init?(_ op: String) {
        guard
            let sign = UnsupportedKind.signs.first(where: {
                $0.names.contains(op) || $0.prefixes.contains(where: op.hasPrefix)
            })
        else { return nil }
        self = sign.kind
    }
}
