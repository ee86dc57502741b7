#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What is on photographs, as a person says it: the class of each, by its index in a model's output.
///
/// It comes from a folder that holds a folder for each class, named like its label; or from a table with a header line, whose
/// columns are divided by tabs: first a path, relative to the table, and second a class's index or its label. If the model's
/// labels do not exclude each other, a photograph may stand in several lines, with another label in each.
public struct Truth: Sendable {
    public private(set) var images: [Image] = []
    /// What a person should know although nothing is wrong.
    public private(set) var notes: [String] = []

    public struct Image: Sendable {
        public let path: String
        public let classIndex: Int
        /// Further labels that it shows, if labels do not exclude each other.
        public internal(set) var others: [Int] = []

        public init(path: String, classIndex: Int, others: [Int] = []) {
            (self.path, self.classIndex, self.others) = (path, classIndex, others)
        }
    }

    /// - Parameter offset: What is added to indices in a table: 1 where the model counts a background class first and the
    ///   table does not.
    /// - Throws: `Failure` when it cannot be read, names a photograph twice, or a label that the model does not have.
    public init(contentsOf path: String, for model: Model, offset: Int = 0) throws {
        let names = LabelIndex(model)
        var status = stat()
        let isFolder = stat(path.fileName, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        try naming(file: path) {
            if isFolder {
                try readFolder(path, names)
            } else {
                try readTable(path, names, offset, severalLabels: model.labelsAreIndependent)
            }
            if images.isEmpty { throw Failure.noTruth() }
            if isFolder, offset != 0 { notes.append(Self.needlessOffset) }
        }
        let missing = model.classCount - Set(images.flatMap { [$0.classIndex] + $0.others }).count
        if missing > 0 {
            notes.append("of \(missing) of the model's \(model.classCount) classes there is no photograph")
        }
    }

    private mutating func readFolder(_ folder: String, _ names: LabelIndex) throws {
        let root = folder.hasSuffix("/") ? folder : folder + "/"
        var indices: [String: Int] = [:]
        var unknown: [(name: String, place: String, meant: String?)] = []
        var (strays, outside) = (0, Set<String>())
        for path in try ImageFiles.under([folder]) {
            let parts = path.dropFirst(root.count).split(separator: "/", maxSplits: 1)
            guard parts.count == 2 else {
                strays += 1
                continue
            }
            let name = String(parts[0])
            if indices[name] == nil, !outside.contains(name) {
                indices[name] = names.index(of: name)
                if indices[name] == nil {
                    outside.insert(name)
                    unknown.append((name, "", names.meant(by: name)))
                }
            }
            if let index = indices[name] { images.append(Image(path: path, classIndex: index)) }
        }
        if !unknown.isEmpty { throw Failure.unknownLabels(unknown) }
        if strays == 1 { notes.append("a photograph lies in no class's folder and does not count") }
        if strays > 1 { notes.append("\(strays) photographs lie in no class's folder and do not count") }
    }

    private mutating func readTable(
        _ path: String, _ names: LabelIndex, _ offset: Int, severalLabels: Bool
    ) throws {
        let file = try MappedFile(path: path)
        let folder = folder(of: path)
        var tableNames = TableNames()
        /// The line and the row that name a photograph first.
        var named: [[UInt8]: (line: Int, row: Int)] = [:]
        var rows: [Row] = []
        for (number, bytes) in file.bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let mark = number == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            let line = String(fileName: (bytes.last == 0x0D ? bytes.dropLast() : bytes).dropFirst(mark))
            if number == 0 {
                let image = String(line.prefix { $0 != "\t" })
                if fileExists(image.hasPrefix("/") ? image : folder + image) {
                    notes.append("the first line does not count, as the header, though there is a file '\(image)'")
                }
                continue
            }
            if line.allSatisfy(\.isWhitespace) { continue }
            let columns = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard columns.count > 1 else { throw Failure.tableTooNarrow(line: number + 1) }
            guard !columns[0].isEmpty else { throw Failure.tableNamesNothing(line: number + 1) }
            // To the system the name would end there.
            guard !columns[0].utf8.contains(0) else { throw Failure.nameWithNUL(line: number + 1) }
            let image = columns[0].hasPrefix("/") ? columns[0] : folder + columns[0]
            let key = tableNames.key(of: image)
            let earlier = named[key]
            if let earlier, !severalLabels {
                throw Failure.namedTwice(columns[0], line: number + 1, earlier: earlier.line)
            }
            if earlier == nil { named[key] = (number + 1, rows.count) }
            rows.append(Row(image: image, name: columns[1], line: number + 1, first: earlier?.row))
        }
        try addImages(rows, names, offset)
    }

    private static let needlessOffset = "no class is named by its index here: the offset makes no difference"

    private struct Row {
        let image: String
        let name: String
        let line: Int
        /// The row that names the same photograph first, if another does.
        let first: Int?

        var index: Int? {
            let digits = name.hasPrefix("-") ? name.dropFirst() : name[...]
            return !digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(name) : nil
        }
    }

    /// All numbers of a table are read alike: as labels where each of them is one, else as indices.
    private mutating func addImages(_ rows: [Row], _ names: LabelIndex, _ offset: Int) throws {
        var unknown: [(name: String, place: String, meant: String?)] = []
        let numbers = rows.filter { $0.index != nil }
        let labels = numbers.count { names.index(of: $0.name) != nil }
        let areIndices = offset != 0 || labels < numbers.count
        if labels > 0 {
            let (taken, other) = areIndices ? ("indices", "labels") : ("labels", "indices")
            notes.append("the numbers of the table are taken for \(taken) of classes, not for \(other)")
        }
        if offset != 0, numbers.isEmpty { notes.append(Self.needlessOffset) }
        /// For each row the image that it names.
        var places: [Int] = []
        func add(_ index: Int, _ row: Row) {
            guard let first = row.first else {
                places.append(images.count)
                images.append(Image(path: row.image, classIndex: index))
                return
            }
            let place = places[first]
            places.append(place)
            guard images.indices.contains(place) else { return }
            if images[place].classIndex != index, !images[place].others.contains(index) {
                images[place].others.append(index)
            }
        }
        for row in rows {
            if let index = row.index, areIndices {
                guard names.isClass(index, offset) else {
                    throw Failure.classOutside(index, offset: offset, line: row.line, count: names.count)
                }
                add(index + offset, row)
            } else if let index = names.index(of: row.name) {
                add(index, row)
            } else {
                // All of them are refused together, below.
                places.append(0)
                unknown.append((row.name, " in line \(row.line)", names.meant(by: row.name)))
            }
        }
        if !unknown.isEmpty { throw Failure.unknownLabels(unknown) }
    }
}

/// Tells whether two paths are of the same photograph: its name, byte by byte, in the same folder. (Two links to one file are
/// two photographs: somebody meant them to be.)
private struct TableNames {
    private var folders: [String: [UInt8]] = [:]

    mutating func key(of path: String) -> [UInt8] {
        let folder = folder(of: path)
        let place = folders[folder] ?? Self.whole(folder.isEmpty ? "." : folder)
        folders[folder] = place
        return place + [UInt8(ascii: "/")] + Array(path.utf8.dropFirst(folder.utf8.count))
    }

    /// The folder without links and without parts that lead nowhere, such as those of `.//photos/..`.
    private static func whole(_ folder: String) -> [UInt8] {
        if let whole = withoutLinks(folder) { return Array(whole.utf8) }
        var parts: [Substring] = []
        for part in folder.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return Array(((folder.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")).utf8)
    }
}

/// A model's labels, to be found by their names: exactly, or else without regard to case and to underscores for spaces, or
/// by the first of several names with commas between them, and without the index that a label got because it stood twice.
private struct LabelIndex {
    let count: Int
    private let labels: [String]
    private var exact: [String: Int] = [:]
    /// The labels that answer to a name; where there are several, none is found by it.
    private var loose: [String: [Int]] = [:]

    init(_ model: Model) {
        count = model.classCount
        labels = model.classifier?.labels ?? []
        for (index, label) in labels.enumerated() {
            exact[label] = index
            let number = " (\(index))"
            let names = [
                label, String(label.prefix { $0 != "," }),
                label.hasSuffix(number) ? String(label.dropLast(number.count)) : label,
            ]
            for name in Set(names.map(Self.folded)) { loose[name, default: []].append(index) }
        }
    }

    private static func folded(_ name: String) -> String { String(name.lowercased().map { $0 == "_" ? " " : $0 }) }

    func index(of name: String) -> Int? {
        let answering = loose[Self.folded(name), default: []]
        return exact[name] ?? (answering.count == 1 ? answering[0] : nil)
    }

    /// What a name that is no label may have been meant for: the labels that answer to it, or else the one most like it.
    func meant(by name: String) -> String? {
        let answering = loose[Self.folded(name), default: []].prefix(3).map { labels[$0] }
        let meant = answering.isEmpty ? [nearest(to: name, in: labels)].compactMap { $0 } : answering
        return meant.isEmpty ? nil : meant.map { "'\($0)'" }.joined(separator: " or ")
    }

    func isClass(_ index: Int, _ offset: Int) -> Bool {
        let (sum, overflow) = index.addingReportingOverflow(offset)
        return !overflow && 0..<count ~= sum
    }
}
