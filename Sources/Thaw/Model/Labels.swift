/// The names of classes as a file holds them: one a line, in the order of the network's output.
///
/// A byte-order mark, CRLF, a missing last newline, `index:label` and `index label` lines, and lines that begin with a
/// WordNet number (`n01440764 tench`) are understood.
public struct Labels: Sendable {
    public private(set) var names: [String]
    /// What a person should know although nothing is wrong: names that stood twice.
    public private(set) var warnings: [String] = []
    /// The file, to be named where the labels do not fit.
    private var path: String?

    /// Reads the file at `path`.
    /// - Throws: `Failure` naming the file and the line.
    public init(contentsOf path: String) throws {
        let file = try MappedFile(path: path)
        self = try naming(file: path) {
            let kind = FileKind(file.bytes)
            guard !kind.isBinary else { throw Failure.wrongKind(kind, wanted: "a text file of labels, one a line,") }
            return try Labels(parsing: file.bytes)
        }
        self.path = path
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
        if let blank = lines.firstIndex(where: \.isEmpty) { throw Failure.labelBlank(line: blank + 1) }
        names = Labels.withoutWordNetNumbers(Labels.withoutPlaces(try Labels.withoutIndices(lines)))
        makeDistinct()
    }

    /// Checks the number of labels against the network's classes.
    /// - Throws: `Failure` with both numbers.
    public func check(classCount: Int) throws {
        guard names.count == classCount else {
            let failure = Failure.labelCount(names.count, classCount)
            throw path.map { failure.inFile($0) } ?? failure
        }
    }

    /// The labels as whole numbers, each written in one way.
    /// - Throws: `Failure` naming the line that holds none, or one that stands before.
    func integers() throws -> [String] {
        var seen = Set<Int64>()
        return try names.enumerated().map { place, name in
            // One that stands twice has its index behind it.
            let text = name.hasSuffix(")") ? String(name.prefix { $0 != " " }) : name
            do {
                guard let number = Int64(text) else { throw Failure.labelNoInteger(name, line: place + 1) }
                guard text == name, seen.insert(number).inserted else {
                    throw Failure.integerTwice(text, line: place + 1)
                }
                return "\(number)"
            } catch let failure as Failure { throw path.map { failure.inFile($0) } ?? failure }
        }
    }

    /// Core ML keeps probabilities by label, so a label that stands twice gets its index: `crane (135)`.
    private mutating func makeDistinct() {
        var places: [String: [Int]] = [:]
        for (index, name) in names.enumerated() { places[name, default: []].append(index) }
        var taken = Set(names)
        for (name, indices) in places.sorted(by: { $0.value[0] < $1.value[0] }) where indices.count > 1 {
            for index in indices {
                var distinct = "\(name) (\(index))"
                while !taken.insert(distinct).inserted { distinct += "'" }
                names[index] = distinct
            }
            warnings.append(Failure.labelStandsTwice(name, indices.map { names[$0] }))
        }
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

    /// `lines` without the `index:` before each, where the first has one.
    private static func withoutIndices(_ lines: [String]) throws -> [String] {
        func parts(_ line: String) -> (index: Int, name: String)? {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].allSatisfy({ $0.isASCII && $0.isNumber }),
                let index = Int(line[..<colon])
            else { return nil }
            return (index, trimmed(String(line[line.index(after: colon)...])))
        }
        guard parts(lines[0]) != nil else { return lines }
        return try lines.enumerated().map { place, line in
            guard let (index, name) = parts(line) else { throw Failure.labelWithoutIndex(line: place + 1) }
            guard index == place else { throw Failure.labelIndex(index, line: place + 1, expected: place) }
            guard !name.isEmpty else { throw Failure.labelBlank(line: place + 1) }
            return name
        }
    }

    /// `lines` without the index and the space before each, as Teachable Machine writes them, where all have them.
    private static func withoutPlaces(_ lines: [String]) -> [String] {
        guard lines.enumerated().allSatisfy({ $1.hasPrefix("\($0) ") }) else { return lines }
        return lines.enumerated().map { trimmed(String($1.dropFirst("\($0) ".count))) }
    }

    /// `lines` without the WordNet number and the space before each, where all have them.
    private static func withoutWordNetNumbers(_ lines: [String]) -> [String] {
        let isNumbered = { (line: String) in
            let scalars = Array(line.utf8.prefix(11))
            return scalars.count == 11 && scalars[0] == UInt8(ascii: "n")
                && scalars[1...8].allSatisfy { (48...57).contains($0) }
                && (scalars[9] == 32 || scalars[9] == 9)
        }
        return lines.allSatisfy(isNumbered) ? lines.map { trimmed(String($0.dropFirst(9))) } : lines
    }

    /// What the file is where it is no list of lines.
    private static func foreignKind(_ lines: [String]) -> String? {
        let first = lines.first { !$0.isEmpty } ?? ""
        if first.hasPrefix("item {") || first == "item" || first.hasPrefix("item{") { return "a label map (.pbtxt)" }
        if first.hasPrefix("{") || first.hasPrefix("[") { return "JSON" }
        return nil
    }

    /// The number of the line in which the first invalid byte stands.
    private static func invalidLine(_ bytes: some Collection<UInt8>) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return 1 + (lines.firstIndex { !isUTF8($0) } ?? 0)
    }

    /// Whether it is text; UTF-16 of Latin letters is valid UTF-8, too, but for the zeros in it, at which a model's file
    /// would cut a label off.
    private static func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes) && !bytes.contains(0)
    }
}
