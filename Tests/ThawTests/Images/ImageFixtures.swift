import Foundation
import Testing

@testable import Thaw

/// The images in Tests/Fixtures/images and Pillow's results for them; see make.py there.
enum ImageFixtures {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/images")

    static func path(_ name: String) -> String { folder.appending(path: name).path }

    /// A row of a table, by column names, with the pixels that it refers to.
    struct Case: CustomTestStringConvertible, Sendable {
        let fields: [String: String]
        let pixels: Pixels

        var file: String { fields["file"]! }
        var testDescription: String {
            ["file", "width", "height", "crop", "channels"].compactMap { fields[$0] }.joined(separator: " ")
        }
    }

    static func table(_ name: String) -> [Case] {
        let text = try! String(contentsOf: folder.appending(path: name + ".tsv"), encoding: .utf8)
        let data = try! [UInt8](Data(contentsOf: folder.appending(path: name + ".bin")))
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        return lines.dropFirst().map { line in
            let fields = Dictionary(uniqueKeysWithValues: zip(lines[0], line))
            let (width, height) = (Int(fields["width"]!)!, Int(fields["height"]!)!)
            let (offset, channels) = (Int(fields["offset"]!)!, fields["channels"] == "gray" ? 1 : 3)
            let bytes = [UInt8](data[offset..<(offset + width * height * channels)])
            return Case(fields: fields, pixels: Pixels(width: width, height: height, channels: channels, bytes: bytes))
        }
    }
}

extension Pixels {
    /// The largest difference of any byte, or nil if the sizes differ.
    func difference(from other: Pixels) -> Int? {
        guard (width, height, channels) == (other.width, other.height, other.channels) else { return nil }
        return zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max()
    }
}

/// The CRC-32 of bytes, like zlib's.
func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { crc, byte in crcTable[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
}

private let crcTable: [UInt32] = (0..<256).map { (index: UInt32) in
    var bits = index
    for _ in 0..<8 { bits = bits & 1 == 0 ? bits >> 1 : (bits >> 1) ^ 0xEDB8_8320 }
    return bits
}
