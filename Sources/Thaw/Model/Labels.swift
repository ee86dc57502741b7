/// The labels of classes, read from a file with one label per line, in the order of the network's output.
///
/// A byte-order mark, CRLF, a missing newline at the end, `index:label` and `index label` lines, and lines that begin
/// with a WordNet ID (`n01440764 tench`) are supported.
public struct Labels: Sendable {
    /// The labels, in the order of the network's output.
    public private(set) var names: [String]
    /// Notes for the user about valid labels: duplicates.
    public private(set) var warnings: [Note] = []
    /// The file, for messages.
    private var path: String?
    /// What a label's position is called in messages: labels of a program have no lines.
    private var unit = "line"

    /// Reads the file at `path`.
    /// - Throws: `Failure` naming the file and the line.
    public init(contentsOfFile path: String) throws {
        func requireText(_ bytes: UnsafeRawBufferPointer) throws {
            let kind = FileKind(bytes)
            guard !kind.isBinary else {
                throw Failure.wrongKind(kind, expected: "a text file of labels, one per line")
            }
        }
        self = try naming(file: path) {
            let file = try MappedFile(path: path, isMapped: false) { _, size in
                guard size > Limits.labelBytes else { return }
                // A large file is probably a model.
                try MappedFile(path: path).withBytes(requireText)
                throw Failure.labelsTooLong(size, Limits.labelBytes)
            }
            return try file.withBytes { bytes in
                try requireText(bytes)
                return try Labels(parsing: bytes)
            }
        }
        self.path = path
    }

    /// Labels that a program has.
    /// - Throws: `Failure` if there are none, or if one is empty.
    public init(_ names: [String]) throws {
        guard !names.isEmpty else { throw Failure.labelsEmpty() }
        unit = "label"
        if let blank = names.firstIndex(where: \.isEmpty) { throw Failure.labelBlank("\(unit) \(blank + 1)") }
        (self.names, warnings) = Labels.unique(names)
    }

    init(parsing bytes: some Collection<UInt8>) throws {
        guard !bytes.isEmpty else { throw Failure.labelsEmpty() }
        var text = String(decoding: bytes, as: UTF8.self)
        guard Labels.isUTF8(bytes) else { throw Failure.labelsNotUTF8(line: Labels.invalidLine(bytes)) }
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            Labels.trimmed(String(line))
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard !lines.isEmpty else { throw Failure.labelsEmpty() }
        if let kind = Labels.foreignKind(lines) { throw Failure.labelsInOtherFormat(kind) }
        if let blank = lines.firstIndex(where: \.isEmpty) { throw Failure.labelBlank("line \(blank + 1)") }
        lines = try Labels.withoutIndices(lines)
        let numbers = Labels.numbersInFront(lines)
        let isInOrder = numbers == Array(lines.indices)
        if isInOrder { lines = lines.map(Labels.withoutNumber) }
        (names, warnings) = Labels.unique(Labels.withoutWordNetIDs(lines))
        if !isInOrder, numbers?.sorted() == Array(lines.indices) { warnings.append(.labelOrder()) }
    }

    /// Checks the number of labels against the network's classes.
    /// - Throws: `Failure` with both numbers.
    func check(classCount: Int) throws {
        guard names.count == classCount else {
            let failure = Failure.labelCount(names.count, classCount)
            throw path.map { failure.inFile($0) } ?? failure
        }
    }

    /// The labels as integers in canonical form.
    /// - Throws: `Failure` naming the position of a label that is not an integer, or a duplicate.
    func integers() throws -> [String] {
        var seen = Set<Int64>()
        return try names.enumerated().map { index, name in
            let location = "\(unit) \(index + 1)"
            // A duplicate has its index appended.
            let text = name.hasSuffix(")") ? String(name.prefix { $0 != " " }) : name
            do {
                guard let number = Int64(text) else { throw Failure.labelNotInteger(name, location) }
                guard text == name, seen.insert(number).inserted else {
                    throw Failure.duplicateInteger(text, location)
                }
                return "\(number)"
            } catch let failure as Failure { throw path.map { failure.inFile($0) } ?? failure }
        }
    }

    /// Core ML stores probabilities by label, so duplicate labels get their index: `crane (135)`.
    static func unique(_ names: [String]) -> (names: [String], warnings: [Note]) {
        var (names, warnings): ([String], [Note]) = (names, [])
        var indicesByName: [String: [Int]] = [:]
        for (index, name) in names.enumerated() { indicesByName[name, default: []].append(index) }
        var taken = Set(names)
        for (name, indices) in indicesByName.sorted(on: \.value[0]) where indices.count > 1 {
            for index in indices {
                var unique = "\(name) (\(index))"
                while !taken.insert(unique).inserted { unique += "'" }
                names[index] = unique
            }
            warnings.append(.duplicateLabel(name, indices.map { names[$0] }))
        }
        return (names, warnings)
    }

    private static func trimmed(_ line: String) -> String {
        let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" || scalar == "\r" }
        let scalars = line.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else {
            return ""
        }
        return String(scalars[first...last])
    }

    /// `lines` without the `index:` before each, if the first has one.
    private static func withoutIndices(_ lines: [String]) throws -> [String] {
        func parts(_ line: String) -> (index: Int, name: String)? {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].allSatisfy({ $0.isASCII && $0.isNumber }),
                let index = Int(line[..<colon])
            else { return nil }
            return (index, trimmed(String(line[line.index(after: colon)...])))
        }
        guard parts(lines[0]) != nil else { return lines }
        return try lines.enumerated().map { lineIndex, line in
            guard let (index, name) = parts(line) else { throw Failure.labelWithoutIndex(line: lineIndex + 1) }
            guard index == lineIndex else {
                throw Failure.labelIndex(index, line: lineIndex + 1, expected: lineIndex)
            }
            guard !name.isEmpty else { throw Failure.labelBlank("line \(lineIndex + 1)") }
            return name
        }
    }

    /// The numbers before a space or a tab at the beginning of each line; nil unless all lines have one. Teachable Machine
    /// writes the indices this way.
    private static func numbersInFront(_ lines: [String]) -> [Int]? {
        let numbers = lines.compactMap { line -> Int? in
            let digits = line.prefix { $0.isASCII && $0.isNumber }
            guard line[digits.endIndex...].first.map({ $0 == " " || $0 == "\t" }) == true else { return nil }
            return Int(digits)
        }
        return numbers.count == lines.count ? numbers : nil
    }

    private static func withoutNumber(_ line: String) -> String { trimmed(String(line.drop { $0.isNumber })) }

    /// `lines` without the WordNet ID and the space before each, if all have them.
    private static func withoutWordNetIDs(_ lines: [String]) -> [String] {
        let isNumbered = { (line: String) in
            let scalars = Array(line.utf8.prefix(11))
            return scalars.count == 11 && scalars[0] == UInt8(ascii: "n")
                && scalars[1...8].allSatisfy { (48...57).contains($0) }
                && (scalars[9] == 32 || scalars[9] == 9)
        }
        return lines.allSatisfy(isNumbered) ? lines.map { trimmed(String($0.dropFirst(9))) } : lines
    }

    /// The kind of a text file that is not a list of labels.
    private static func foreignKind(_ lines: [String]) -> String? {
        let first = lines.first { !$0.isEmpty } ?? ""
        if first.hasPrefix("item {") || first == "item" || first.hasPrefix("item{") { return "a label map (.pbtxt)" }
        if first.hasPrefix("{") || first.hasPrefix("[") { return "JSON" }
        return nil
    }

    /// The number of the line with the first invalid byte.
    private static func invalidLine(_ bytes: some Collection<UInt8>) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return 1 + (lines.firstIndex { !isUTF8($0) } ?? 0)
    }

    /// Whether it is text. UTF-16 of Latin letters is valid UTF-8 too, but contains NUL characters, at which a label
    /// would be cut off in the model's file.
    private static func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) && !bytes.contains(0)
    }
}
