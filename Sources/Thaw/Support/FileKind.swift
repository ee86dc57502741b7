/// The kind of a file or folder, detected from its content, or from its name if the content has no structure. Nothing else
/// decides this; `ModelFormat` defines which kinds can be loaded.
enum FileKind: Equatable, Sendable {
    case frozenGraph, metaGraph, savedModel, coreMLModel, onnx
    case tensorFlowLite, hdf5, keras, zip, gzip, checkpointIndex
    case image(ImageKind)
    /// The file `checkpoint` in a folder of checkpoints, and the values of a checkpoint's variables.
    case checkpointList, checkpointData
    case textGraph, text, unknown
    case folder(FolderKind)
    /// Not a file, but the prefix of a checkpoint's files.
    case checkpointPrefix

    /// Whether it is known not to be text.
    var isBinary: Bool { ![.checkpointList, .textGraph, .text, .unknown].contains(self) }

    /// The kind of the file or folder at `path`.
    /// - Throws: `Failure` if it does not exist, or is an empty file, or if a limit in the environment is invalid.
    static func at(_ path: String, isMapped: Bool = true) throws -> FileKind {
        // Every model in a file is read after its kind has been determined.
        try Limits.requireValid()
        if let folder = FolderKind(path: path) { return .folder(folder) }
        if !fileExists(path), fileExists(path + ".index") || fileExists(path + ".meta") { return .checkpointPrefix }
        let file = try MappedFile(path: path, isMapped: isMapped)
        return try file.withBytes { bytes in
            guard !bytes.isEmpty else { throw Failure.isEmpty(path) }
            return FileKind(bytes, path: path)
        }
    }

    /// - Parameter path: The file's path; that of a checkpoint's values ends in `.data-00000-of-00001`, or other numbers.
    init(_ file: UnsafeRawBufferPointer, path: String) {
        let ending = path.split(separator: ".").last?.split(separator: "-") ?? []
        let isData = ending.count == 4 && ending[0] == "data" && ending[2] == "of"
        self = isData ? .checkpointData : FileKind(file)
    }

    /// Some kinds of images may be text.
    init(_ file: UnsafeRawBufferPointer) {
        self = FileKind(signature: file) ?? FileKind(text: file) ?? FileKind(image: file) ?? FileKind(protobuf: file)
    }

    private init?(image file: UnsafeRawBufferPointer) {
        guard let kind = ImageKind(of: file) else { return nil }
        self = .image(kind)
    }

    // MARK: Signatures

    private init?(signature file: UnsafeRawBufferPointer) {
        func holds(_ signature: [UInt8], at offset: Int = 0) -> Bool {
            offset >= 0 && file.dropFirst(offset).starts(with: signature)
        }
        if holds(Array("TFL3".utf8), at: 4) {
            self = .tensorFlowLite
        } else if holds([0x89] + "HDF\r\n".utf8) {
            self = .hdf5
        } else if holds(Array("PK\u{3}\u{4}".utf8)) {
            // The name of an archive's first file follows 30 bytes (APPNOTE.TXT, 4.3.7).
            self = holds(Array("metadata.json".utf8), at: 30) ? .keras : .zip
        } else if holds([0x1F, 0x8B]) {
            self = .gzip
        } else if holds([0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB], at: file.count - 8) {
            self = .checkpointIndex
        } else {
            return nil
        }
    }

    // MARK: Text

    /// Text has no control characters except whitespace; protobuf has them in its first bytes.
    private init?(text file: UnsafeRawBufferPointer) {
        let head = file.prefix(1024)
        guard !head.isEmpty, !head.contains(where: { $0 < 0x20 && !(9...13 ~= $0) || $0 == 0x7F }) else { return nil }
        if head.starts(with: "model_checkpoint_path:".utf8) {
            self = .checkpointList
            return
        }
        let words = String(decoding: head, as: UTF8.self).split { !($0.isLetter || $0 == "_") }
        self = words.contains("node") || words.contains("versions") ? .textGraph : .text
    }

    // MARK: Protobuf, by the fields of the outermost message

    private init(protobuf file: UnsafeRawBufferPointer) {
        let fields = Outline(file, 0..<file.count)
        if let first = fields.messages[1] {
            if FileKind.isNode(file, first) {
                self = .frozenGraph
            } else if let graph = fields.messages[2], let node = Outline(file, graph).messages[1],
                FileKind.isNode(file, node)
            {
                self = .metaGraph
            } else {
                self = .unknown
            }
        } else if fields.numbers.isSubset(of: [2, 3, 4]), let library = fields.messages[4] ?? fields.messages[2],
            fields.isWhole, Outline(file, library).isWhole
        {
            self = .frozenGraph
        } else if let second = fields.messages[2] {
            if fields.numbers.contains(where: { 200...3000 ~= $0 }) {
                self = .coreMLModel
            } else if !fields.numbers.contains(1) {
                self = .unknown
            } else if !fields.numbers.isDisjoint(with: [7, 8]) {
                self = .onnx
            } else if let graph = Outline(file, second).messages[2], Outline(file, graph).messages[1] != nil {
                self = .savedModel
            } else {
                self = .unknown
            }
        } else {
            self = .unknown
        }
    }

    /// The fields of a message, and the range of the first message for each field number, as far as it can be parsed.
    private struct Outline {
        var numbers: Set<Int> = []
        var messages: [Int: Range<Int>] = [:]
        var isWhole = false

        /// The kinds differ in their first fields, so there is no need to scan all of a large file.
        private static let limit = 1000

        init(_ file: UnsafeRawBufferPointer, _ range: Range<Int>) {
            var reader = WireReader(file, range)
            for _ in 0..<Outline.limit where reader.position < reader.end {
                var ahead = reader
                if let field = try? reader.next() {
                    add(field.number, field.wireType == .lengthPrefixed ? field.value : nil)
                    continue
                }
                // A truncated file still shows where its last field starts.
                if let tag = try? ahead.varint(), tag & 7 == 2, (try? ahead.varint()) != nil {
                    add(Int(tag >> 3), ahead.position..<range.upperBound)
                }
                return
            }
            isWhole = true
        }

        private mutating func add(_ number: Int, _ range: Range<Int>?) {
            numbers.insert(number)
            if let range, messages[number] == nil { messages[number] = range }
        }
    }

    /// Whether a message looks like a graph node: a name, and an operation that is an identifier.
    private static func isNode(_ file: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        let fields = Outline(file, range)
        guard let name = fields.messages[1], let op = fields.messages[2], !name.isEmpty,
            let initial = file[op].first, UInt8(ascii: "A")...UInt8(ascii: "z") ~= initial
        else { return false }
        return file[op].allSatisfy { 0x20..<0x7F ~= $0 } && file[name].allSatisfy { $0 >= 0x20 }
    }
}
