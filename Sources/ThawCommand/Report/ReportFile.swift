import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A page with photographs and what was said of them: one file that needs no other, for any browser.
///
/// The rows are written as they come, so that memory does not grow with their number; the page's program, which stands
/// behind them, shows those in sight only.
final class ReportFile {
    /// The longer side of the small photographs, in pixels.
    static let thumbnailSide = 128
    /// With more pictures than these the page would grow beyond what a browser likes. Photographs that the model is right on
    /// leave half of them for mistakes.
    private let mostThumbnails: Int

    private let file: AtomicFile
    private let labels: [String]?
    private let classCount: Int
    private let top: Int
    private var count = 0
    private var thumbnails = 0

    /// - Throws: `Failure` when the file cannot be made, or when what stands under this name is no page: a photograph, say,
    ///   or the model.
    init(_ path: String, _ model: Model, top: Int, mostThumbnails: Int = 20_000) throws {
        guard Self.mayReplace(path) else { throw Failure.wouldReplace(path) }
        self.mostThumbnails = mostThumbnails
        (labels, classCount, self.top) = (model.classifier?.labels, model.classCount, min(top, 5))
        file = try AtomicFile(path: path)
        try file.write(ReportPage.parts.opening.utf8)
    }

    private static let opening = "<!doctype html>"

    /// Whether there is no file under this name, or an empty one, or a page.
    private static func mayReplace(_ path: String) -> Bool {
        let descriptor = open(path.fileName, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
        var head = [UInt8](repeating: 0, count: opening.utf8.count)
        let count = read(descriptor, &head, head.count)
        return count <= 0 || String(decoding: head.prefix(count), as: UTF8.self).lowercased() == opening
    }

    /// Adds a photograph: `[path, picture, [[class, probability], …], truth, error]`.
    func add(_ image: String, _ answer: Result<Classification, Failure>, truth: Int? = nil) throws {
        var (picture, problem) = ("", "")
        var predictions: [JSON] = []
        switch answer {
        case .success(let classification):
            let isRight = truth != nil && classification.top(1).first?.index == truth
            if thumbnails < (isRight ? mostThumbnails / 2 : mostThumbnails),
                let bytes = classification.thumbnail
            {
                picture = base64(bytes)
                thumbnails += 1
            }
            predictions = classification.top(top).map { .array([JSON($0.index), Self.share($0.probability)]) }
        case .failure(let failure):
            problem = failure.withoutFile
        }
        let row: [JSON] = [
            .string(image), .string(picture), .array(predictions), JSON(truth ?? -1), .string(problem),
        ]
        try file.write(((count == 0 ? "" : ",\n") + Self.safe(.array(row))).utf8)
        count += 1
    }

    /// Ends the page and gives it its name.
    /// - Parameters:
    ///   - summary: The JSON of an evaluation, if it is one.
    ///   - provenance: What the report comes from: names and values.
    func finish(
        title: String, subtitle: String, summary: JSON?, provenance: [(name: String, value: String)] = []
    ) throws {
        let origin = provenance.map { JSON([$0.name, $0.value]) }
        let page = JSON.object([
            ("title", .string(title)), ("subtitle", .string(subtitle)), ("labels", labels.map { JSON($0) } ?? .null),
            ("provenance", origin.isEmpty ? .null : .array(origin)), ("summary", summary ?? .null),
        ])
        try file.write((ReportPage.parts.middle + Self.safe(page) + ReportPage.parts.ending).utf8)
        try file.commit()
    }

    /// A probability with the digits that the page shows; null where it is no finite number, which JSON cannot hold.
    static func share(_ probability: Float) -> JSON { JSON(Double(probability), digits: 4) }

    /// JSON as text in which nothing can close the element that contains it, whatever files are called.
    private static func safe(_ json: JSON) -> String {
        let text = json.compactText
        guard text.utf8.contains(UInt8(ascii: "<")) else { return text }
        var safe = ""
        safe.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar == "<" { safe += "\\u003c" } else { safe.unicodeScalars.append(scalar) }
        }
        return safe
    }
}

/// Bytes as text. Source: RFC 4648, section 4.
func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let three = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
        let known = min(3, bytes.count - start) + 1
        for place in 0..<4 {
            text.append(place < known ? letters[three >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
