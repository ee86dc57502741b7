import Thaw

// ThawService, which cannot import ThawCommand, has a link to this file: `thaw serve` checks its options, and `thaw-serve`
// reads them again.

/// An option of `thaw serve` whose value is an integer.
struct ServeNumber: Sendable {
    let defaultValue: Int
    let range: ClosedRange<Int>

    private init(_ defaultValue: Int, in range: ClosedRange<Int>) {
        (self.defaultValue, self.range) = (defaultValue, range)
    }

    /// What a value must be, for a message.
    var expected: String { "an integer from \(range.lowerBound) to \(range.upperBound)" }

    /// The value of the text; nil if it contains anything but digits, or if the value is out of range.
    func value(of text: String) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text), range.contains(value) else {
            return nil
        }
        return value
    }

    static let port = ServeNumber(8080, in: 0...65535)
    /// `Options.threads` of the commands has the same range.
    static let threads = ServeNumber(Processors.count, in: 1...1024)
    static let queue = ServeNumber(64, in: 1...1_000_000)
    static let maxBody = ServeNumber(64 << 20, in: 1...(1 << 30))
    static let maxPixels = ServeNumber(64_000_000, in: 1...(1 << 40))
    static let connections = ServeNumber(4096, in: 1...1_000_000)
    /// In seconds, like the next one.
    static let timeout = ServeNumber(60, in: 1...86400)
    static let grace = ServeNumber(10, in: 0...86400)
}
