/// Files of another kind than requested: what they are, and what to pass instead.
extension Failure {
    /// - Parameter expected: The expected kind of file, such as "a frozen TensorFlow graph".
    static func wrongKind(_ kind: FileKind, expected: String) -> Failure {
        if case .folder(let folder) = kind { return wrongFolder(folder, expected: expected) }
        let (what, hint) = description(kind)
        return Failure(
            kind == .unknown ? .unknownFormat : .wrongKind, "is \(what)", remedy: "expected \(expected)", hint: hint)
    }

    private static func description(_ kind: FileKind) -> (what: String, hint: Phrase?) {
        let source: Phrase = "convert the frozen graph (.pb) that it was made from"
        let savedModel: Phrase = "save the model as a SavedModel, as model.export('folder') does, and pass that folder"
        return switch kind {
        case .frozenGraph: ("a frozen TensorFlow graph", nil)
        case .metaGraph:
            ("the .meta file of a TensorFlow checkpoint, which has no weights", "pass the checkpoint's folder")
        case .savedModel: ("the saved_model.pb of a SavedModel", "pass the folder that contains it")
        case .coreMLModel: ("a Core ML model", nil)
        case .onnx: ("an ONNX model", source)
        case .tensorFlowLite: ("a TensorFlow Lite model", source)
        case .hdf5: ("an HDF5 file, as Keras saves models and weights", savedModel)
        case .keras: ("a Keras model (.keras)", savedModel)
        case .zip: ("a ZIP archive", "unpack it, and pass what is inside")
        case .gzip: ("a gzip archive", "unpack it, and pass what is inside")
        case .checkpointIndex: ("the .index file of a TensorFlow checkpoint", "pass the checkpoint's folder")
        case .checkpointList: ("the list of a folder's TensorFlow checkpoints", "pass the folder")
        case .checkpointData:
            ("a .data file of a TensorFlow checkpoint, which has only the values of variables", "pass its folder")
        case .image: ("an image", nil)
        case .folder: ("a folder", nil)
        case .checkpointPrefix: ("the name of a TensorFlow checkpoint", nil)
        case .textGraph:
            (
                "a graph in text format (.pbtxt)",
                "write it in binary: tf.io.write_graph(graph, folder, 'graph.pb', as_text=False)"
            )
        case .text: ("a text file", nil)
        case .unknown: ("of an unknown kind, or corrupt from the first byte", nil)
        }
    }

    /// The failure for results that would replace an image, a model or another file that is not text; nil if there is none at
    /// this path.
    package static func wouldReplaceBinaryFile(at path: String) -> Failure? {
        guard pathExists(path), let kind = try? FileKind.at(path), kind.isBinary else { return nil }
        if case .folder = kind { return nil }
        return Failure(
            .fileExists, file: path, "the results would replace a file that is \(description(kind).what)",
            remedy: "name another file, or remove this one")
    }

    private static func wrongFolder(_ kind: FolderKind, expected: String) -> Failure {
        let what: Phrase =
            switch kind {
            case .savedModel: "is a SavedModel"
            case .checkpoint: "is the folder of a TensorFlow checkpoint"
            case .coreMLPackage: "is a Core ML package"
            case .compiledCoreML: "is a compiled Core ML model"
            case .plain: "is a folder"
            }
        let hint: Phrase? = kind == .compiledCoreML ? "pass the .mlmodel or .mlpackage that it was compiled from" : nil
        return Failure(.wrongKind, what, remedy: "expected \(expected)", hint: hint)
    }
}
