import Foundation
import Testing

@testable import Thaw

/// Difficult images and photos, which are not part of the project: `../shared/images` from its root, or
/// in THAW_SHARED. Checksums of Pillow's results are in Fixtures/images/shared.tsv.
private let sharedImages: String? = {
    let root = ImageFixtures.folder.appending(path: "../../../../shared").standardized.path
    let folder = (ProcessInfo.processInfo.environment["THAW_SHARED"] ?? root) + "/images"
    return FileManager.default.fileExists(atPath: folder) ? folder : nil
}()

@Suite("Images outside the project", .enabled(if: sharedImages != nil, "../shared/images is not here"))
struct SharedImagesTests {
    static func lines(below folder: String) -> [[String]] {
        let text = try! String(contentsOfFile: ImageFixtures.path("shared.tsv"), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        return lines.filter { $0[0].hasPrefix(folder) }
    }

    @Test func `photos have Pillow's pixels, decoded, resized and cropped`() throws {
        for line in Self.lines(below: "imagenet/") {
            let photo = try Pixels(contentsOfFile: sharedImages! + "/" + line[0]).converted(to: .rgb)
            #expect("\(photo.width)x\(photo.height)" == line[1])
            #expect(photo.checksum == line[2], "\(line[0]) decoded")
            #expect(photo.fitted(width: 224, height: 224).checksum == line[3], "\(line[0]) filled")
            #expect(
                photo.fitted(width: 224, height: 224, crop: .center(0.875)).checksum == line[4], "\(line[0]) cropped")
            #expect(photo.fitted(width: 224, height: 224, resize: .bicubic).checksum == line[5], "\(line[0]) bicubic")
        }
    }

    @Test func `difficult images have Pillow's pixels if Pillow reads them; others may be read`() throws {
        var (equal, refused, more) = (0, 0, 0)
        for line in Self.lines(below: "odd/") {
            let image = try? DecodedImage(contentsOfFile: sharedImages! + "/" + line[0])
            if line[1] == "refused" {
                if image == nil { refused += 1 } else { more += 1 }
                continue
            }
            let pixels = image?.pixels.converted(to: .rgb)
            let found = pixels.map { ["\($0.width)x\($0.height)", $0.checksum] }
            #expect(found == Array(line[1...]), "\(line[0])")
            equal += 1
        }
        print("difficult images: \(equal) equal, \(refused) refused on both sides, \(more) read that Pillow refuses")
        #expect(equal > 500)
    }
}

extension Pixels {
    fileprivate var checksum: String { String(format: "%08x", crc32(bytes)) }
}
