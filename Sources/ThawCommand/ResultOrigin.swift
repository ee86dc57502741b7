import Thaw

/// What results come from: a model, and the options that make a difference to what it says. A file of results that is gone
/// on with says it on each line, so that a line taken elsewhere still tells.
struct ResultOrigin {
    /// What people read: `Net.mlmodel --crop fit (0123abcd)`. The digits tell it from any other.
    let text: String

    /// - Throws: `Failure` when the model cannot be read.
    init(_ path: String, _ arguments: Arguments) throws {
        let options = arguments.words(of: Commands.whatAnswersDependOn)
        let fingerprint = try Model.fingerprint(of: path, labels: arguments[Options.labels], words: options)
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        name = name[(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)...]
        self.init(name: String(name), options: options, fingerprint)
    }

    init(name: String, options: [String], _ fingerprint: UInt32) {
        let digits = padded(String(fingerprint, radix: 16), 8, left: true, with: "0")
        text = ([name] + options + ["(\(digits))"]).joined(separator: " ")
    }

    /// Whether a line's origin is this one. What the model's file was called does not matter.
    func isSame(as other: String) -> Bool { text.suffix(10) == other.suffix(10) }

    /// The origin that a line of results names; nil where it was written without. In labels and names a quote has a backslash
    /// before it, so nothing else looks like that.
    static func text(inResult line: [UInt8]) -> String? {
        let start = Array("], \"model\": \"".utf8)
        guard let place = line.indices.reversed().first(where: { line[$0...].starts(with: start) }) else { return nil }
        return String(decoding: line[(place + start.count)...].dropLast(2), as: UTF8.self)
    }
}
