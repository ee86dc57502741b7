import Foundation
import Testing

@testable import Thaw

@Suite struct DecodingTests {
    @Test(arguments: ImageFixtures.table("decoded"))
    func `every kind of image decodes to Pillow's pixels`(_ expected: ImageFixtures.Case) throws {
        let image = try DecodedImage(contentsOfFile: ImageFixtures.path("good/" + expected.file))
        #expect(image.warning == nil)
        // Versions of libwebp differ in the last bit of colors.
        let tolerance = expected.file.hasPrefix("lossy") ? 2 : 0
        let difference = image.pixels.converted(to: .rgb).difference(from: expected.pixels)
        #expect(try #require(difference) <= tolerance)
    }

    @Test(arguments: ImageFixtures.table("composed"))
    func `alpha is composited onto the requested background`(_ expected: ImageFixtures.Case) throws {
        let color = try #require(UInt32(expected.fields["ground"]!.dropFirst(), radix: 16))
        let ground = RGBColor(
            red: UInt8(color >> 16), green: UInt8(truncatingIfNeeded: color >> 8),
            blue: UInt8(truncatingIfNeeded: color))
        let image = try Pixels(
            contentsOfFile: ImageFixtures.path("good/" + expected.file), options: DecodingOptions(background: ground))
        // Pillow rounds the weights of both layers, not their sum.
        #expect(try #require(image.converted(to: .rgb).difference(from: expected.pixels)) <= 1)
    }

    @Test(arguments: ["gray.jpg", "gray-1.png", "gray-alpha-16.png", "gray.pgm", "16.pam"])
    func `gray files decode to one channel`(_ name: String) throws {
        #expect(try Pixels(contentsOfFile: ImageFixtures.path("good/" + name)).channels == 1)
    }

    @Test(
        arguments: [
            ("tiff", "a TIFF"), ("heic", "a HEIC"), ("avif", "an AVIF"), ("jp2", "a JPEG 2000"), ("ico", "an icon"),
        ])
    func `other kinds of images are refused by name`(_ suffix: String, _ kind: String) throws {
        let path = ImageFixtures.path("refused/picture." + suffix)
        let failure = #expect(throws: Failure.self) { try Pixels(contentsOfFile: path) }
        #expect(
            failure?.description
                == "\(path): is \(kind) image, which is not supported; "
                + "JPEG, PNG, WebP, GIF, BMP, PNM and PAM are supported")
    }

    @Test func `a missing file, a folder, an empty file and a text file are refused as such`() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appending(path: "empty.jpg"))
        try Data("Dear Sir or Madam".utf8).write(to: folder.url.appending(path: "text.png"))
        func message(_ name: String) -> String? {
            let path = folder.url.appending(path: name).path
            let failure = #expect(throws: Failure.self) { try Pixels(contentsOfFile: path) }
            return failure?.description.replacingOccurrences(of: folder.url.path + "/", with: "")
        }
        #expect(message("missing.jpg") == "missing.jpg: no such file")
        #expect(message("empty.jpg") == "empty.jpg: the file is empty")
        #expect(
            message("text.png") == "text.png: is not an image; expected a JPEG, PNG, WebP, GIF, BMP, PNM or PAM file"
        )
        #expect(message(".")?.hasSuffix("is a folder; expected a file") == true)
    }

    @Test func `messages about data in memory have a subject`() {
        func message(_ bytes: [UInt8]) -> String? {
            #expect(throws: Failure.self) { try bytes.withUnsafeBytes { try Pixels(decoding: $0) } }?.description
        }
        #expect(message(Array("Dear Sir".utf8))?.hasPrefix("the data is not an image; expected a JPEG, ") == true)
        let tiff = message([0x49, 0x49, 0x2A, 0] + [UInt8](repeating: 0, count: 28))
        #expect(tiff?.hasPrefix("the data is a TIFF image, which is not supported; ") == true, "\(tiff ?? "")")
        // The name that results use is that of a file.
        let named = ImageFile(path: "mail.txt", content: Array("Dear Sir".utf8))
        let failure = #expect(throws: Failure.self) { try named.decoded(DecodingOptions()) }
        #expect(failure?.description.hasPrefix("mail.txt: is not an image; ") == true)
    }

    /// One file for every kind of decoding.
    static let kinds = [
        "baseline-420.jpg", "progressive-444.jpg", "gray.jpg", "cmyk.jpg", "restart-markers.jpg", "rgb-8.png",
        "palette-4.png", "gray-16-interlaced.png", "orientation-6-compressed-text.png", "lossless-alpha.webp",
        "lossy-alpha.webp", "animation.webp", "interlaced.gif", "24.bmp", "4.bmp", "16-565.bmp", "rle8.bmp",
        "color.ppm", "text.ppm", "bits.pbm", "16.pgm", "alpha.pam",
    ]

    @Test(arguments: kinds)
    func `a file truncated anywhere is refused in strict mode, and never read past its end`(_ name: String) throws {
        let whole = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/" + name)))
        let size = try Pixels(contentsOfFile: ImageFixtures.path("good/" + name))
        // The last bytes are the end-of-image marker, the checksum of an empty chunk, the end of a number, or padding.
        let margin = name.hasSuffix(".bmp") || name.hasPrefix("animation") ? 4 : name.hasPrefix("text") ? 3 : 1
        let end = name == "animation.webp" ? 60 : whole.count - margin
        for count in 1..<end {
            let part = whole.prefix(count)
            let failure = #expect(throws: Failure.self, "\(count) of \(whole.count) bytes") {
                try part.withUnsafeBytes { try Pixels(decoding: $0, options: DecodingOptions(isStrict: true)) }
            }
            #expect(failure?.problem.description.isEmpty == false)
            // Otherwise as much as possible is decoded, with a warning; other kinds are refused in any case.
            if let image = try? part.withUnsafeBytes({ try DecodedImage(decoding: $0) }) {
                #expect(["jpg", "png", "gif"].contains { name.hasSuffix($0) } || name == "rle8.bmp")
                #expect(image.warning?.hasSuffix("ends too early") == true)
                #expect((image.pixels.width, image.pixels.height) == (size.width, size.height))
            }
        }
    }

    @Test func `a JPEG truncated in the middle is complete above the cut`() throws {
        let whole = try Data(contentsOf: URL(filePath: Fixtures.path("photographs/coffee.jpg")))
        let full = try Pixels(contentsOfFile: Fixtures.path("photographs/coffee.jpg"))
        let image = try whole.prefix(whole.count / 2).withUnsafeBytes { try DecodedImage(decoding: $0) }
        #expect(image.warning?.description == "the JPEG file ends too early")
        #expect((image.pixels.width, image.pixels.height) == (full.width, full.height))
        let quarter = full.width * full.height / 4 * 3
        #expect(image.pixels.bytes.prefix(quarter) == full.bytes.prefix(quarter))
    }

    @Test func `a truncated GIF is complete above the cut; one without any block of data is refused`() throws {
        let path = ImageFixtures.path("good/plain.gif")
        let (data, full) = (try Data(contentsOf: URL(filePath: path)), try Pixels(contentsOfFile: path))
        func read(_ data: Data) throws -> DecodedImage { try data.withUnsafeBytes { try DecodedImage(decoding: $0) } }
        // Pillow reads those that lack only the end of the file.
        let most = try read(data.dropLast(2))
        #expect(most.pixels == full && most.warning?.description == "the GIF file ends too early")
        // A block of 255 bytes with most of the data becomes 17 blocks of 15 bytes.
        let start = data.count - 261
        #expect(data[start] == 255)
        let blocks = stride(from: start + 1, to: start + 256, by: 15).map { Data([15]) + data[$0..<($0 + 15)] }
        let whole = data[..<start] + blocks.reduce(Data(), +) + data[(start + 256)...]
        #expect(try read(whole).pixels == full)
        let image = try read(data[..<start] + blocks.prefix(9).reduce(Data(), +))
        #expect(image.warning?.description == "the GIF file ends too early")
        #expect((image.pixels.width, image.pixels.height) == (full.width, full.height))
        #expect(image.pixels.bytes.prefix(full.width * 3 * 5) == full.bytes.prefix(full.width * 3 * 5))
        #expect(image.pixels != full)
        #expect(throws: Failure.truncatedImage("GIF")) { try read(data[..<start]) }
    }

    @Test func `bytes between the blocks of a GIF are skipped`() throws {
        let path = ImageFixtures.path("good/plain.gif")
        var data = try Data(contentsOf: URL(filePath: path))
        // After the header and the palette, whose size is in the flags.
        data.insert(contentsOf: [0, 0, 7], at: 13 + 3 << (Int(data[10] & 7) + 1))
        #expect(try data.withUnsafeBytes { try Pixels(decoding: $0) } == (try Pixels(contentsOfFile: path)))
    }

    @Test func `a PNG with a wrong checksum is read with a warning, or refused in strict mode`() throws {
        let path = ImageFixtures.path("good/rgb-8.png")
        var data = try Data(contentsOf: URL(filePath: path))
        data[data.count - 13] ^= 1
        let image = try data.withUnsafeBytes { try DecodedImage(decoding: $0) }
        #expect(image.pixels == (try Pixels(contentsOfFile: path)))
        #expect(image.warning?.description == "a checksum in the PNG file is wrong")
        #expect(throws: Failure.wrongChecksum("PNG")) {
            try data.withUnsafeBytes { try DecodedImage(decoding: $0, options: DecodingOptions(isStrict: true)) }
        }
    }

    @Test func `the orientation in XMP is used if EXIF has none`() throws {
        func chunk(_ name: String, _ content: [UInt8]) -> Data {
            var data = Data([0, 0, UInt8(content.count >> 8), UInt8(content.count & 255)])
            data += Data(name.utf8)
            data += content
            let checksum = crc32(data.dropFirst(4))
            data += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
            return data
        }
        let png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/rgb-8.png")))
        let upright = try Pixels(contentsOfFile: ImageFixtures.path("good/rgb-8.png"))
        for spelling in ["tiff:Orientation=\"6\"", "<tiff:Orientation>6</tiff:Orientation>"] {
            var data = png
            data.insert(contentsOf: chunk("iTXt", Array(("XML:com.adobe.xmp\0\0\0\0\0" + spelling).utf8)), at: 33)
            #expect(try data.withUnsafeBytes { try Pixels(decoding: $0) } == upright.turned(.turnedRight))
        }
        var none = png
        none.insert(contentsOf: chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0tiff:Orientation".utf8)), at: 33)
        #expect(try none.withUnsafeBytes { try Pixels(decoding: $0) } == upright)
    }

    @Test(arguments: [3, 4, 8, 9], [true, false])
    func `EXIF's orientation has two bytes or four`(_ type: Int, _ isLittle: Bool) throws {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return isLittle ? bytes : bytes.reversed()
        }
        let value = number(6, type == 3 || type == 8 ? 2 : 4)
        let exif =
            Array((isLittle ? "II*\0" : "MM\0*").utf8) + number(8, 4) + number(1, 2) + number(0x0112, 2)
            + number(type, 2) + number(1, 4) + value + [UInt8](repeating: 0, count: 8 - value.count)
        var png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/rgb-8.png")))
        png.insert(contentsOf: [0, 0, 0, UInt8(exif.count)] + Array("eXIf".utf8) + exif + [0, 0, 0, 0], at: 33)
        let upright = try Pixels(contentsOfFile: ImageFixtures.path("good/rgb-8.png"))
        #expect(try png.withUnsafeBytes { try Pixels(decoding: $0) } == upright.turned(.turnedRight))
    }

    @Test func `a PNG whose end is missing is read, with a warning`() throws {
        let path = ImageFixtures.path("good/rgb-8.png")
        let png = try Data(contentsOf: URL(filePath: path)).dropLast(12)
        let image = try png.withUnsafeBytes { try DecodedImage(decoding: $0) }
        #expect(image.pixels == (try Pixels(contentsOfFile: path)))
        #expect(image.warning?.description == "the PNG file ends too early")
    }

    @Test func `bitmaps with masks of 24 bits, a short palette, or any whitespace in a header are read`() throws {
        /// A bitmap with the words of a header, each with its number of bytes.
        func bitmap(_ words: [(value: Int, count: Int)], _ content: [UInt8]) -> [UInt8] {
            var bytes = Array("BM".utf8)
            for word in words { bytes += (0..<word.count).map { UInt8(word.value >> (8 * $0) & 255) } }
            return bytes + content
        }
        let fields = bitmap(
            [
                (70, 4), (0, 4), (66, 4), (40, 4), (1, 4), (1, 4), (1, 2), (24, 2), (3, 4), (4, 4), (0, 16), (0xFF, 4),
                (0xFF00, 4), (0xFF0000, 4),
            ], [1, 2, 3, 0])
        #expect(try fields.withUnsafeBytes { try Pixels(decoding: $0) }.bytes == [1, 2, 3])
        let palette = bitmap(
            [(36, 4), (0, 4), (32, 4), (12, 4), (1, 2), (1, 2), (1, 2), (8, 2)], [9, 9, 9, 30, 20, 10, 1, 0, 0, 0])
        #expect(try palette.withUnsafeBytes { try Pixels(decoding: $0) }.bytes == [10, 20, 30])
        let blank = Array("P6\u{0B}1 1 255\n".utf8) + [7, 8, 9]
        #expect(try blank.withUnsafeBytes { try Pixels(decoding: $0) }.bytes == [7, 8, 9])
    }

    @Test(arguments: kinds)
    func `corruption gives an image of the same size or a failure, never a crash`(_ name: String) throws {
        let whole = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/" + name)))
        var state: UInt64 = 1
        for _ in 0..<1000 {
            var copy = whole
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                copy[Int(state >> 33) % copy.count] = UInt8(truncatingIfNeeded: state >> 25)
            }
            do {
                let image = try copy.withUnsafeBytes { try Pixels(decoding: $0) }
                #expect(image.bytes.count == image.width * image.height * image.channels)
            } catch let failure as Failure {
                #expect(!failure.problem.description.isEmpty)
            }
        }
    }

    @Test func `a header that declares more pixels than the file can contain is refused before allocation`() throws {
        var png = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/rgb-8.png")))
        png.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
        let huge = #expect(throws: Failure.self) { try png.withUnsafeBytes { try Pixels(decoding: $0) } }
        #expect(huge?.problem.description == "the image claims 2147483647 × 2147483647 pixels")
        #expect(huge?.remedy?.description == "the limit is 200000000 pixels")
        png.replaceSubrange(16..<24, with: [0, 0, 0x30, 0, 0, 0, 0x30, 0])
        let large = #expect(throws: Failure.self) { try png.withUnsafeBytes { try Pixels(decoding: $0) } }
        #expect(large?.problem.description == "the file is too short for the 12288 × 12288 pixels that it claims")

        var jpeg = try Data(contentsOf: URL(filePath: ImageFixtures.path("good/baseline-420.jpg")))
        let frame = try #require(jpeg.firstRange(of: Data([0xFF, 0xC0])))
        jpeg.replaceSubrange(frame.upperBound + 3..<frame.upperBound + 7, with: [0x30, 0, 0x30, 0])
        let wide = #expect(throws: Failure.self) { try jpeg.withUnsafeBytes { try Pixels(decoding: $0) } }
        #expect(wide?.problem.description == "the file is too short for the 12288 × 12288 pixels that it claims")
    }

    @Test func `the limit of pixels can be changed`() throws {
        let path = ImageFixtures.path("good/rgb-8.png")
        #expect(try Pixels(contentsOfFile: path, options: DecodingOptions(maximumPixels: 450)).width == 25)
        for name in ["rgb-8.png", "baseline-420.jpg", "lossless.webp", "plain.gif", "24.bmp", "rle8.bmp", "color.ppm"] {
            let path = ImageFixtures.path("good/" + name)
            let failure = #expect(throws: Failure.self) {
                try Pixels(contentsOfFile: path, options: DecodingOptions(maximumPixels: 449))
            }
            #expect(failure?.problem.description == "the image claims 25 × 18 pixels")
        }
    }
}
