/// A labeled box to draw into an image, in pixels.
package struct BoxMark: Sendable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double
    package var text: String
    package var color: RGBColor

    package init(x: Double, y: Double, width: Double, height: Double, text: String, color: RGBColor) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        (self.text, self.color) = (text, color)
    }
}

extension BoxMark {
    /// Colors that differ from each other on most photos, assigned to the classes in turn.
    package static func color(ofClass index: Int) -> RGBColor {
        let colors: [(UInt8, UInt8, UInt8)] = [
            (230, 60, 60), (40, 160, 70), (50, 110, 230), (240, 170, 30), (150, 70, 200), (20, 175, 190),
            (240, 110, 170),
            (140, 110, 40), (110, 200, 50), (90, 90, 110),
        ]
        let (red, green, blue) = colors[index % colors.count]
        return RGBColor(red: red, green: green, blue: blue)
    }
}

extension Pixels {
    /// The image in color, with boxes and their labels drawn on it. The first mark is on top.
    package func drawing(_ marks: [BoxMark]) -> Pixels {
        let source = converted(to: .rgb)
        var canvas = Canvas(width: width, height: height, bytes: source.bytes)
        let line = max(1, max(width, height) / 400)
        let scale = max(1, min(width, height) / 240)
        for mark in marks.reversed() {
            let left = canvas.column(mark.x)
            let top = canvas.row(mark.y)
            // A detector may compute a negative width, or NaN.
            let right = max(left, canvas.column(mark.x + mark.width))
            let bottom = max(top, canvas.row(mark.y + mark.height))
            canvas.fill(left..<right, top..<top + line, mark.color)
            canvas.fill(left..<right, bottom - line..<bottom, mark.color)
            canvas.fill(left..<left + line, top..<bottom, mark.color)
            canvas.fill(right - line..<right, top..<bottom, mark.color)
            canvas.write(mark.text, left, top, scale: scale, on: mark.color)
        }
        return Pixels(width: width, height: height, channels: 3, bytes: canvas.bytes)
    }
}

/// A three-channel image to draw on. Pixels outside it are not drawn.
private struct Canvas {
    let width: Int
    let height: Int
    var bytes: [UInt8]

    func column(_ x: Double) -> Int { Self.edge(x, width) }

    func row(_ y: Double) -> Int { Self.edge(y, height) }

    /// The nearest edge of pixels in the image, also for infinity and NaN.
    private static func edge(_ position: Double, _ size: Int) -> Int {
        Int(max(0, min(position, Double(size))).rounded())
    }

    mutating func fill(_ columns: Range<Int>, _ rows: Range<Int>, _ color: RGBColor) {
        let (columns, rows) = (columns.clamped(to: 0..<width), rows.clamped(to: 0..<height))
        for y in rows {
            for x in columns {
                let offset = (y * width + x) * 3
                (bytes[offset], bytes[offset + 1], bytes[offset + 2]) = (color.red, color.green, color.blue)
            }
        }
    }

    /// Writes a line of text on a background, above the row if there is space.
    mutating func write(_ text: String, _ left: Int, _ row: Int, scale: Int, on ground: RGBColor) {
        let glyphs = text.uppercased().map(Glyph.init)
        guard !glyphs.isEmpty else { return }
        let (labelWidth, labelHeight) = (glyphs.count * 6 * scale + scale, 9 * scale)
        let top = row >= labelHeight ? row - labelHeight : row
        let start = max(0, min(left, width - labelWidth))
        fill(start..<start + labelWidth, top..<top + labelHeight, ground)
        let brightness = 299 * Int(ground.red) + 587 * Int(ground.green) + 114 * Int(ground.blue)
        let ink = brightness > 140_000 ? RGBColor.black : .white
        for (index, glyph) in glyphs.enumerated() {
            for y in 0..<7 {
                for x in 0..<5 where glyph.isSet(x, y) {
                    let (column, line) = (start + (6 * index + 1 + x) * scale, top + (1 + y) * scale)
                    fill(column..<column + scale, line..<line + scale, ink)
                }
            }
        }
    }
}

/// A character of 5 × 7 pixels.
private struct Glyph {
    /// Seven bytes, the top row first. The leftmost pixel of a row is bit 4.
    private let rows: UInt64

    /// Characters without a bitmap are boxes.
    init(_ character: Character) { rows = Self.forms[character] ?? 0x1F_11_11_11_11_11_1F }

    func isSet(_ x: Int, _ y: Int) -> Bool { rows >> UInt64(8 * (6 - y) + 4 - x) & 1 == 1 }

    private static let forms: [Character: UInt64] = [
        "A": 0x0E_11_11_1F_11_11_11, "B": 0x1E_11_11_1E_11_11_1E, "C": 0x0E_11_10_10_10_11_0E,
        "D": 0x1E_11_11_11_11_11_1E, "E": 0x1F_10_10_1E_10_10_1F, "F": 0x1F_10_10_1E_10_10_10,
        "G": 0x0E_11_10_17_11_11_0F, "H": 0x11_11_11_1F_11_11_11, "I": 0x0E_04_04_04_04_04_0E,
        "J": 0x07_02_02_02_02_12_0C, "K": 0x11_12_14_18_14_12_11, "L": 0x10_10_10_10_10_10_1F,
        "M": 0x11_1B_15_15_11_11_11, "N": 0x11_11_19_15_13_11_11, "O": 0x0E_11_11_11_11_11_0E,
        "P": 0x1E_11_11_1E_10_10_10, "Q": 0x0E_11_11_11_15_12_0D, "R": 0x1E_11_11_1E_14_12_11,
        "S": 0x0F_10_10_0E_01_01_1E, "T": 0x1F_04_04_04_04_04_04, "U": 0x11_11_11_11_11_11_0E,
        "V": 0x11_11_11_11_11_0A_04, "W": 0x11_11_11_15_15_1B_11, "X": 0x11_11_0A_04_0A_11_11,
        "Y": 0x11_11_0A_04_04_04_04, "Z": 0x1F_01_02_04_08_10_1F,
        "0": 0x0E_11_13_15_19_11_0E, "1": 0x04_0C_04_04_04_04_0E, "2": 0x0E_11_01_02_04_08_1F,
        "3": 0x1F_02_04_02_01_11_0E, "4": 0x02_06_0A_12_1F_02_02, "5": 0x1F_10_1E_01_01_11_0E,
        "6": 0x06_08_10_1E_11_11_0E, "7": 0x1F_01_02_04_08_08_08, "8": 0x0E_11_11_0E_11_11_0E,
        "9": 0x0E_11_11_0F_01_02_0C,
        " ": 0, ".": 0x00_00_00_00_00_0C_0C, ",": 0x00_00_00_00_0C_04_08, "-": 0x00_00_00_0E_00_00_00,
        "_": 0x00_00_00_00_00_00_1F, "/": 0x01_01_02_04_08_10_10, ":": 0x00_0C_0C_00_0C_0C_00,
        "%": 0x18_19_02_04_08_13_03, "(": 0x02_04_08_08_08_04_02, ")": 0x08_04_02_02_02_04_08,
        "+": 0x00_04_04_1F_04_04_00, "&": 0x0C_12_14_08_15_12_0D, "'": 0x04_04_08_00_00_00_00,
        "?": 0x0E_11_01_02_04_00_04, "#": 0x0A_0A_1F_0A_1F_0A_0A,
    ]
}
