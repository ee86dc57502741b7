import Testing

@testable import Thaw

@Suite struct LumaAndChromaTests {
    /// Pillow 13: `Image.new("RGB", (1, 1), color).convert("YCbCr")`.
    @Test(
        arguments: [
            ([0, 0, 0], [0, 128, 128]), ([255, 255, 255], [255, 128, 128]), ([255, 0, 0], [76, 84, 255]),
            ([0, 255, 0], [149, 43, 21]), ([0, 0, 255], [29, 255, 107]), ([12, 200, 77], [129, 98, 44]),
            ([130, 129, 131], [129, 128, 128]), ([251, 3, 140], [92, 154, 240]), ([90, 17, 240], [64, 227, 146]),
            ([1, 2, 3], [1, 128, 127]),
        ] as [([UInt8], [UInt8])]) func `a color is converted as in Pillow`(_ rgb: [UInt8], _ planes: [UInt8])
    {
        let image = LumaAndChroma(Pixels(width: 1, height: 1, channels: 3, bytes: rgb))
        #expect([image.luma.bytes[0], image.blue.bytes[0], image.red.bytes[0]] == planes)
    }

    /// The sums of all planes of 4,096 colors, also weighted by position; from Pillow 13.
    @Test func `many colors are converted as in Pillow`() {
        let bytes = (0..<4096).flatMap { index -> [UInt8] in
            let (x, y) = (index % 64, index / 64)
            let colors: [Int] = [x * 37 + y * 11, x * 5 + y * 53, x * 91 + y * 3]
            return colors.map { UInt8($0 % 256) }
        }
        let image = LumaAndChroma(Pixels(width: 64, height: 64, channels: 3, bytes: bytes))
        let planes = [image.luma, image.blue, image.red]
        #expect(planes.map { plane in plane.bytes.reduce(0) { $0 + Int($1) } } == [518972, 522555, 522743])
        let weighted = planes.map { plane in
            var sum = 0
            for (index, byte) in plane.bytes.enumerated() { sum += Int(byte) * (index % 251) }
            return sum
        }
        #expect(weighted == [64_109_917, 64_444_049, 64_475_731])
    }

    /// Pillow 13: `Image.new("YCbCr", (1, 1), planes).convert("RGB")`, of colors that exist.
    @Test(
        arguments: [
            ([128, 128, 128], [128, 128, 128]), ([128, 90, 140], [144, 132, 60]), ([60, 140, 120], [48, 61, 81]),
            ([200, 100, 150], [230, 193, 150]), ([100, 77, 101], [62, 136, 9]), ([181, 121, 117], [165, 191, 168]),
            ([90, 180, 118], [76, 79, 182]),
        ] as [([UInt8], [UInt8])]) func `luma and chroma are converted as in Pillow, or one level brighter`(
            _ planes: [UInt8], _ rgb: [UInt8]
        )
    {
        var image = LumaAndChroma(Pixels(width: 1, height: 1, channels: 3, bytes: rgb))
        func plane(_ index: Int) -> Pixels { Pixels(width: 1, height: 1, channels: 1, bytes: [planes[index]]) }
        (image.luma, image.blue, image.red) = (plane(0), plane(1), plane(2))
        let steps = Set(zip(image.rgb.bytes, rgb).map { Int($0) - Int($1) })
        #expect(steps == [0] || steps == [1])
        #expect(LumaAndChroma(image.rgb).luma.bytes == [planes[0]])
    }

    /// Clamping channels would change luma by up to 200 levels.
    @Test func `a color keeps its luma, inside the RGB gamut or not`() {
        let values = Array(stride(from: 0, through: 255, by: 15)).map { UInt8($0) }
        func plane(_ bytes: [UInt8]) -> Pixels { Pixels(width: bytes.count, height: 1, channels: 1, bytes: bytes) }
        let first = Pixels(width: 1, height: 1, channels: 3, bytes: [0, 0, 0])
        var furthest = 0
        for luma in values {
            var image = LumaAndChroma(first)
            image.luma = plane([UInt8](repeating: luma, count: values.count * values.count))
            image.blue = plane(values.flatMap { [UInt8](repeating: $0, count: values.count) })
            image.red = plane(values.flatMap { _ in values })
            for byte in LumaAndChroma(image.rgb).luma.bytes { furthest = max(furthest, abs(Int(byte) - Int(luma))) }
        }
        #expect(furthest == 1)
    }
}
