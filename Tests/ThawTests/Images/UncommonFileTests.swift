import Foundation
import Testing

@testable import Thaw

/// GIF, PNM and PAM files that few programs write.
@Suite struct UncommonFileTests {
    private func decoded(_ bytes: [UInt8]) throws -> Pixels { try bytes.withUnsafeBytes { try Pixels(decoding: $0) } }

    @Test(arguments: [9, 12, 200, 255]) func `a GIF with too large an LZW code size is refused with that reason`(
        _ size: UInt8
    ) throws {
        // A frame of one pixel without a local palette.
        let header = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        #expect(try decoded(header + frame + [2, 2, 0x44, 1, 0, 0x3B]).bytes == [0, 0, 0])
        let failure = #expect(throws: Failure.self) { try decoded(header + frame + [size, 2, 0x44, 1, 0, 0x3B]) }
        #expect(
            failure?.problem.description
                == "the GIF file is corrupt: its LZW codes start with \(size) bits; at most 8 are valid"
        )
        let short = #expect(throws: Failure.self) { try decoded(header + frame) }
        #expect(short?.problem.description == "the GIF file ends too early")
    }

    /// Python: `round(value / maximum * 65535) >> 8` for gray of more than 8 bits, else `round(value / maximum * 255)`.
    @Test(arguments: [
        ("P5", 65535, 255, 0), ("P5", 65535, 256, 1), ("P5", 65535, 65279, 254), ("P5", 65535, 65280, 255),
        ("P5", 300, 1, 0), ("P5", 300, 2, 1), ("P5", 300, 150, 128), ("P5", 300, 299, 255), ("P5", 300, 300, 255),
        ("P5", 256, 127, 127), ("P6", 65535, 255, 1), ("P6", 65535, 128, 0), ("P6", 65535, 129, 1),
        ("P6", 300, 150, 128), ("P6", 300, 299, 254),
    ]) func `samples of more than 8 bits are converted as in Pillow`(
        _ kind: String, _ maximum: Int, _ value: Int, _ expected: UInt8
    ) throws {
        let channels = kind == "P6" ? 3 : 1
        let sample = [UInt8(value >> 8), UInt8(value & 255)]
        let file = Array("\(kind) 1 1 \(maximum)\n".utf8) + (0..<channels).flatMap { _ in sample }
        #expect(try decoded(file).bytes == [UInt8](repeating: expected, count: channels))
        let type = channels == 3 ? "RGB" : "GRAYSCALE"
        let header = "P7\nWIDTH 1\nHEIGHT 1\nDEPTH \(channels)\nMAXVAL \(maximum)\nTUPLTYPE \(type)\nENDHDR\n"
        #expect(try decoded(Array(header.utf8) + (0..<channels).flatMap { _ in sample }).bytes == decoded(file).bytes)
    }

    @Test(arguments: [
        ("WIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK", "a PAM image of type CMYK with 4 samples per pixel"),
        ("WIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE RGB", "a PAM image of type RGB with 1 samples per pixel"),
        ("WIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255", "a PAM image of type none with 5 samples per pixel"),
        ("WIDTH 1\nHEIGHT 0\nDEPTH 1\nMAXVAL 255", "no pixels"), ("WIDTH 1\nHEIGHT 1\nDEPTH 1", "MAXVAL is 0"),
        ("WIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 65536", "MAXVAL is 65536"), ("WIDTH one", "expected a number at byte 9"),
        ("COLOR red", "'COLOR' is not a header field"),
        ("WIDTH 60000\nHEIGHT 60000\nDEPTH 1\nMAXVAL 255", "claims 60000 × 60000 pixels"),
        ("WIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 255", "the PAM file ends too early"),
        ("WIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 256", "the PAM file ends too early"),
    ]) func `a PAM file that cannot be read is refused with the reason`(_ header: String, _ words: String) {
        let failure = #expect(throws: Failure.self) { try decoded(Array("P7\n\(header)\nENDHDR\n".utf8) + [7]) }
        #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
    }

    @Test func `a WebP file that is too short for its size is refused before it is decoded`() {
        // The header of a lossless image: 14 bits each of width - 1 and height - 1.
        let size = UInt32(16_383 - 1) | UInt32(12_000 - 1) << 14
        let content = [0x2F] + withUnsafeBytes(of: size.littleEndian) { Array($0) } + [UInt8](repeating: 0, count: 200)
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + withUnsafeBytes(of: UInt32(content.count).littleEndian) { Array($0) } + content
        }
        let failure = #expect(throws: Failure.self) {
            try decoded(chunk("RIFF", Array("WEBP".utf8) + chunk("VP8L", content + [0])))
        }
        #expect(
            failure?.problem.description == "the file is too short for the 16383 × 12000 pixels that it claims")
    }

    @Test func `a truncated PAM header is refused`() {
        let failure = #expect(throws: Failure.self) { try decoded(Array("P7\nWIDTH 1\nHEIGHT 1\n".utf8)) }
        #expect(failure?.problem.description == "the PAM file ends too early")
    }
}
