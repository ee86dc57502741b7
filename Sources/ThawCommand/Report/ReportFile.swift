import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A page with photos and their results: a single file for any browser.
///
/// Rows are written as they come, so that memory does not grow with their number. The page's script shows only the
/// visible ones.
final class ReportFile {
    /// The longer side of the thumbnails, in pixels.
    static let thumbnailSide = 128
    /// A page with more thumbnails would be too large for browsers. Half of them are reserved for mistakes.
    private let maximumThumbnails: Int

    private let file: AtomicFile
    private let labels: [String]?
    private let classCount: Int
    private let top: Int
    private var count = 0
    private var thumbnails = 0

    /// - Throws: `Failure` if the file cannot be created, or if there is a file with this name that is not a report,
    ///   such as a photo or the model.
    init(_ path: String, _ model: Model, top: Int, maximumThumbnails: Int = 20_000) throws {
        guard Self.mayReplace(path) else { throw Failure.wouldReplace(path) }
        self.maximumThumbnails = maximumThumbnails
        (labels, classCount, self.top) = (model.classifier?.labels, model.classCount, min(top, 5))
        file = try AtomicFile(path: path)
        try file.write(ReportPage.parts.opening.utf8)
    }

    private static let opening = "<!doctype html>"

    /// Whether the name is free, or belongs to an empty file or a report.
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

    /// Adds a photo: `[path, thumbnail, [[class, probability], …], truth, error, warning]`.
    func add(_ image: String, _ result: Result<Classification, Failure>, truth: Int? = nil) throws {
        var (thumbnail, problem, warning) = ("", "", "")
        var predictions: [JSON] = []
        switch result {
        case .success(let classification):
            let isRight = truth != nil && classification.top(1).first?.index == truth
            if thumbnails < (isRight ? maximumThumbnails / 2 : maximumThumbnails),
                let bytes = classification.thumbnail
            {
                thumbnail = base64(bytes)
                thumbnails += 1
            }
            warning = classification.warning?.text.forCommand ?? ""
            predictions = classification.top(top).map { .array([JSON($0.index), Self.share($0.probability)]) }
        case .failure(let failure):
            problem = failure.withoutFile.forCommand
        }
        let row: [JSON] = [
            .string(image), .string(thumbnail), .array(predictions), JSON(truth ?? -1), .string(problem),
            .string(warning),
        ]
        try file.write(((count == 0 ? "" : ",\n") + Self.safe(.array(row))).utf8)
        count += 1
    }

    /// Writes the end of the page, and renames the file.
    /// - Parameters:
    ///   - summary: The JSON of an evaluation, if there is one.
    ///   - provenance: How the results were computed: names and values.
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

    /// A probability with the digits that the page shows; null if it is not finite.
    static func share(_ probability: Float) -> JSON { JSON(Double(probability), digits: 4) }

    /// JSON as text that cannot close the enclosing element, whatever the names of files.
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
        for index in 0..<4 {
            text.append(index < known ? letters[three >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
