import Testing

@testable import Thaw

@Suite struct PixelsBufferTests {
    /// Two rows of two pixels: red and green, half-transparent blue and black.
    private static func rows(_ layout: PixelLayout) -> [[UInt8]] {
        switch layout {
        case .gray: [[76, 150], [29, 0]]
        case .rgb: [[255, 0, 0, 0, 255, 0], [0, 0, 255, 0, 0, 0]]
        case .bgr: [[0, 0, 255, 0, 255, 0], [255, 0, 0, 0, 0, 0]]
        case .rgba: [[255, 0, 0, 255, 0, 255, 0, 255], [0, 0, 255, 128, 0, 0, 0, 255]]
        case .bgra: [[0, 0, 255, 255, 0, 255, 0, 255], [255, 0, 0, 128, 0, 0, 0, 255]]
        }
    }

    @Test(arguments: PixelLayout.allCases, [0, 3])
    func `pixels are copied from every layout, with and without gaps between rows`(_ layout: PixelLayout, _ gap: Int)
        throws
    {
        let rows = Self.rows(layout)
        // The last row needs no gap after it.
        let buffer = rows[0] + [UInt8](repeating: 99, count: gap) + rows[1]
        func copied(on background: RGBColor?) throws -> Pixels {
            try buffer.withUnsafeBytes {
                try Pixels(
                    copying: $0, width: 2, height: 2, layout: layout, bytesPerRow: rows[0].count + gap,
                    background: background)
            }
        }
        let expected = Self.rows(layout == .gray ? .gray : .rgb).flatMap { $0 }
        #expect(try copied(on: nil).bytes == expected)
        var composed = expected
        if layout.byteCount == 4 { composed.replaceSubrange(6..<9, with: [127, 127, 255]) }
        #expect(try copied(on: RGBColor(red: 255, green: 255, blue: 255)).bytes == composed)
    }

    @Test(
        arguments: [
            (0, 2, nil, 12, "an image of 0×2 pixels is invalid; sides are from 1 to "),
            (2, -1, nil, 12, "an image of 2×-1 pixels is invalid; sides are from 1 to "),
            (2, 2, nil, 11, "a buffer of 11 bytes with 6 per row is too short for 2×2 pixels"),
            (2, 2, 5, 12, "a buffer of 12 bytes with 5 per row is too short for 2×2 pixels"),
            (2, 2, 7, 12, "a buffer of 12 bytes with 7 per row is too short for 2×2 pixels"),
            (2, 2, Int.max, 12, "is too short for 2×2 pixels"),
            (2, 2, nil, 0, "a buffer of 0 bytes with 6 per row is too short for 2×2 pixels"),
        ] as [(Int, Int, Int?, Int, String)])
    func `a buffer that is too short is refused`(
        _ width: Int, _ height: Int, _ bytesPerRow: Int?, _ count: Int, _ message: String
    ) throws {
        let failure = try #require(throws: Failure.self) {
            try [UInt8](repeating: 0, count: count).withUnsafeBytes {
                try Pixels(copying: $0, width: width, height: height, layout: .rgb, bytesPerRow: bytesPerRow)
            }
        }
        #expect(failure.code == .invalidOption)
        #expect(failure.description.contains(message), "\(failure)")
    }
}
