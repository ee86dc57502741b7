/// The kinds of operations that share a color.
enum BoxColor {
    case border
    case operation(Family)

    var fill: String { colors.fill }
    var edge: String { colors.edge }

    private var colors: (fill: String, edge: String) {
        switch self {
        case .border: ("#e9ecef", "#868e96")
        case .operation(.convolution): ("#d0e7fb", "#4a90c9")
        case .operation(.dense): ("#e3dcf8", "#8067c4")
        case .operation(.normalization): ("#d6f0e6", "#4aa182")
        case .operation(.activation): ("#fdeac5", "#d49a2a")
        case .operation(.pooling): ("#dcefcf", "#74a84c")
        case .operation(.arithmetic), .operation(.quantization): ("#fbdcd9", "#cf6f66")
        case .operation(.arrangement): ("#f5f0e6", "#a89a7c")
        }
    }
}

extension Graph {
    /// The caption of a node.
    func caption(_ node: Node) -> Caption {
        node.operation.caption(node.inputs.map { self[$0] }, node.outputs.map { self[$0] })
    }
}

extension Words {
    /// "112×112×32", without a batch of one.
    static func shape(_ type: TensorType) -> String {
        let sizes = type.shape.rank > 1 && type.shape[0] == 1 ? Shape(type.shape.dropFirst()) : type.shape
        return Words.sizes(sizes)
    }

    /// A count: "1200", "25 k", "3.5 M", "1.2 G".
    static func count(_ number: Int) -> String {
        func rounded(_ unit: Double) -> String { "\((Double(number) / unit * 10).rounded() / 10)" }
        if number >= 1_000_000_000 { return rounded(1e9) + " G" }
        if number >= 1_000_000 { return rounded(1e6) + " M" }
        if number >= 10_000 { return "\((number + 500) / 1000) k" }
        return "\(number)"
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
        // By scalars: a quotation mark and a combining mark after it are one character.
        let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"" + escaped + "\""
    }
}
