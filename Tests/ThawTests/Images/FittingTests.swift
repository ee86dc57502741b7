import Testing

@testable import Thaw

@Suite struct FittingTests {
    @Test(arguments: ImageFixtures.table("resized"))
    func `cropping and resizing gives Pillow's pixels`(_ expected: ImageFixtures.Case) throws {
        let source = try Pixels(contentsOfFile: ImageFixtures.path("good/" + expected.file))
        let layout: ColorLayout = expected.pixels.channels == 1 ? .gray : .rgb
        let crop = try crop(expected.fields["crop"]!)
        let (width, height) = (expected.pixels.width, expected.pixels.height)
        let resize = try #require(ResizeMethod(rawValue: expected.fields["resize"]!))
        let image = source.converted(to: layout).fitted(width: width, height: height, crop: crop, resize: resize)
        #expect(image.difference(from: expected.pixels) == 0)
        if source.channels == 1 {
            let late = source.fitted(width: width, height: height, crop: crop, resize: resize)
            #expect(late.converted(to: layout) == image, "a gray image may be converted before or after")
        }
    }

    @Test(arguments: [0, -1, 2, 1e300, .infinity, .nan] as [Double])
    func `a fraction of a crop that is out of range is refused`(_ fraction: Double) throws {
        let crop = Crop.center(fraction)
        let model = try Model.load(contentsOfFile: Fixtures.path("coreml/rgb.mlmodel")).model
        let pipeline = try Pipeline(contentsOfFile: Fixtures.path("detectors/anchors.mlmodel"))
        var (detector, quantization, images) = (Detector.Options(), Quantization.Options(), ImageToImage.Options())
        (detector.crop, quantization.crop, images.crop) = (crop, crop, crop)
        let failures = [
            #expect(throws: Failure.self) { _ = try Classifier(model, crop: crop) },
            #expect(throws: Failure.self) { _ = try Detector(pipeline, options: detector) },
            #expect(throws: Failure.self) { _ = try ImageToImage(model, options: images) },
            #expect(throws: Failure.self) { _ = try Quantization(model, imagesAt: [], options: quantization) },
            #expect(throws: Failure.self) { _ = try PipelineComparison(pipeline, pipeline, crop: crop) },
        ]
        for failure in failures {
            #expect(failure?.code == .invalidOption)
            #expect(failure?.description.hasPrefix("the fraction of the crop is \(fraction); expected ") == true)
        }
    }

    /// TensorFlow rounds once, at the end; here, each of the two passes rounds.
    @Test(
        arguments: ImageFixtures.table("tensorflow")
    )
    func `TensorFlow's resize methods give its pixels, within a gray level`(_ expected: ImageFixtures.Case) throws {
        let source = try Pixels(contentsOfFile: ImageFixtures.path("good/" + expected.file)).converted(to: .rgb)
        let resize = try #require(ResizeMethod(rawValue: expected.fields["resize"]!))
        let image = source.fitted(width: expected.pixels.width, height: expected.pixels.height, resize: resize)
        #expect(try #require(image.difference(from: expected.pixels)) <= 1)
    }

    /// Sizes near those of vectors, and crops at arbitrary positions.
    @Test(arguments: [(1, 40), (2, 15), (4, 20), (5, 24), (6, 19), (17, 16), (64, 33), (101, 57), (300, 200)], [1, 3])
    func `all kernels resize equally`(_ size: (Int, Int), _ channels: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<size.0 * size.1 * channels).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let image = Pixels(width: size.0, height: size.1, channels: channels, bytes: bytes)
        for (width, height) in [(1, 1), (5, 40), (19, 70), (64, 16), (224, 31)] {
            for resize in ResizeMethod.allCases {
                let columns = size.0 / 5..<max(size.0 * 4 / 5, size.0 / 5 + 1)
                let rows = size.1 / 7..<size.1
                let expected = image.plainlyResized(width: width, height: height, from: columns, rows, by: resize)
                for set in InstructionSet.availableForFloats {
                    let found = image.resized(
                        width: width, height: height, from: columns, rows, by: resize, set.kernels.plain)
                    #expect(found == expected, "\(set) \(resize) to \(width) × \(height)")
                }
            }
        }
    }

    @Test func `a photo decoded at reduced scale is close to the full one, resized`() throws {
        let path = Fixtures.path("photographs/coffee.jpg")
        let whole = try Pixels(contentsOfFile: path)
        for (side, crop) in [(32, Crop.fill), (64, .center(0.875)), (48, .fit(on: .black))] {
            var options = DecodingOptions()
            options.reduction = DecodingOptions.Reduction(width: side, height: side, crop: crop)
            let reduced = try Pixels(contentsOfFile: path, options: options)
            #expect(reduced.width * 2 <= whole.width + 1)
            let (a, b) = (
                whole.fitted(width: side, height: side, crop: crop),
                reduced.fitted(width: side, height: side, crop: crop)
            )
            let mean =
                Double(zip(a.bytes, b.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.bytes.count)
            // The worst case: an eighth of the size, and just enough pixels.
            #expect(mean < 5)
        }
        var options = DecodingOptions()
        options.reduction = DecodingOptions.Reduction(width: whole.width / 2 + 1, height: 8, crop: .fill)
        #expect(
            try Pixels(contentsOfFile: path, options: options) == whole, "less than twice as large is decoded whole")
    }

    /// Parses the column "crop" written by make.py.
    private func crop(_ text: String) throws -> Crop {
        if text == "fill" { return .fill }
        let parts = text.split(separator: ":")
        if parts[0] == "center" { return .center(try #require(Double(parts[1]))) }
        let color = try #require(UInt32(parts[1].dropFirst(), radix: 16))
        return .fit(
            on: RGBColor(
                red: UInt8(color >> 16), green: UInt8(truncatingIfNeeded: color >> 8),
                blue: UInt8(truncatingIfNeeded: color)))
    }

    @Test func `a crop smaller than a pixel is the pixel in the middle`() {
        let image = Pixels(width: 3, height: 1, channels: 1, bytes: [10, 20, 30])
        #expect(image.fitted(width: 2, height: 2, crop: .center(0.01)).bytes == [20, 20, 20, 20])
    }

    @Test func `channels are reversed, copied, and weighted according to ITU-R 601`() {
        let color = Pixels(width: 2, height: 1, channels: 3, bytes: [255, 0, 0, 10, 200, 30])
        #expect(color.converted(to: .bgr).bytes == [0, 0, 255, 30, 200, 10])
        #expect(color.converted(to: .gray).bytes == [76, 124])
        let gray = Pixels(width: 2, height: 1, channels: 1, bytes: [7, 9])
        #expect(gray.converted(to: .bgr).bytes == [7, 7, 7, 9, 9, 9])
        #expect(gray.converted(to: .gray) == gray)
    }
}

extension Pixels {
    /// Both passes by obvious loops, in Pillow's order.
    fileprivate func plainlyResized(
        width newWidth: Int, height newHeight: Int, from columns: Range<Int>, _ rows: Range<Int>,
        by resize: ResizeMethod
    ) -> Pixels {
        func sum(_ filter: ResamplingFilter, _ index: Int, _ sample: (Int) -> UInt8) -> UInt8 {
            var sum = 1 << 21
            for tap in 0..<Int(filter.taps[index]) {
                sum += Int(sample(Int(filter.first[index]) + tap)) * Int(filter.weights[index * filter.reach + tap])
            }
            return UInt8(max(0, min(255, sum >> 22)))
        }
        func alongRows(_ image: Pixels, _ columns: Range<Int>, _ rows: Range<Int>) -> Pixels {
            guard columns != 0..<image.width || newWidth != image.width else { return image }
            let filter = ResamplingFilter(from: columns, to: newWidth, by: resize)
            let bytes = rows.flatMap { y in
                (0..<newWidth).flatMap { x in
                    (0..<channels).map { c in
                        sum(filter, x) { image.bytes[(y * image.width + $0) * channels + c] }
                    }
                }
            }
            return Pixels(width: newWidth, height: rows.count, channels: channels, bytes: bytes)
        }
        func alongColumns(_ image: Pixels, _ columns: Range<Int>, _ rows: Range<Int>) -> Pixels {
            guard rows != 0..<image.height || newHeight != image.height else { return image }
            let filter = ResamplingFilter(from: rows, to: newHeight, by: resize)
            let bytes = (0..<newHeight).flatMap { y in
                columns.flatMap { x in
                    (0..<channels).map { c in
                        sum(filter, y) { image.bytes[($0 * image.width + x) * channels + c] }
                    }
                }
            }
            return Pixels(width: columns.count, height: newHeight, channels: channels, bytes: bytes)
        }
        if rows.count - newHeight > 2 * max(columns.count - newWidth, 0) {
            let tall = alongColumns(self, columns, rows)
            let all = tall == self ? (columns, rows) : (0..<tall.width, 0..<tall.height)
            return alongRows(tall, all.0, all.1)
        }
        let wide = alongRows(self, columns, rows)
        let all = wide == self ? (columns, rows) : (0..<wide.width, 0..<wide.height)
        return alongColumns(wide, all.0, all.1)
    }
}
