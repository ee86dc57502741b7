/// The kind of a folder, detected from the names in it. It decides how the folder is loaded.
enum FolderKind: Sendable {
    case savedModel, checkpoint, coreMLPackage, compiledCoreML, plain

    /// The kind of the folder at `path`, or nil if there is no readable folder.
    init?(path: String) {
        guard let names = fileNames(in: path) else { return nil }
        self =
            if names.contains("saved_model.pb") || names.contains("saved_model.pbtxt") {
                .savedModel
            } else if names.contains("Manifest.json") {
                .coreMLPackage
            } else if names.contains("coremldata.bin") {
                .compiledCoreML
            } else if names.contains(where: { $0 == "checkpoint" || $0.hasSuffix(".index") || $0.hasSuffix(".meta") }) {
                .checkpoint
            } else {
                .plain
            }
    }
}
