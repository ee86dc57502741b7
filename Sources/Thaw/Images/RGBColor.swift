/// A color with 8 bits per channel.
public struct RGBColor: Equatable, Sendable {
    /// Red, from 0 to 255.
    public var red: UInt8
    /// Green, from 0 to 255.
    public var green: UInt8
    /// Blue, from 0 to 255.
    public var blue: UInt8

    /// A color with these channels.
    public init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// Reads `#RRGGBB` or `RRGGBB`; nil for anything else.
    public init?(hexadecimal text: String) {
        // To a shell, an unquoted # begins a comment.
        let digits = text.utf8.first == UInt8(ascii: "#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: 16) else {
            return nil
        }
        self.init(
            red: UInt8(number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number))
    }

    /// Black: all channels are 0.
    public static let black = RGBColor(red: 0, green: 0, blue: 0)
    /// White: all channels are 255.
    public static let white = RGBColor(red: 255, green: 255, blue: 255)

    var isGray: Bool { red == green && green == blue }
}
