import Thaw

/// The origin of results: a model, and the options that affect its results. A file written with `--resume` contains it
/// on each line, so that it stays with lines that are copied elsewhere.
struct ResultOrigin {
    /// The origin as text: `Net.mlmodel --crop fit (0123abcd)`. The digits are a checksum that identifies it.
    let text: String

    /// - Throws: `Failure` if the model cannot be read.
    init(_ path: String, _ arguments: Arguments) throws {
        let options = arguments.commandLine(of: OptionGroups.results)
        let fingerprint = try Model.fingerprint(of: path, labels: arguments[Options.labels], options: options)
        self.init(name: lastComponent(of: path), options: options, fingerprint)
    }

    init(name: String, options: [String], _ fingerprint: UInt32) {
        let digits = padded(String(fingerprint, radix: 16), 8, left: true, with: "0")
        text = ([name] + options + ["(\(digits))"]).joined(separator: " ")
    }

    /// Whether a line's origin is this one, whatever the name of the model's file was.
    func isSame(as other: String) -> Bool { text.suffix(10) == other.suffix(10) }

    /// The origin in a line of results; nil if it has none. The search is unambiguous: quotes in labels and names are
    /// escaped.
    static func text(inResult line: [UInt8]) -> String? {
        let start = Array("], \"model\": \"".utf8)
        guard let index = line.indices.reversed().first(where: { line[$0...].starts(with: start) }) else { return nil }
        return String(decoding: line[(index + start.count)...].dropLast(2), as: UTF8.self)
    }
}
