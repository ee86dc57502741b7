import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An input image and the output file for its result.
///
/// No target is one of the sources, and no two jobs have the same target.
struct ImageJob: Equatable {
    var source: String
    var target: String
    /// Whether the target was named as a file; then its folder must exist.
    var isFile = false

    /// The jobs for the files and folders that `paths` name. A target with an image extension is a file, for one
    /// source; anything else is a folder, in which results keep the names of the images and the structure of the
    /// folders.
    ///
    /// - Parameter files: The files that each of the paths refers to.
    /// - Throws: `Failure` if there are no images, several for one file, or two of the same name, or if an input would
    ///   be overwritten.
    static func all(of paths: [String], _ files: [ImageFiles], to target: String) throws -> [ImageJob] {
        let found = try zip(paths, files).flatMap { path, files in try files.paths().map { (path: path, file: $0) } }
        guard !found.isEmpty else { throw Failure.noImages().inFile(paths[0]) }
        var jobs: [ImageJob]
        if ImageFormat(path: target) != nil, !folderExists(target) {
            guard found.count == 1 else { throw Failure.severalImagesInFile(found.count).inFile(target) }
            jobs = [ImageJob(source: found[0].file, target: target, isFile: true)]
        } else {
            guard namesFolder(target) else { throw Failure.unknownImageExtension().inFile(target) }
            jobs = found.map { path, file in
                ImageJob(source: file, target: joined(target, relative(file, to: path)))
            }
        }
        let sources = Set(jobs.compactMap { Identity(of: $0.source) })
        var taken: [String: String] = [:]
        for job in jobs {
            if let other = taken.updateValue(job.source, forKey: job.target) {
                throw Failure.sameOutputImage(other, job.source).inFile(job.target)
            }
            if let identity = Identity(of: job.target), sources.contains(identity) {
                throw Failure.overwritesInput(job.source).inFile(job.target)
            }
        }
        return jobs
    }

    /// Creates the folders that the target needs, before the image is processed.
    /// - Throws: `Failure` if that fails, or if the file exists and may not be replaced.
    func prepare(mayReplace: Bool) throws {
        if !mayReplace, Identity(of: target) != nil { throw Failure.alreadyExists(target) }
        for slash in target.indices where target[slash] == "/" && slash != target.startIndex {
            let folder = String(target[..<slash])
            if isFile, !folderExists(folder) { throw Failure.folderMissing(target) }
            if !folderExists(folder), mkdir(folder.fileName, 0o777) != 0, errno != EEXIST {
                throw Failure.noFolder(folder, String(cString: strerror(errno)))
            }
        }
    }

    // MARK: Names

    /// The path of a result relative to the target folder. Formats that cannot be written become PNG.
    private static func relative(_ file: String, to word: String) -> String {
        var name = file[...]
        if file != word, file.hasPrefix(word) {
            name = name.dropFirst(word.count).drop { $0 == "/" }
        } else {
            name = fileName(of: file)[...]
        }
        let path = String(name)
        if ImageFormat(path: path) != nil { return path }
        let last = fileName(of: path)
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return path + ".png" }
        return folder(of: path) + last[..<dot] + ".png"
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// Whether `path` names a folder: an existing one, or a new one, whose name ends in a slash or has no extension.
    static func namesFolder(_ path: String) -> Bool {
        guard !folderExists(path), let last = path.split(separator: "/", omittingEmptySubsequences: false).last else {
            return true
        }
        return !last.dropFirst().contains(".") || last == ".."
    }

    /// The identity of a file, whatever its name.
    private struct Identity: Hashable {
        let device: UInt64
        let file: UInt64

        /// - Returns: nil if there is no such file.
        init?(of path: String) {
            var status = stat()
            guard stat(path.fileName, &status) == 0 else { return nil }
            (device, file) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
        }
    }
}
