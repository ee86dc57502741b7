/// Where an ML Program's weights are.
protocol WeightFiles: Sendable {
    /// The file of this name.
    /// - Throws: `Failure` if there is none.
    func weights(_ name: String) throws -> WeightFile
}

/// Weight files that are already open, so that the model can be used after its package was removed or replaced.
struct OpenWeightFiles: WeightFiles {
    private let files: [String: WeightFile]

    /// Opens the files to which a program refers.
    /// - Throws: `Failure` if one of them is missing or cannot be read.
    init(of program: Message, in files: any WeightFiles) throws {
        self.files = try Dictionary(
            uniqueKeysWithValues: program.weightFileNames.sorted().map { ($0, try files.weights($0)) })
    }

    func weights(_ name: String) throws -> WeightFile {
        guard let file = files[name] else { throw Failure.weightFileMissing(name) }
        return file
    }
}
