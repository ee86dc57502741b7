/// Formatting of numbers and strings in results, independent of the locale.
import Thaw

/// A field of a CSV line, quoted if necessary (RFC 4180).
func csv(_ text: String) -> String {
    let needsQuotes = text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    guard needsQuotes else { return text }
    var quoted = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        quoted.append(scalar)
        if scalar == "\"" { quoted.append(scalar) }
    }
    return "\"" + String(quoted) + "\""
}

/// A number in a CSV line, without the sign of NaN, which is meaningless.
func csv(_ number: Float) -> String { number.isNaN ? "nan" : number.description }

/// `number` with this many decimals, rounded to nearest.
func fixed(_ number: Double, _ digits: Int) -> String {
    let power = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    guard abs(number) * power < 1e18 else { return number.description }
    let scaled = UInt64((abs(number) * power).rounded())
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: UInt64(power))
    let sign = number < 0 && scaled > 0 ? "-" : ""
    if digits == 0 { return sign + String(whole) }
    let text = String(fraction)
    return sign + "\(whole)." + String(repeating: "0", count: digits - text.count) + text
}

extension JSON {
    /// A number with this many decimals; null for NaN and infinities.
    init(_ number: Double, digits: Int) { self = number.isFinite ? .numeral(fixed(number, digits)) : .null }
}

/// A nonnegative `number` with three significant digits: 0.00123, 1.23e-07.
func significant(_ number: Double) -> String {
    guard number.isFinite, number != 0 else { return number == 0 ? "0" : "\(number)" }
    var exponent = 0
    var mantissa = number
    while mantissa >= 9.995 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 0.9995 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    if (-4...2).contains(exponent) { return fixed(number, 2 - exponent) }
    return fixed(mantissa, 2) + "e" + (exponent < 0 ? "-" : "+") + padded("\(abs(exponent))", 2, left: true, with: "0")
}

/// An integer with thousands separators.
func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var index = digits.count - 3
    while index > 0 {
        digits.insert(",", at: index)
        index -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
}

/// A count with thousands separators, and its noun.
func grouped(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    "\(grouped(count)) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// The name of the file or folder at a path.
func lastComponent(of path: String) -> String {
    var name = path[...]
    while name.count > 1, name.last == "/" { name.removeLast() }
    return fileName(of: String(name))
}

/// A name or a label that is safe to print to a terminal: without control characters, bidirectional controls and line
/// breaks.
func shown(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isControlling ? "?" : $0 }))
}

enum TerminalColor {
    /// The color of a top label.
    static let emphasis = "\u{1B}[1;32m"
    static let reset = "\u{1B}[0m"
}

/// Lines that are safe to print to a terminal: the only control characters left are tabs and our own colors.
func plain(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.isControlling && $0 != "\n" }) else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
        let color = [TerminalColor.emphasis, TerminalColor.reset].first { rest.starts(with: $0.unicodeScalars) }
        if let color {
            result.append(contentsOf: color.unicodeScalars)
            rest = rest.dropFirst(color.unicodeScalars.count)
        } else {
            result.append(scalar.isControlling && scalar != "\n" && scalar != "\t" ? "?" : scalar)
            rest = rest.dropFirst()
        }
    }
    return String(result)
}

/// `text` padded with spaces on the right, or on the left, to `width` terminal columns.
func padded(_ text: String, _ width: Int, left: Bool = false, with filling: Character = " ") -> String {
    let space = String(repeating: filling, count: max(0, width - text.columns))
    return left ? space + text : text + space
}
