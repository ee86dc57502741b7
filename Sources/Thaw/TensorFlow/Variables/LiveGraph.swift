/// A TensorFlow graph with its variables, before they are frozen.
struct LiveGraph {
    var meta: MetaGraph
    /// The variables; nil if there are none.
    var variables: (any StoredVariables)?
    /// The size of its files in bytes.
    var byteCount: Int

    // MARK: SavedModels

    private static let savedModelFile = "saved_model.pb"
    static let servingTag = "serve"
    static let servingSignature = "serving_default"
    private enum Field { static let metaGraph = 2 }

    /// Reads a SavedModel, given by its folder or by the file in it, which may have any name.
    ///
    /// - Parameter tag: The tags of the graph, separated by commas; nil means `serve`.
    /// - Throws: `Failure` naming the file at fault, and the existing tags if none matches.
    init(savedModel given: String, tag: String? = nil, isMapped: Bool = true) throws {
        let isFolder = FolderKind(path: given) != nil
        let folder = isFolder ? given + "/" : folder(of: given)
        let path = isFolder ? folder + LiveGraph.savedModelFile : given
        (meta, byteCount) = try naming(file: path) {
            let file = try MappedFile(path: path, isMapped: isMapped)
            let graphs = try RawMessage(ByteView(viewing: file.bytes, of: file)).messages(Field.metaGraph)
            guard !graphs.isEmpty else { throw Failure.noMetaGraph() }
            let given = (tag ?? LiveGraph.servingTag).split(separator: ",").map(String.init).sorted()
            let tags = try graphs.map { try MetaGraph.tags($0) }
            guard let index = tags.firstIndex(of: given) ?? tags.firstIndex(where: { Set(given).isSubset(of: $0) })
            else {
                throw Failure.noSuchTags(given.joined(separator: ","), tags)
            }
            return (try MetaGraph(graphs[index]), file.bytes.count)
        }
        // A graph without variables may be saved without the folder for them.
        let prefix = folder + "variables/variables"
        let needsVariables = meta.graph.nodes.contains { $0.has(.variable) }
        guard needsVariables || fileExists(prefix + ".index") else { return }
        if !isFolder, !fileExists(prefix + ".index") {
            throw Failure.savedModelAlone(prefix + ".index").inFile(given)
        }
        read(try TensorBundle(prefix: prefix, isMapped: isMapped))
    }

    private mutating func read(_ variables: any StoredVariables) {
        self.variables = variables
        byteCount += variables.byteCount
    }

    // MARK: Checkpoints

    /// Reads the checkpoint at a path: its folder, one of its files, or the prefix of their names.
    /// - Throws: `Failure` naming the file that is missing or at fault.
    init(checkpoint path: String, isMapped: Bool = true) throws {
        var prefix = path
        for ending in [".meta", ".index"] where path.hasSuffix(ending) { prefix = String(path.dropLast(ending.count)) }
        if FolderKind(path: path) != nil { prefix = try LiveGraph.latest(in: path, isMapped: isMapped) }
        if !fileExists(prefix + ".meta") { prefix = TensorSlices.prefix(prefix) }
        let metaPath = prefix + ".meta"
        (meta, byteCount) = try naming(file: metaPath) {
            guard fileExists(metaPath) else {
                if let folder = LiveGraph.savedModel(withVariables: prefix) {
                    throw Failure.onlyVariables(of: folder).inFile(path)
                }
                throw Failure.metaMissing(metaPath)
            }
            let file = try MappedFile(path: metaPath, isMapped: isMapped)
            guard !file.bytes.isEmpty else { throw Failure.isEmpty(metaPath) }
            return (try MetaGraph(RawMessage(ByteView(viewing: file.bytes, of: file))), file.bytes.count)
        }
        if fileExists(prefix + ".index") {
            read(try TensorBundle(prefix: prefix, isMapped: isMapped))
        } else if let files = try TensorSlices.files(prefix) {
            read(try TensorSlices(files, isMapped: isMapped))
        } else {
            throw Failure.checkpointMissing(prefix + ".index").inFile(metaPath)
        }
    }

    /// The folder of the SavedModel whose variables have this prefix; nil if there is none.
    private static func savedModel(withVariables prefix: String) -> String? {
        var folder = prefix[...]
        for _ in 0..<2 {
            guard folder.hasSuffix("/variables") else { return nil }
            folder = folder.dropLast("/variables".count)
            while folder.last == "/" { folder.removeLast() }
        }
        return fileExists(folder + "/" + savedModelFile) ? String(folder) : nil
    }

    /// The checkpoint that the file `checkpoint` in a folder names, or the only one.
    private static func latest(in folder: String, isMapped: Bool) throws -> String {
        let list = folder + "/checkpoint"
        if fileExists(list) {
            let file = try MappedFile(path: list, isMapped: isMapped)
            let key = "model_checkpoint_path:"
            for line in String(decoding: file.bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            where line.hasPrefix(key) {
                let name = line.dropFirst(key.count).drop { $0 == " " || $0 == "\"" }.prefix { $0 != "\"" }
                // When checkpoints are moved with their folder, the path in the list becomes outdated.
                let prefix = folder + "/" + (name.split(separator: "/").last ?? name)
                if try exists(prefix) { return prefix }
            }
        }
        let names = (fileNames(in: folder) ?? []).sorted()
        let graphs = names.filter { $0.hasSuffix(".meta") }
        let prefixes = graphs.isEmpty ? names.filter { $0.hasSuffix(".index") } : graphs
        guard prefixes.count == 1 else { throw Failure.noCheckpoint().inFile(folder) }
        return folder + "/" + prefixes[0].split(separator: ".").dropLast().joined(separator: ".")
    }

    /// Whether there are files of a checkpoint with this prefix.
    private static func exists(_ prefix: String) throws -> Bool {
        try fileExists(prefix + ".meta") || fileExists(prefix + ".index") || TensorSlices.files(prefix) != nil
    }

    // MARK: Signatures

    /// The signature with this name; for nil, the default signature for serving or the only one; nil if there is none.
    /// - Throws: `Failure` with the existing signatures.
    func signature(_ name: String?) throws -> MetaGraph.Signature? {
        // The initializer of a model is stored as a signature, but is not one.
        let signatures = meta.signatures.filter { !$0.outputs.isEmpty && !$0.name.hasPrefix("__saved_model_") }
        if let found = signatures.first(where: { $0.name == name ?? LiveGraph.servingSignature }) { return found }
        if name == nil, signatures.count <= 1 { return signatures.first }
        throw Failure.noSuchSignature(name ?? LiveGraph.servingSignature, signatures.map(\.name))
    }
}
