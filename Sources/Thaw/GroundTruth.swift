#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ground truth: the class of each photo, by its index in a model's output.
///
/// It is read from a folder that contains a folder for each class, or from a table with a header line and columns separated
/// by tabs: the path of a photo, relative to the table, and the index or the label of its class. In a table for a multi-label
/// model, a photo may appear in several lines, each with another label.
///
/// The folder of a class has the name of its label, or its index. If there is a folder for every class, they may also have
/// ImageNet's WordNet IDs (`n01440764`), whose order is that of the classes.
public struct GroundTruth: Sendable {
    /// The images, in the order of their paths or of the table.
    public private(set) var images: [Image] = []
    /// Notes for the user about valid ground truth.
    public private(set) var notes: [Note] = []
    /// Whether classes are given by indices, to which an offset is added.
    package private(set) var hasIndices = false
    /// The folders that the photos were found in, as they were at that time.
    private var listings: [FolderListing] = []

    /// The folders in which photos were added, removed or renamed since.
    package var changedFolders: [ChangedFolder] { listings.compactMap(\.change) }

    /// An image whose class is known.
    public struct Image: Sendable {
        /// The path of its file.
        public let path: String
        /// The index of its class.
        public let classIndex: Int
        /// Further labels, for a multi-label model.
        public internal(set) var others: [Int] = []

        /// An image of this class.
        public init(path: String, classIndex: Int, others: [Int] = []) {
            (self.path, self.classIndex, self.others) = (path, classIndex, others)
        }
    }

    /// Reads a folder of photos by class, or a table.
    /// - Parameter offset: Added to indices: 1 if the model has a background class at index 0 that they do not count.
    /// - Throws: `Failure` if it cannot be read, lists a photo twice, or names a label that the model does not have.
    public init(contentsOfFile path: String, for model: Model, offset: Int = 0) throws {
        let names = LabelIndex(model.classifier?.labels ?? [], classCount: model.classCount)
        let isFolder = folderExists(path)
        try naming(file: path) {
            if isFolder {
                try readFolder(path, names, offset)
            } else {
                try readTable(path, names, offset, severalLabels: model.labelsAreIndependent)
            }
            if images.isEmpty { throw Failure.noTruth(isFolder: isFolder) }
            if offset != 0, !hasIndices { notes.append(.offsetUnused()) }
        }
        let missing = model.classCount - Set(images.flatMap { [$0.classIndex] + $0.others }).count
        if missing > 0 {
            notes.append(.classesWithoutPhotos(missing, of: model.classCount))
        }
    }

    private mutating func readFolder(_ folder: String, _ names: LabelIndex, _ offset: Int) throws {
        let root = folder.hasSuffix("/") ? folder : folder + "/"
        var found: [(path: String, folder: String)] = []
        var folders: [String] = []
        var seen: Set<String> = []
        var ignoredCount = 0
        let files = ImageFiles([folder])
        for path in try files.paths() {
            // By bytes: a slash and a combining mark after it are one character.
            let parts = path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/"), maxSplits: 1)
            guard parts.count == 2 else {
                ignoredCount += 1
                continue
            }
            let name = String(Substring(parts[0]))
            if seen.insert(name).inserted { folders.append(name) }
            found.append((path, name))
        }
        listings = files.listings
        let indices = try classes(of: folders, names, offset)
        images = found.map { Image(path: $0.path, classIndex: indices[$0.folder]!) }
        if ignoredCount > 0 { notes.append(.photosIgnored(ignoredCount)) }
    }

    /// The class of each folder, by the names of all folders: labels, indices, or WordNet IDs.
    private mutating func classes(of folders: [String], _ names: LabelIndex, _ offset: Int) throws -> [String: Int] {
        var classes: [String: Int] = [:]
        for folder in folders { classes[folder] = names.index(of: folder) }
        if classes.count == folders.count { return classes }
        let numbers = folders.compactMap(\.classNumber)
        if numbers.count == folders.count {
            hasIndices = true
            if !classes.isEmpty { notes.append(.numbersRead(areIndices: true)) }
            for (folder, index) in zip(folders, numbers) {
                guard names.isClass(index, offset) else {
                    throw Failure.classOutside(index, offset: offset, location: folder, count: names.count)
                }
                classes[folder] = index + offset
            }
            return classes
        }
        guard classes.isEmpty, folders.allSatisfy(\.isWordNetID) else {
            throw Failure.unknownLabels(folders.filter { classes[$0] == nil }.map { ($0, "") }, names)
        }
        guard folders.count == names.count - offset else {
            throw Failure.wordNetFolders(folders.count, classes: names.count, offset: offset)
        }
        hasIndices = true
        notes.append(.wordNetFolders(folders.count, offset: offset))
        for (index, folder) in folders.sorted().enumerated() { classes[folder] = index + offset }
        return classes
    }

    private mutating func readTable(
        _ path: String, _ names: LabelIndex, _ offset: Int, severalLabels: Bool
    ) throws {
        let file = try MappedFile(path: path)
        try file.withBytes {
            try readTable($0, in: folder(of: path), names, offset, severalLabels: severalLabels)
        }
    }

    private mutating func readTable(
        _ table: UnsafeRawBufferPointer, in folder: String, _ names: LabelIndex, _ offset: Int, severalLabels: Bool
    ) throws {
        var tableNames = TableNames()
        /// The first line and row that name each photo.
        var named: [[UInt8]: (line: Int, row: Int)] = [:]
        var rows: [Row] = []
        for (number, bytes) in table.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let mark = number == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            let line = String(fileName: (bytes.last == 0x0D ? bytes.dropLast() : bytes).dropFirst(mark))
            if number == 0 {
                let image = String(Substring(line.utf8.prefix { $0 != UInt8(ascii: "\t") }))
                if fileExists(image.hasPrefix("/") ? image : folder + image) {
                    notes.append(.headerSkipped(image))
                }
                continue
            }
            if line.allSatisfy(\.isWhitespace) { continue }
            let columns = line.utf8.split(separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard columns.count > 1 else { throw Failure.tableTooNarrow(line: number + 1) }
            guard !columns[0].isEmpty else { throw Failure.tableNamesNothing(line: number + 1) }
            // The system would end the name at the NUL.
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

    private struct Row {
        let image: String
        let name: String
        let line: Int
        /// An earlier row that names the same photo, if there is one.
        let first: Int?

        var index: Int? { name.classNumber }
    }

    /// All numbers in a table are interpreted the same way: as labels if each of them is one, otherwise as indices.
    private mutating func addImages(_ rows: [Row], _ names: LabelIndex, _ offset: Int) throws {
        var unknown: [(name: String, location: String)] = []
        let numbers = rows.filter { $0.index != nil }
        let labels = numbers.count { names.index(of: $0.name) != nil }
        let areIndices = offset != 0 || labels < numbers.count
        if labels > 0 {
            notes.append(.numbersRead(areIndices: areIndices))
        }
        hasIndices = areIndices && !numbers.isEmpty
        /// For each row, the index of its image.
        var imageIndices: [Int] = []
        func add(_ index: Int, _ row: Row) {
            guard let first = row.first else {
                imageIndices.append(images.count)
                images.append(Image(path: row.image, classIndex: index))
                return
            }
            let image = imageIndices[first]
            imageIndices.append(image)
            guard images.indices.contains(image) else { return }
            if images[image].classIndex != index, !images[image].others.contains(index) {
                images[image].others.append(index)
            }
        }
        for row in rows {
            if let index = row.index, areIndices {
                guard names.isClass(index, offset) else {
                    throw Failure.classOutside(
                        index, offset: offset, location: "line \(row.line)", count: names.count)
                }
                add(index + offset, row)
            } else if let index = names.index(of: row.name) {
                add(index, row)
            } else {
                // These are refused together below.
                imageIndices.append(0)
                unknown.append((row.name, " in line \(row.line)"))
            }
        }
        if !unknown.isEmpty { throw Failure.unknownLabels(unknown, names) }
    }
}

extension String {
    /// The index of a class, if the text is an integer.
    fileprivate var classNumber: Int? {
        let digits = hasPrefix("-") ? dropFirst() : self[...]
        return !digits.isEmpty && digits.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(self) : nil
    }

    /// Whether it is the name of a class in ImageNet, such as n01440764.
    fileprivate var isWordNetID: Bool {
        utf8.count == 9 && utf8.first == UInt8(ascii: "n") && utf8.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }
}

/// Determines whether two paths refer to the same photo: the same name, byte by byte, in the same folder. (Two links to
/// one file are two photos: this was probably intended.)
private struct TableNames {
    private var folders: [String: [UInt8]] = [:]

    mutating func key(of path: String) -> [UInt8] {
        let folder = folder(of: path)
        let resolved = folders[folder] ?? Self.resolved(folder.isEmpty ? "." : folder)
        folders[folder] = resolved
        return resolved + [UInt8(ascii: "/")] + Array(path.utf8.dropFirst(folder.utf8.count))
    }

    /// The folder without symbolic links and without redundant components such as those of `.//photos/..`.
    private static func resolved(_ folder: String) -> [UInt8] {
        if let path = withoutLinks(folder) { return Array(path.utf8) }
        var parts: [Substring] = []
        for part in folder.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return Array(((folder.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")).utf8)
    }
}
