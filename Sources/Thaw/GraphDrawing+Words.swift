/// The text in a box of a drawing: the operation's name in the field's terms, and its parameters.
struct Caption {
    var title: String
    var lines: [String]
    /// The activation after the operation.
    var activation: String?
    var kind: Kind

    /// Operations of one kind have the same color.
    enum Kind {
        case border, convolution, dense, normalization, activation, pooling, arithmetic, arrangement

        var fill: String { colors.fill }
        var edge: String { colors.edge }

        private var colors: (fill: String, edge: String) {
            switch self {
            case .border: ("#e9ecef", "#868e96")
            case .convolution: ("#d0e7fb", "#4a90c9")
            case .dense: ("#e3dcf8", "#8067c4")
            case .normalization: ("#d6f0e6", "#4aa182")
            case .activation: ("#fdeac5", "#d49a2a")
            case .pooling: ("#dcefcf", "#74a84c")
            case .arithmetic: ("#fbdcd9", "#cf6f66")
            case .arrangement: ("#f5f0e6", "#a89a7c")
            }
        }
    }

    init(_ title: String, _ lines: [String], _ kind: Kind) {
        (self.title, self.kind) = (title, kind)
        self.lines = lines.filter { !$0.isEmpty }
    }

    /// The caption of one node.
    init(_ node: Graph.Node, _ graph: Graph) {
        let input = node.inputs.first.map { graph[$0] }
        let output = graph[node.outputs[0]]
        switch node.operation {
        case let layer as Convolution:
            let groups = input.map { layer.groups(inputChannels: $0.shape[3]) } ?? 1
            self.init(
                "Convolution",
                [layer.window.words + ", \(layer.outputChannels) filters" + (groups > 1 ? ", \(groups) groups" : "")],
                .convolution)
        case let layer as DepthwiseConvolution:
            let multiplier = layer.multiplier > 1 ? ", \(layer.multiplier) filters per channel" : ""
            self.init("Depthwise convolution", [layer.window.words + multiplier], .convolution)
        case let layer as TransposedConvolution:
            self.init(
                "Transposed convolution", [layer.window.words + ", \(layer.outputChannels) filters"], .convolution)
        case let layer as Dense: self.init("Dense", ["\(layer.matrix.shape[1]) units"], .dense)
        case is MatrixProduct: self.init("Matrix product", [], .dense)
        case is BatchNormalization: self.init("Batch normalization", [], .normalization)
        case let layer as Normalization:
            let rank = output.shape.rank
            let isInstance = rank == 4 && layer.axes == [1, 2]
            let isLayer = layer.axes == [rank - 1]
            self.init(
                isInstance ? "Instance normalization" : isLayer ? "Layer normalization" : "Normalization",
                isInstance || isLayer ? [] : ["over axes \(Words.list(layer.axes))"], .normalization)
        case is L2Normalization: self.init("L2 normalization", [], .normalization)
        case let layer as LocalResponseNormalization:
            self.init("Local response normalization", ["\(2 * layer.radius + 1) channels"], .normalization)
        case let layer as Pooling:
            let isGlobal = output.shape.rank == 4 && output.shape[1] * output.shape[2] == 1
            let name = layer.function == .maximum ? "max pooling" : "average pooling"
            self.init(
                isGlobal ? "Global " + name : name.prefix(1).uppercased() + name.dropFirst(), [layer.window.words],
                .pooling)
        case let layer as Reduction:
            let isGlobal = layer.axes == [1, 2] && layer.function == .mean && input?.shape.rank == 4
            self.init(
                isGlobal ? "Global average pooling" : layer.function.words,
                isGlobal ? [] : ["over axes \(Words.list(layer.axes))"], .pooling)
        case is Resize: self.init("Resize", ["to \(output.shape[1])×\(output.shape[2])"], .pooling)
        case let layer as Unary: self.init(layer.words, [], .activation)
        case let layer as Softmax: self.init(layer.isLogarithmic ? "Log softmax" : "Softmax", [], .activation)
        case let layer as Binary:
            var what = ""
            if let constant = layer.constant {
                what =
                    constant.elementCount == 1
                    ? Words.number(constant.floats[0]) : "constant \(Words.sizes(constant.shape))"
            }
            self.init(Words.spaced(layer.kind), [what], .arithmetic)
        case let layer as Concatenation:
            let isChannels = layer.axis == output.shape.rank - 1
            self.init("Concatenation", [isChannels ? "of channels" : "along axis \(layer.axis)"], .arrangement)
        case let layer as Split:
            let isEven = Set(layer.sizes).count == 1
            self.init(
                "Split", [isEven ? "into \(layer.sizes.count)" : "into \(Words.list(layer.sizes))"], .arrangement)
        case let layer as Transpose: self.init("Transpose", ["order \(Words.list(layer.order))"], .arrangement)
        case let layer as Pad:
            let axes = zip(layer.before, layer.after).enumerated().filter { $1.0 != 0 || $1.1 != 0 }
            let isAlike = Set(axes.map { "\($1.0) + \($1.1)" }).count == 1
            self.init(
                "Padding", [isAlike ? "\(axes[0].element.0) before, \(axes[0].element.1) after" : ""], .arrangement)
        case let layer as Constant:
            self.init("Constant", [Words.sizes(layer.value.shape)], .arrangement)
        case is Select, is FakeQuantize, is CumulativeSum: self.init(Words.spaced(node.operation.kind), [], .arithmetic)
        default: self.init(Words.spaced(node.operation.kind), [], .arrangement)
        }
    }
}

extension Unary {
    /// Whether it is drawn together with the operation before it.
    var isActivation: Bool {
        switch function {
        case .relu, .relu6, .elu, .selu, .sigmoid, .tanh, .softplus, .softsign, .leakyRelu, .clip, .swish, .hardSigmoid,
            .hardSwish, .gelu, .geluByTanh, .mish:
            true
        default: false
        }
    }

    /// The function's name in the literature.
    var words: String {
        switch function {
        case .relu: "ReLU"
        case .relu6: "ReLU6"
        case .elu: "ELU"
        case .selu: "SELU"
        case .gelu: "GELU"
        case .geluByTanh: "GELU (tanh)"
        case .leakyRelu(let slope): "Leaky ReLU, slope \(Words.number(slope))"
        case .clip(let low, let high): "Clip to \(Words.number(low)) … \(Words.number(high))"
        case .swish(let beta): beta == 1 ? "Swish" : "Swish, β = \(Words.number(beta))"
        case .float16: "Round to float16"
        default: Words.spaced(kind)
        }
    }
}

extension Reduction.Function {
    fileprivate var words: String {
        switch self {
        case .mean: "Mean"
        case .length: "Length"
        case .sum: "Sum"
        case .maximum: "Maximum"
        case .minimum: "Minimum"
        case .product: "Product"
        }
    }
}

extension Window {
    /// "3×3, stride 2, dilation 4": height before width, and only one number if both are equal.
    fileprivate var words: String {
        func pair(_ word: String, _ a: Int, _ b: Int) -> String? {
            a == 1 && b == 1 ? nil : word + (a == b ? " \(a)" : " \(a)×\(b)")
        }
        return [
            "\(height.size)×\(width.size)", pair("stride", height.stride, width.stride),
            pair("dilation", height.dilation, width.dilation),
        ].compactMap { $0 }.joined(separator: ", ")
    }
}

/// Formats names, numbers and shapes for a drawing.
enum Words {
    /// "LogSoftmax" as "Log softmax".
    static func spaced(_ kind: String) -> String {
        var result = ""
        for letter in kind {
            let isStart = letter.isUppercase && !result.isEmpty
            result += isStart ? " " + letter.lowercased() : String(letter)
        }
        return result
    }

    /// "112×112×32", without a batch of one.
    static func shape(_ type: TensorType) -> String {
        let sizes = type.shape.rank > 1 && type.shape[0] == 1 ? Shape(type.shape.dropFirst()) : type.shape
        return Words.sizes(sizes)
    }

    static func sizes(_ shape: Shape) -> String { shape.map(String.init).joined(separator: "×") }

    static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

    /// A count: "1200", "25 k", "3.5 M", "1.2 G".
    static func count(_ number: Int) -> String {
        func rounded(_ unit: Double) -> String { "\((Double(number) / unit * 10).rounded() / 10)" }
        if number >= 1_000_000_000 { return rounded(1e9) + " G" }
        if number >= 1_000_000 { return rounded(1e6) + " M" }
        if number >= 10_000 { return "\((number + 500) / 1000) k" }
        return "\(number)"
    }

    static func number(_ number: Float) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The formulas of the preprocessing: one line if all channels are equal, none if pixels are not scaled.
    static func formulas(_ image: ImageInput) -> [String] {
        if image.scaling.isIdentity { return [] }
        let formulas = image.formulas
        let bare = formulas.map { $0.split(separator: ":", maxSplits: 1).last.map(String.init) ?? $0 }
        return Set(bare).count == 1 ? [String(bare[0].drop { $0 == " " })] : formulas
    }

    /// The text in quotes, with escapes.
    static func quoted(_ text: String) -> String {
        "\""
            + text.reduce(into: "") { result, character in
                switch character {
                case "\"": result += "\\\""
                case "\\": result += "\\\\"
                case "\n": result += "\\n"
                default: result.append(character)
                }
            } + "\""
    }
}
