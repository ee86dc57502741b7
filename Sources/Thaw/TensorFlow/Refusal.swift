/// Nodes of a TensorFlow graph that cannot be converted, collected during the import and reported together.
struct Refusal: Error {
    /// Nodes whose operation is not supported.
    private(set) var unsupported: [(op: String, name: String)] = []
    /// The failures of nodes whose operation is supported, but not in this form.
    private(set) var failures: [Failure] = []
    /// The names of all of these nodes.
    private(set) var nodes: Set<String> = []

    var isEmpty: Bool { nodes.isEmpty }

    mutating func add(_ node: NodeDefinition) {
        unsupported.append((node.op, node.name))
        nodes.insert(node.name)
    }

    mutating func add(_ failure: Failure, of node: NodeDefinition) {
        failures.append(failure)
        nodes.insert(node.name)
    }

    /// Whether the graph contains variables: then it is not frozen, and cutting does not help.
    var holdsVariables: Bool { unsupported.contains { Kind($0.op) == .variable } }

    /// One failure for all of them.
    ///
    /// - Parameter hint: The options that convert a part of the graph, if there are any.
    func failure(hint: String?) -> Failure {
        guard !unsupported.isEmpty else {
            var failure = failures.count == 1 ? failures[0] : Failure.severalRefusals(failures)
            failure.hint = failure.hint ?? hint.map(Failure.cutHint)
            return failure
        }
        var groups: [(op: String, names: [String])] = []
        for node in unsupported {
            if let index = groups.firstIndex(where: { $0.op == node.op }) {
                groups[index].names.append(node.name)
            } else {
                groups.append((node.op, [node.name]))
            }
        }
        var failure = Failure.unsupported(
            groups.map { ($0.op, Kind($0.op)?.rawValue, $0.names) }, failures,
            hint: holdsVariables ? Failure.variablesHint : hint.map(Failure.cutHint))
        if holdsVariables { failure.code = .missingVariables }
        return failure
    }

    /// The reason why an operation is not supported, if its name shows it.
    enum Kind: String {
        case loop = "a loop"
        case condition = "a condition that depends on data"
        case recurrent = "for recurrent networks"
        case text = "on strings"
        case sound = "on audio"
        case quantized = "quantized arithmetic"
        case random = "random numbers"
        case variable = "a variable: the graph is not frozen"

        private static let signs: [(kind: Kind, names: Set<String>, prefixes: [String])] = [
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
            (
                .random, ["Multinomial", "TruncatedNormal", "RandomShuffle"],
                ["Random", "StatelessRandom", "StatelessTruncated"]
            ),
        ]

        init?(_ op: String) {
            guard
                let sign = Kind.signs.first(where: {
                    $0.names.contains(op) || $0.prefixes.contains(where: op.hasPrefix)
                })
            else { return nil }
            self = sign.kind
        }
    }
}
