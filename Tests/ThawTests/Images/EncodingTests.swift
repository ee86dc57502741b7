import Testing

@testable import Thaw

@Suite struct EncodingTests {
    private func image(_ channels: Int) -> Pixels {
        let bytes = (0..<37 * 21 * channels).map { index -> UInt8 in
            let (x, y) = (index / channels % 37, index / (37 * channels))
            return UInt8((x * 5 + y * 3) % 256)
        }
        return Pixels(width: 37, height: 21, channels: channels, bytes: bytes)
    }

    @Test(arguments: [1, 3]) func `a PNG contains the exact pixels`(_ channels: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("image.PNG").path
        try image(channels).write(toFile: path)
        #expect(try DecodedImage(contentsOfFile: path).pixels == image(channels))
    }

    @Test(arguments: [1, 3]) func `a JPEG approximates the pixels, better with higher quality`(_ channels: Int) throws {
        let folder = try TemporaryFolder()
        let original = image(channels)
        let errors = try [30, 90, 100].map { quality in
            let path = folder.url.appendingPathComponent("\(quality).jpeg").path
            try original.write(toFile: path, quality: quality)
            let back = try DecodedImage(contentsOfFile: path).pixels
            #expect((back.width, back.height, back.channels) == (37, 21, channels))
            return zip(back.bytes, original.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        }
        #expect(errors == errors.sorted(by: >))
        #expect(errors[2] < original.bytes.count * 2)
    }

    @Test func `other extensions, and images that JPEG cannot store, are refused`() throws {
        let folder = try TemporaryFolder()
        for name in ["image.gif", "image", "png"] {
            #expect(throws: Failure.self) { try image(3).write(toFile: folder.url.appendingPathComponent(name).path) }
        }
        let long = Pixels(width: 65_536, height: 1, channels: 1, bytes: Array(repeating: 0, count: 65_536))
        #expect(throws: Failure.self) { try long.write(toFile: folder.url.appendingPathComponent("long.jpg").path) }
        try long.write(toFile: folder.url.appendingPathComponent("long.png").path)
    }
}
