extension String {
    /// The text escaped for SVG or Graphviz labels. Characters that markup does not allow become spaces.
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
