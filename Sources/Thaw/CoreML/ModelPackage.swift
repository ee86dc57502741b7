#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A Core ML package: a folder with a manifest that names the model's file, and the weights next to that file.
/// Source: coremltools' `modelpackage/src/ModelPackage.cpp`.
struct ModelPackage: WeightFiles {
    /// The model's file.
    let model: MappedFile
    private let root: String
    /// The folder of the model's file, which programs call `@model_path`.
    private let modelFolder: String
    private let isMapped: Bool
    private let manifestVersion: FileVersion?

    private static let manifest = "Manifest.json"
    private static let author = "com.apple.CoreML"
    private static let modelPath = author + "/model.mlmodel"
    private static let weightPath = author + "/weights"

    // MARK: Reading

    /// - Throws: `Failure` if the manifest is missing or corrupt, or names a file that is missing or outside the
    ///   package.
    init(path: String, isMapped: Bool = true) throws {
        (root, self.isMapped) = (path, isMapped)
        let manifestPath = path + "/" + Self.manifest
        manifestVersion = FileVersion(path: manifestPath)
        guard pathExists(manifestPath) else { throw Failure.packageWithoutManifest() }
        let file = try MappedFile(path: manifestPath, isMapped: isMapped)
        try Self.require(manifestPath, isInside: path, Self.manifest)
        let json = try naming(location: Self.manifest) { try file.withBytes { try JSON($0) } }
        guard let identifier = json["rootModelIdentifier"]?.string else {
            throw Failure.manifestLacks("which file is the model")
        }
        guard let name = json["itemInfoEntries"]?[identifier]?["path"]?.string else {
            throw Failure.manifestLacks("where the model '\(identifier)' is")
        }
        let modelFile = try Self.inside(path + "/Data", name)
        guard pathExists(modelFile) else { throw Failure.manifestFileMissing(name) }
        model = try MappedFile(path: modelFile, isMapped: isMapped)
        modelFolder = String(folder(of: modelFile).dropLast())
        try Self.require(modelFile, isInside: path, name)
    }

    /// The weight file that a program names.
    func weights(_ name: String) throws -> WeightFile {
        guard name.hasPrefix(EncodedModel.pathPrefix) else { throw Failure.leavesPackage(name) }
        let relative = String(name.dropFirst(EncodedModel.pathPrefix.count))
        let path = try Self.inside(modelFolder, relative)
        guard pathExists(path) else { throw Failure.weightFileMissing(relative) }
        try Self.require(path, isInside: root, relative)
        let file = try WeightFile(path: path, isMapped: isMapped)
        // Another package may have taken this one's name after its model was opened; its weights would not match.
        guard FileVersion(path: root + "/" + Self.manifest) == manifestVersion else {
            throw Failure.changedWhileRead(root)
        }
        return file
    }

    /// The path of a file in `folder`.
    /// - Throws: `Failure` for a name that leads outside.
    private static func inside(_ folder: String, _ name: String) throws -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.isEmpty, !name.utf8.contains(0), parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
            throw Failure.leavesPackage(name)
        }
        return folder + "/" + name
    }

    /// Checks the resolved path: a link may lead out of the package even if the name does not.
    private static func require(_ path: String, isInside root: String, _ name: String) throws {
        guard let resolvedRoot = withoutLinks(root), let resolved = withoutLinks(path) else {
            throw Failure.cannotOpen(path, errno)
        }
        guard resolved.hasPrefix(resolvedRoot + "/") else { throw Failure.leavesPackage(name) }
    }

    /// The size of all files of the package in bytes.
    var byteCount: Int {
        func size(_ path: String) -> Int {
            var status = stat()
            guard lstat(path.fileName, &status) == 0 else { return 0 }
            guard status.st_mode & S_IFMT == S_IFDIR else { return Int(status.st_size) }
            return (fileNames(in: path) ?? []).reduce(0) { $0 + size(path + "/" + $1) }
        }
        return size(root)
    }

    // MARK: Writing

    /// Writes a package atomically. The same model gives the same bytes, including the identifiers.
    /// - Returns: The number of bytes written.
    static func write(_ model: EncodedModel, to path: String, mayReplace: Bool) throws -> Int {
        let folder = try AtomicFolder(path: path, mayReplace: mayReplace) { existing in
            FolderKind(path: existing).map { $0 == .coreMLPackage } ?? false
                || fileNames(in: existing)?.isEmpty ?? false
        }
        return try naming(file: path) {
            let hasProgram = model.isPackage
            try folder.makeFolder("Data/" + (hasProgram ? weightPath : author))
            for (name, _) in model.weights {
                try folder.makeFolder("Data/" + author + "/" + Thaw.folder(of: name))
            }
            var hash = ContentHash()
            var count = 0
            func write(_ name: String, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
                let file = try folder.file(name)
                try body {
                    hash.add($0)
                    count += $0.count
                    try file.write($0)
                }
                try file.commit()
            }
            try write("Data/" + modelPath, model.message.write)
            for (name, bytes) in model.weights { try write("Data/" + author + "/" + name, bytes.write) }
            let text = manifest(model: hash.identifier(0), weights: hasProgram ? hash.identifier(1) : nil)
            try write(Self.manifest) { append in try Array(text.utf8).withUnsafeBytes(append) }
            try folder.commit()
            return count
        }
    }

    private static func manifest(model: String, weights: String?) -> String {
        func entry(_ identifier: String, _ name: String, _ path: String, _ description: String) -> String {
            """
                    "\(identifier)": {
                        "author": "\(author)",
                        "description": "\(description)",
                        "name": "\(name)",
                        "path": "\(path)"
                    }
            """
        }
        let entries = [
            entry(model, "model.mlmodel", modelPath, "CoreML Model Specification"),
            weights.map { entry($0, "weights", weightPath, "CoreML Model Weights") },
        ].compactMap(\.self).sorted()
        return """
            {
                "fileFormatVersion": "1.0.0",
                "itemInfoEntries": {
            \(entries.joined(separator: ",\n"))
                },
                "rootModelIdentifier": "\(model)"
            }

            """
    }
}

/// A 64-bit hash of bytes, based on FNV-1a, eight bytes at a time.
/// Source: http://www.isthe.com/chongo/tech/comp/fnv
private struct ContentHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while rest.count >= 8 {
            mix(bytes.loadUnaligned(fromByteOffset: rest.startIndex, as: UInt64.self).littleEndian)
            rest = rest.dropFirst(8)
        }
        for byte in rest { mix(UInt64(byte)) }
    }

    private mutating func mix(_ word: UInt64) {
        state = (state ^ word) &* 0x100_0000_01B3
        // Without this, high bits would never affect low bits.
        state ^= state >> 32
    }

    /// An identifier of the form 8-4-4-4-12 made from the hash, different for each `role`.
    func identifier(_ role: UInt64) -> String {
        var copy = self
        var digits: [Character] = []
        for part in 0..<2 {
            copy.mix(role << 8 | UInt64(part))
            let text = String(copy.state, radix: 16, uppercase: true)
            digits += Array(String(repeating: "0", count: 16 - text.count) + text)
        }
        let ranges = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return ranges.map { String(digits[$0]) }.joined(separator: "-")
    }
}
