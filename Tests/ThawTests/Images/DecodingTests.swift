import Foundation
import Testing

@testable import Thaw

@Suite struct DecodingTests {
    @Test("Every kind of JPEG and PNG decodes to Pillow's pixels", arguments: ImageFixtures.table("decoded"))
    func decoding(_ expected: ImageFixtures.Case) throws {
        let picture = try Pixels(contentsOf: ImageFixtures.path("good/" + expected.file)).converted(to: .rgb)
        #expect(picture.difference(from: expected.pixels) == 0)
    }

    @Test("Gray files decode to one channel", arguments: ["gray.jpg", "gray-1.png", "gray-alpha-16.png"])
    func grayStaysGray(_ name: String) throws {
        #expect(try Pixels(contentsOf: ImageFixtures.path("good/" + name)).channels == 1)
    }

    @Test(
        "Other kinds of images are refused by their names",
        arguments: [
            ("gif", "GIF"), ("webp", "WebP"), ("bmp", "BMP"), ("tiff", "TIFF"), ("heic", "HEIC"), ("avif", "AVIF"),
            ("jp2", "JPEG 2000"), ("ppm", "PNM"), ("ico", "icon"),
        ])
    func otherKinds(_ suffix: String, _ kind: String) throws {
        let path = ImageFixtures.path("refused/picture." + suffix)
        let failure = #expect(throws: Failure.self) { try Pixels(contentsOf: path) }
        #expect(
            failure?.description
                == "\(path): is an image of the kind \(kind), which this version does not read; JPEG and PNG are read")
    }

    @Test("A missing file, a folder, an empty file and a text are named as what they are")
    func notPictures() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "empty.jpg"))
        try Data("Dear Sir or Madam".utf8).write(to: folder.url.appending(path: "text.png"))
        func message(_ name: String) -> String? {
            let path = folder.url.appending(path: name).path
            let failure = #expect(throws: Failure.self) { try Pixels(contentsOf: path) }
            return failure?.description.replacingOccurrences(of: folder.url.path + "/", with: "")
        }
        #expect(message("missing.jpg") == "missing.jpg: no such file")
        #expect(message("empty.jpg") == "empty.jpg: the file is empty")
        #expect(message("text.png") == "text.png: is not an image; a JPEG or PNG file is expected")
        #expect(message(".")?.hasSuffix("is a folder; a file is expected") == true)
    }

    /// Every kind that reads its data in another way.
    static let kinds = [
        "baseline-420.jpg", "progressive-444.jpg", "gray.jpg", "cmyk.jpg", "restart-markers.jpg", "rgb-8.png",
        "palette-4.png", "gray-16-interlaced.png",
    ]

    @Test("A file cut short anywhere is refused, and never read past its end", arguments: kinds)
    func truncated(_ name: String) throws {
        let whole = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/" + name)))
        // The last bytes are the end-of-image marker, or the checksum of an empty chunk.
        for count in 1..<whole.count - 1 {
            let failure = #expect(throws: Failure.self, "\(count) of \(whole.count) bytes") {
                try whole.prefix(count).withUnsafeBytes { try Pixels(decoding: $0) }
            }
            #expect(failure?.problem.isEmpty == false)
        }
    }

    @Test("Damage gives a picture of the same size or a failure, never a crash", arguments: kinds)
    func damaged(_ name: String) throws {
        let whole = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/" + name)))
        var state: UInt64 = 1
        for _ in 0..<3000 {
            var copy = whole
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                copy[Int(state >> 33) % copy.count] = UInt8(truncatingIfNeeded: state >> 25)
            }
            do {
                let picture = try copy.withUnsafeBytes { try Pixels(decoding: $0) }
                #expect(picture.bytes.count == picture.width * picture.height * picture.channels)
            } catch let failure as Failure {
                #expect(!failure.problem.isEmpty)
            }
        }
    }

    @Test("A header that claims more pixels than the file can hold is refused before room is made for them")
    func absurdSizes() throws {
        var png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/rgb-8.png")))
        png.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
        let huge = #expect(throws: Failure.self) { try png.withUnsafeBytes { try Pixels(decoding: $0) } }
        #expect(huge?.problem == "the picture claims 2147483647 × 2147483647 pixels")
        png.replaceSubrange(16..<24, with: [0, 0, 0x40, 0, 0, 0, 0x40, 0])
        let large = #expect(throws: Failure.self) { try png.withUnsafeBytes { try Pixels(decoding: $0) } }
        #expect(large?.problem == "the file is too short for the 16384 × 16384 pixels that it claims")

        var jpeg = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/baseline-420.jpg")))
        let frame = try #require(jpeg.firstRange(of: Data([0xFF, 0xC0])))
        jpeg.replaceSubrange(frame.upperBound + 3..<frame.upperBound + 7, with: [0x40, 0, 0x40, 0])
        let wide = #expect(throws: Failure.self) { try jpeg.withUnsafeBytes { try Pixels(decoding: $0) } }
        #expect(wide?.problem == "the file is too short for the 16384 × 16384 pixels that it claims")
    }
}
