extension Unicode.Scalar {
    /// Whether it can affect how a terminal or editor shows other text: a control character, a bidirectional control,
    /// or a line break. Source: Unicode Standard Annex 9, section 2.
    package var isControlling: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The text escaped for SVG or Graphviz labels. Characters that markup does not allow become spaces.
    package var inMarkup: String {
        // By scalars: a `<` and a combining mark after it are one character.
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.isControlling: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
