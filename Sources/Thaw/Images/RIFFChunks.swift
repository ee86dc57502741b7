/// The chunks of a RIFF file: a four-letter name, a length, the content, and a padding byte if the length is odd.
struct RIFFChunks: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 12

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> (name: String, content: UnsafeRawBufferPointer)? {
        guard offset + 8 <= bytes.count else { return nil }
        let start = offset + 8
        guard let length = try? bytes.number(UInt32.self, at: offset + 4).within(0...bytes.count - start) else {
            return nil
        }
        offset = start + length + length & 1
        let name = String(decoding: bytes[(start - 8)..<(start - 4)], as: UTF8.self)
        return (name, UnsafeRawBufferPointer(rebasing: bytes[start..<(start + length)]))
    }
}
