/// The width of text on a terminal, which is not its number of characters.
extension StringProtocol {
    /// The number of columns of the text: two for each East Asian wide character and each emoji, otherwise one.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text, or as much of its start as fits into `width` columns with an ellipsis.
    func cut(toColumns width: Int) -> String {
        guard columns > width else { return String(self) }
        var space = width - 1
        let start = prefix { character in
            space -= character.columns
            return space >= 0
        }
        return start + "…"
    }
}

extension Character {
    /// Combining marks are part of the character, and take no columns.
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        return scalar.properties.isEmojiPresentation || Self.fullWidthRanges.contains { $0.contains(scalar.value) }
            ? 2 : 1
    }

    /// The blocks that are wide or full-width according to Unicode Standard Annex 11, in ascending order.
    private static let fullWidthRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18CFF, 0x1AFF0...0x1B2FB, 0x20000...0x3FFFD,
    ]
}
