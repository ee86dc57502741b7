extension String {
    /// The text where markup stands, of SVG or of a label of Graphviz's. Characters that markup cannot hold become blanks.
    package var inMarkup: String {
        reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where character.isNewline || character.unicodeScalars.contains { $0.value < 32 }: result += " "
            default: result.append(character)
            }
        }
    }
}
