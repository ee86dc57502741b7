@testable import Thaw

// Graphs of training scripts, with the outputs that are found.

extension OutputSearchTests {
    /// The cross entropy of the sigmoid of `y` and labels `t`, as TensorFlow writes it out.
    private static let logisticLoss = [
        node("z", "ZerosLike", "y"), node("g", "GreaterEqual", "y", "z"), node("s", "Select", "g", "y", "z"),
        node("n", "Neg", "y"), node("a", "Select", "g", "n", "y"), node("m", "Mul", "y", "t"),
        node("d", "Sub", "s", "m"), node("e", "Exp", "a"), node("o", "Log1p", "e"), node("l", "AddV2", "d", "o"),
    ]

    private static let reconstruction = [node("v", "MatMul", "y", "w3"), node("z", "Sigmoid", "v")]

    /// Nodes added to flat pixels `x`, labels `t` and `y` = x · w + b, and the outputs that are found.
    static let trained: [(note: String, nodes: [NodeDefinition], outputs: [String])] = [
        (
            "identities of compared values",
            [
                node("p", "Softmax", "y"), node("i", "Identity", "p"), node("d", "SquaredDifference", "i", "t"),
                node("l", "Mean", "d", "all"), node("z", "Transpose", "p", "ends"),
            ], ["z"]
        ),
        (
            "an identity of the result",
            [node("out", "Identity", "y"), node("l", "SoftmaxCrossEntropyWithLogits", "out", "t")],
            ["out"]
        ),
        (
            "sizes used by a loss",
            [
                node("s", "Shape", "y"), node("r", "Reshape", "y", "s"),
                node("l", "SoftmaxCrossEntropyWithLogits", "r", "t"),
                node("z", "Slice", "s", "one", "one"), node("m", "Reshape", "l", "z"),
            ], ["y"]
        ),
        ("a loss alone", [node("l", "SoftmaxCrossEntropyWithLogits", "y", "t")], ["y"]),
        (
            "flat values for a loss",
            [node("r", "Reshape", "y", "ends"), node("l", "SoftmaxCrossEntropyWithLogits", "r", "t")], ["y"]
        ),
        (
            "a softmax next to the loss, named loss",
            [node("l", "SoftmaxCrossEntropyWithLogits", "y", "t"), node("loss", "Softmax", "y")], ["loss"]
        ),
        (
            "the top class next to the loss",
            [node("l", "SoftmaxCrossEntropyWithLogits", "y", "t"), node("c", "ArgMax", "y", "one")], ["y"]
        ),
        ("the top class alone", [node("p", "Softmax", "y"), node("c", "ArgMax", "p", "one")], ["p"]),
        (
            "the top class cast to another type",
            [node("c", "ArgMax", "y", "one"), node("d", "Cast", "c")], ["y"]
        ),
        (
            "an accuracy of the top classes",
            [
                node("c", "ArgMax", "y", "one"), node("d", "ArgMax", "t", "one"), node("e", "Equal", "c", "d"),
                node("f", "Cast", "e"), node("accuracy", "Mean", "f", "zero"),
            ], ["y"]
        ),
        (
            "the top 5 next to the accuracy",
            [node("p", "Softmax", "y"), node("k", "TopKV2", "p", "one"), node("e", "InTopKV2", "p", "t", "one")], ["p"]
        ),
        (
            "a loss of a clipped logarithm",
            [
                node("p", "Softmax", "y"), node("low", "Minimum", "p", "one"), node("high", "Maximum", "low", "zero"),
                node("log", "Log", "high"), node("m", "Mul", "log", "t"), node("s", "Sum", "m", "zero"),
            ], ["p"]
        ),
        (
            "a loss of both probabilities",
            [
                node("p", "Sigmoid", "y"), node("q", "Sub", "one", "p"), node("e", "AddV2", "q", "tiny"),
                node("log", "Log", "e"), node("m", "Mul", "log", "t"), node("s", "Mean", "m", "zero"),
            ], ["p"]
        ),
        (
            "normalized probabilities",
            [
                node("p", "Softmax", "y"), node("s", "Sum", "p", "one"), node("q", "RealDiv", "p", "s"),
                node("log", "Log", "q"), node("m", "Mul", "log", "t"), node("l", "Sum", "m", "one"),
            ], ["p"]
        ),
        ("a loss of sigmoids, written out", logisticLoss, ["y"]),
        (
            "a loss of sigmoids, written out and averaged", logisticLoss + [node("r", "Mean", "l", "all")], ["y"]
        ),
        (
            "a squared error",
            [node("d", "SquaredDifference", "y", "t"), node("l", "Mean", "d", "all")], ["y"]
        ),
        (
            "a mean of the results that no loss uses",
            [
                node("p", "Sigmoid", "y"), node("m", "Mean", "p", "zero"), node("l", "Sub", "p", "t"),
                node("k", "Mean", "l", "zero"),
            ],
            ["p"]
        ),
        (
            "sample weights, strings for saving, an image that no layer reads",
            [
                node("sample_weights", "PlaceholderWithDefault", "one"), node("n", "Mul", "x", "tiny"),
                NodeDefinition(
                    name: "save/Const", op: "PlaceholderWithDefault", inputs: ["one"],
                    attributes: ["dtype": .type(.string)]),
                NodeDefinition(
                    name: "save/Identity", op: "Identity", inputs: ["save/Const"], attributes: ["T": .type(.string)]),
                node("l", "SparseSoftmaxCrossEntropyWithLogits", "y", "t"),
            ], ["y"]
        ),
        (
            "an optimizer",
            [
                node("l", "SoftmaxCrossEntropyWithLogits", "y", "t"), node("g", "Mul", "l:1", "rate"),
                node("u", "ResourceApplyAdaMax", "w", "g"),
            ], ["y"]
        ),
        (
            "a bottleneck that nothing reads",
            [
                node("h", "Relu", "y"), node("v", "MatMul", "h", "w2"), node("p", "Softmax", "v"),
                node("o", "Tanh", "h"),
                node("l", "SoftmaxCrossEntropyWithLogits", "v", "t"),
            ], ["p"]
        ),
        (
            "an autoencoder in training",
            [
                node("v", "MatMul", "y", "w3"), node("z", "Sigmoid", "v"), node("d", "Sub", "z", "x"),
                node("s", "Square", "d"), node("l", "Mean", "s", "all"),
                node("u", "ApplyGradientDescent", "w", "rate", "l"),
            ], ["z"]
        ),
        (
            "an autoencoder with the square as a power",
            reconstruction + [
                node("d", "Sub", "x", "z"), node("e", "Pow", "d", "two"), node("l", "Mean", "e", "all"),
                node("u", "ApplyGradientDescent", "w", "rate", "l"),
            ], ["z"]
        ),
        (
            "an autoencoder with a loss for each image",
            reconstruction + [
                node("d", "SquaredDifference", "z", "x"), node("m", "Mul", "d", "two"), node("s", "Sum", "m", "one"),
                node("l", "Mean", "s", "zero"), node("u", "ApplyGradientDescent", "w", "rate", "l"),
            ], ["z"]
        ),
        (
            "an autoencoder with a cross entropy",
            reconstruction + [
                node("log", "Log", "z"), node("m", "Mul", "x", "log"), node("s", "Sum", "m", "one"),
                node("l", "Mean", "s", "zero"), node("u", "ApplyGradientDescent", "w", "rate", "l"),
            ], ["z"]
        ),
        (
            "a rate of dropout",
            [
                placeholder("keep", nil), node("h", "Mul", "y", "keep"), node("v", "MatMul", "h", "w2"),
                node("l", "SoftmaxCrossEntropyWithLogits", "v", "t"),
            ], ["v"]
        ),
        (
            "the size of a batch",
            [
                placeholder("count", [], .int32), node("s", "Pack", "count", "ten"), node("r", "Reshape", "y", "s"),
                node("v", "MatMul", "r", "w2"), node("l", "SoftmaxCrossEntropyWithLogits", "v", "t"),
            ], ["v"]
        ),
        (
            "a clipped result",
            [
                node("low", "Minimum", "y", "one"), node("high", "Maximum", "low", "zero"),
                node("d", "SquaredDifference", "high", "t"), node("l", "Mean", "d", "all"),
            ], ["high"]
        ),
        (
            "a leaky rectifier, written out",
            [
                node("g", "Greater", "y", "zero"), node("m", "Mul", "y", "tiny"), node("s", "Select", "g", "y", "m"),
                node("d", "Sub", "s", "t"), node("q", "Square", "d"), node("l", "Mean", "q", "all"),
            ], ["s"]
        ),
        (
            "an exponential of the last layer",
            [node("e", "Exp", "y"), node("d", "SquaredDifference", "e", "t"), node("l", "Mean", "d", "all")], ["e"]
        ),
        (
            "a difference from the input",
            [
                node("r", "MatMul", "y", "w3"), node("z", "Sub", "x", "r"), node("d", "SquaredDifference", "z", "t"),
                node("l", "Mean", "d", "all"),
            ], ["z"]
        ),
        (
            "a share of the sum",
            [
                node("s", "Sum", "y", "one"), node("q", "RealDiv", "y", "s"), node("d", "SquaredDifference", "q", "t"),
                node("l", "Mean", "d", "all"),
            ], ["q"]
        ),
        (
            "a difference of logarithms",
            [
                node("p", "Softmax", "y"), node("log", "Log1p", "p"), node("truth", "Log1p", "t"),
                node("d", "SquaredDifference", "log", "truth"), node("l", "Mean", "d", "all"),
            ], ["p"]
        ),
        (
            "a metric of a part of the result",
            [
                node("d", "SquaredDifference", "y", "t"), node("l", "Mean", "d", "all"),
                node("p", "StridedSlice", "y", "zero", "one", "one"), node("e", "Sub", "p", "t"),
                node("m", "Mean", "e", "all"),
            ], ["y"]
        ),
        (
            "a metric of sums of the result",
            [
                node("d", "SquaredDifference", "y", "t"), node("l", "Mean", "d", "all"),
                node("s", "Sum", "y", "one"), node("n", "Sum", "t", "one"), node("e", "Sub", "s", "n"),
                node("m", "Mean", "e", "zero"),
            ], ["y"]
        ),
        (
            "a Dice loss",
            [
                node("p", "Sigmoid", "y"), node("m", "Mul", "p", "t"), node("i", "Sum", "m", "all"),
                node("s", "Sum", "p", "all"), node("n", "Sum", "t", "all"), node("d", "AddV2", "s", "n"),
                node("q", "RealDiv", "i", "d"), node("l", "Sub", "one", "q"),
            ], ["p"]
        ),
        (
            "the mean of two results",
            [
                node("v", "MatMul", "y", "w2"), node("s", "Pack", "y", "v"), node("m", "Mean", "s", "zero"),
                node("d", "SquaredDifference", "m", "t"), node("l", "Mean", "d", "all"),
            ], ["m"]
        ),
        ("two results", [node("p", "Softmax", "y"), node("q", "Tanh", "y")], ["p", "q"]),
        (
            "a summary of the fraction of zeros",
            [
                node("e", "Equal", "y", "zero"), node("c", "Cast", "e"), node("m", "Mean", "c", "all"),
                node("s", "ScalarSummary", "m"), node("l", "SoftmaxCrossEntropyWithLogits", "y", "t"),
            ], ["y"]
        ),
        (
            "a count of zeros in a conditional",
            [
                node("size", "Size", "y"), node("small", "Less", "size", "ten"), node("f", "Switch", "y", "small"),
                node("e", "NotEqual", "f:1", "zero"), node("n", "Sum", "e", "all"), node("e2", "NotEqual", "f", "zero"),
                node("n2", "Sum", "e2", "all"), node("m", "Merge", "n2", "n"), node("d", "Sub", "size", "m"),
                node("q", "RealDiv", "d", "size"), node("s", "ScalarSummary", "q"), node("p", "Softmax", "y"),
            ], ["p"]
        ),
    ]
}
