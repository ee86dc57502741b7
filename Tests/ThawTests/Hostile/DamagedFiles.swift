import Foundation

@testable import Thaw

/// A fixture that is damaged, one file of it at a time.
struct DamagedFixture {
    let reader: HostileReader
    /// The file or folder that is read.
    let path: String
    /// The file in that folder that is damaged; nil if the fixture is a file.
    let part: String?

    private static let largest = 40_000

    /// The fixtures of each reader in this folder, small ones only.
    static func all(in fixtures: URL) -> [DamagedFixture] {
        let names = FileManager.default.enumerator(atPath: fixtures.path)!.compactMap { $0 as? String }.sorted()
        return names.flatMap { name -> [DamagedFixture] in
            let url = fixtures.appendingPathComponent(name)
            guard let size = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey]),
                size.isRegularFile == true,
                let bytes = size.fileSize, bytes > 0, bytes < largest
            else { return [] }
            func file(_ reader: HostileReader) -> [DamagedFixture] {
                [DamagedFixture(reader: reader, path: url.path, part: nil)]
            }
            func inside(_ marker: String, _ reader: HostileReader) -> [DamagedFixture] {
                let parts = url.path.components(separatedBy: "/")
                guard let root = parts.lastIndex(where: { $0.hasSuffix(marker) }) else { return [] }
                return [
                    DamagedFixture(
                        reader: reader, path: parts[...root].joined(separator: "/"),
                        part: parts[(root + 1)...].joined(separator: "/"))
                ]
            }
            if name.contains(".mlpackage/") { return inside(".mlpackage", .program) }
            let folder = name.components(separatedBy: "/")[0]
            switch url.pathExtension {
            case "pb" where url.lastPathComponent == "saved_model.pb":
                return [
                    DamagedFixture(
                        reader: .savedModel, path: url.deletingLastPathComponent().path, part: url.lastPathComponent)
                ]
            case "pb": return file(.graph)
            case "mlmodel": return file(folder == "pipelines" ? .pipeline : .neuralNetwork)
            case "meta", "index":
                let isSaved = url.path.contains("/variables/")
                let root = url.deletingLastPathComponent()
                if isSaved {
                    return [
                        DamagedFixture(
                            reader: .savedModel, path: root.deletingLastPathComponent().path,
                            part: "variables/" + url.lastPathComponent)
                    ]
                }
                return [DamagedFixture(reader: .checkpoint, path: root.path, part: url.lastPathComponent)]
            case let ending where ending.hasPrefix("ckpt-"):  // The first format's files have no other ending.
                let root = url.deletingLastPathComponent()
                return [DamagedFixture(reader: .checkpoint, path: root.path, part: url.lastPathComponent)]
            case "npy": return file(.numPy)
            case "txt" where folder == "labels": return file(.labels)
            case "tsv" where bytes < 2000: return file(.truth)
            default:
                if folder == "images" || folder == "photographs", bytes < 8000, url.pathExtension != "py" {
                    return file(.image)
                }
                return []
            }
        }
    }

    private var damagedFile: String { part.map { path + "/" + $0 } ?? path }

    /// The content of the file that is damaged.
    func content() throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: damagedFile))) }

    /// The damage that is done to it.
    func damage() throws -> DamageList {
        let bytes = try content()
        switch reader {
        case .graph, .savedModel, .checkpoint, .neuralNetwork, .program, .pipeline:
            let isMessage = !["index", "bin", "json"].contains(URL(fileURLWithPath: damagedFile).pathExtension)
            if isMessage, let list = DamageList(message: bytes) { return list }
        default: break
        }
        return DamageList(bytes: bytes, positions: 200)
    }

    /// Calls `body` with a copy of the fixture in `folder`, and a function that damages it.
    func withCopy<Result>(in folder: URL, _ body: (String, ([UInt8]) throws -> Void) throws -> Result) throws -> Result
    {
        let copy = folder.appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent)
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        defer { try? FileManager.default.removeItem(at: copy) }
        let file = part.map { copy.appendingPathComponent($0) } ?? copy
        return try body(copy.path) { try Data($0).write(to: file) }
    }
}

/// A file that was not handled as it must be.
struct DamageFinding: CustomStringConvertible {
    let fixture: DamagedFixture
    let words: String
    let problem: String

    var description: String {
        "\(fixture.reader.rawValue): \(fixture.path) \(fixture.part ?? "") with \(words): \(problem)"
    }
}

/// Counts what became of the files.
struct DamageCounts {
    var refused = 0
    var accepted = 0
    var findings: [DamageFinding] = []
    /// The longest time in seconds, and the most memory in bytes beyond four times the size of the files.
    var slowest = 0.0
    var largest = 0
}
