/// The label of an operation in a drawing.
struct Caption {
    /// The operation in the field's terms.
    var title: String
    /// Its parameters: sizes, axes, numbers.
    var details: [String]

    init(_ title: String, _ details: [String] = []) {
        self.title = title
        self.details = details.filter { !$0.isEmpty }
    }
}

/// The purpose that operations share.
enum Family {
    /// Combines neighboring pixels, or the channels of a pixel, by weights.
    case convolution
    /// Products of matrices.
    case dense
    /// Scales values by statistics.
    case normalization
    /// A nonlinear function.
    case activation
    /// Fewer or more values from each neighborhood, without weights.
    case pooling
    /// Computes with values one by one.
    case arithmetic
    /// Rounds values to fewer levels.
    case quantization
    /// Moves, selects or repeats values without computing with them.
    case arrangement
}

/// The spelling of names, numbers and shapes in captions.
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

    static func sizes(_ shape: Shape) -> String { shape.map(String.init).joined(separator: "×") }

    static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

    static func number(_ number: Float) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
