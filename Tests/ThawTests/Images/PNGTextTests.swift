import Foundation
import Testing

@testable import Thaw

/// Texts in PNG files, which may contain the orientation.
@Suite struct PNGTextTests {
    /// A chunk of a PNG file.
    private func chunk(_ name: String, _ content: [UInt8]) -> Data {
        func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let covered = Array(name.utf8) + content
        return Data(number(UInt32(content.count)) + covered + number(crc32(covered)))
    }

    private func fixture(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: ImageFixtures.path("good/" + name)))
    }

    private func decoded(_ data: Data) throws -> DecodedImage {
        try data.withUnsafeBytes { try DecodedImage(decoding: $0) }
    }

    /// Decompressing and parsing 300 texts of 7 MB would take minutes.
    @Test(.timeLimit(.minutes(1)))
    func `among many compressed texts, only the one with the orientation is decompressed`()
        throws
    {
        // The compressed pixels of an empty image serve as the text.
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "empty.png").path
        let zeros = [UInt8](repeating: 0, count: 2800 * 2500)
        try Pixels(width: 2800, height: 2500, channels: 1, bytes: zeros).write(toFile: path)
        let compressed = try Data(contentsOf: URL(filePath: path)).withUnsafeBytes { bytes in
            PNGChunks(bytes).filter { $0.name == "IDAT" }.flatMap { [UInt8]($0.content) }
        }
        #expect(compressed.count < 20_000)
        let text = chunk("zTXt", Array("Raw profile type exif\0\0".utf8) + compressed)
        var png = try fixture("orientation-6-compressed-text.png")
        let expected = try decoded(png).pixels
        for _ in 0..<300 { png.insert(contentsOf: text, at: 33) }
        #expect(try decoded(png).pixels == expected)
    }

    @Test func `a text with a wrong checksum is ignored`() throws {
        var png = try fixture("orientation-5-text.png")
        let turned = try decoded(png)
        let name = try #require(png.range(of: Data("tEXt".utf8)))
        // Changes the case of a hexadecimal digit or of a letter in the header, so that only the checksum is wrong.
        png[name.upperBound + 24] ^= 0x20
        let image = try decoded(png)
        #expect(turned.warning == nil && image.warning?.description == "a checksum in the PNG file is wrong")
        #expect(image.pixels.width == turned.pixels.height)
    }

    @Test(arguments: [
        ("zTXt", "Raw profile type exif\0"), ("zTXt", "Raw profile type exif\0\u{1}x"),
        ("iTXt", "XML:com.adobe.xmp\0"), ("iTXt", "XML:com.adobe.xmp\0\u{1}"),
        ("iTXt", "XML:com.adobe.xmp\0\u{1}\0en"), ("iTXt", "XML:com.adobe.xmp\0\u{1}\0\0\0none"),
        ("tEXt", "Raw profile type exif\0"), ("tEXt", "Raw profile type exif\0\nexif\n3\nabc"),
    ]) func `a truncated text has no effect`(_ name: String, _ content: String) throws {
        var png = try fixture("rgb-8.png")
        let upright = try decoded(png)
        png.insert(contentsOf: chunk(name, Array(content.utf8)), at: 33)
        #expect(try decoded(png).pixels == upright.pixels)
    }
}
