import Testing

@testable import Thaw

@Suite struct FittingTests {
    @Test("Cropping and resizing gives Pillow's pixels", arguments: ImageFixtures.table("resized"))
    func resizing(_ expected: ImageFixtures.Case) throws {
        let source = try Pixels(contentsOf: ImageFixtures.path("good/" + expected.file))
        let layout: ColorLayout = expected.pixels.channels == 1 ? .gray : .rgb
        let crop = try crop(expected.fields["crop"]!)
        let (width, height) = (expected.pixels.width, expected.pixels.height)
        let picture = source.converted(to: layout).fitted(width: width, height: height, crop: crop)
        #expect(picture.difference(from: expected.pixels) == 0)
        if source.channels == 1 {
            let late = source.fitted(width: width, height: height, crop: crop)
            #expect(late.converted(to: layout) == picture, "a gray picture may be converted before or after")
        }
    }

    /// Reads what make.py writes in the column "crop".
    private func crop(_ text: String) throws -> Crop {
        if text == "fill" { return .fill }
        let parts = text.split(separator: ":")
        if parts[0] == "center" { return .center(try #require(Double(parts[1]))) }
        let color = try #require(UInt32(parts[1].dropFirst(), radix: 16))
        return .fit(
            on: Color(
                red: UInt8(color >> 16), green: UInt8(truncatingIfNeeded: color >> 8),
                blue: UInt8(truncatingIfNeeded: color)))
    }

    @Test("A crop smaller than a pixel takes the pixel in the middle")
    func tinyCrop() {
        let picture = Pixels(width: 3, height: 1, channels: 1, bytes: [10, 20, 30])
        #expect(picture.fitted(width: 2, height: 2, crop: .center(0.01)).bytes == [20, 20, 20, 20])
    }

    @Test("Channels are turned round, copied, and weighed as ITU-R 601 does")
    func layouts() {
        let color = Pixels(width: 2, height: 1, channels: 3, bytes: [255, 0, 0, 10, 200, 30])
        #expect(color.converted(to: .bgr).bytes == [0, 0, 255, 30, 200, 10])
        #expect(color.converted(to: .gray).bytes == [76, 124])
        let gray = Pixels(width: 2, height: 1, channels: 1, bytes: [7, 9])
        #expect(gray.converted(to: .bgr).bytes == [7, 7, 7, 9, 9, 9])
        #expect(gray.converted(to: .gray) == gray)
    }
}
