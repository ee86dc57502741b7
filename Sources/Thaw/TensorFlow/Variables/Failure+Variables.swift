/// SavedModels and checkpoints: index tables, data files, and graphs that do not fit them.
extension Failure {
    // MARK: The index table

    static func tableTruncated() -> Failure {
        Failure(
            .damaged, "the table is truncated, or not the index of a checkpoint",
            remedy: "copy or download the file again")
    }

    static func tableCorrupt(at offset: Int) -> Failure {
        Failure(.damaged, location: "byte \(offset)", "the table is corrupt", remedy: "copy or download the file again")
    }

    static func tableChecksum(at offset: Int) -> Failure {
        Failure(
            .damaged, location: "byte \(offset)", "the checksum of a block is wrong: the file is corrupt",
            remedy: "copy or download it again")
    }

    static func tableCompression(_ name: String) -> Failure {
        Failure(
            .unsupportedModel, "the table is compressed (\(name)), which is not supported",
            remedy: "save the checkpoint with TensorFlow, which does not compress it")
    }

    static func noBundleHeader() -> Failure {
        Failure(.damaged, "the table has no header: it is not the index of a checkpoint")
    }

    static func bigEndian() -> Failure {
        Failure(
            .unsupportedModel, "the variables were written by a big-endian machine",
            remedy: "save them on a little-endian machine")
    }

    // MARK: Values

    static func valueNotNumeric(_ type: Int) -> Failure {
        Failure(
            .unsupportedModel, "the variable has the element type \(type)",
            remedy: "integers and floating-point values are supported")
    }

    static func valueCorrupt() -> Failure {
        Failure(
            .damaged, "the variable's entry in the index is inconsistent", remedy: "the checkpoint is corrupt")
    }

    static func valueChecksum() -> Failure {
        Failure(
            .damaged, "the checksum of the variable's value is wrong: the file is corrupt",
            remedy: "copy or download it again")
    }

    static func sliceMissing(_ ranges: [Range<Int>]) -> Failure {
        let text = ranges.map { "\($0.lowerBound)..<\($0.upperBound)" }.joined(separator: ", ")
        return Failure(.damaged, "the part [\(text)] of the variable is missing", remedy: "the checkpoint is corrupt")
    }

    static func noSuchShard(_ number: Int, of count: Int) -> Failure {
        Failure(
            .damaged, "the index names data file \(number), but there are \(count)", remedy: "the index is corrupt")
    }

    static func shardMissing(_ number: Int, of count: Int) -> Failure {
        Failure(
            .missingVariables,
            "data file \(number) of \(count) of the variables cannot be read: it is missing, or access is denied",
            remedy: "copy all files of the checkpoint together")
    }

    static func shardTruncated(_ count: Int) -> Failure {
        Failure(.damaged, "the data file has only \(count) bytes: it is truncated", remedy: "copy or download it again")
    }

    // MARK: Graph and variables

    static func variableMissing(_ node: String, _ op: String, _ key: String, _ file: String) -> Failure {
        refused(
            node, op, "the variable '\(key)' is not in \(file)", "the graph and the variables do not match",
            code: .missingVariables)
    }

    static func variableType(
        _ node: String, _ op: String, _ key: String, _ declared: String, _ stored: String, _ file: String
    )
        -> Failure
    {
        refused(
            node, op, "the graph declares the variable as \(declared), but '\(key)' in \(file) is \(stored)",
            code: .missingVariables)
    }

    static func givenVariableMissing(_ node: String, _ op: String) -> Failure {
        refused(node, op, "the variable has no value", "pass one by the node's name", code: .missingVariables)
    }

    // MARK: SavedModels

    static func noMetaGraph() -> Failure {
        Failure(.invalidModel, "the SavedModel contains no graph", remedy: "save it again")
    }

    static func noSuchTags(_ requested: String, _ sets: [[String]]) -> Failure {
        let list = sets.map { "'" + $0.joined(separator: ",") + "'" }.joined(separator: ", ")
        return Failure(
            .noSuchSignature, "no graph of the SavedModel has the tag '\(requested)'", remedy: "its tags are \(list)",
            hint: sets.first.flatMap { $0.isEmpty ? nil : "\(option: .tag) \($0.joined(separator: ","))" },
            names: sets.map { $0.joined(separator: ",") })
    }

    static func noSignature() -> Failure {
        Failure(
            .unsupportedModel, "the SavedModel has no signature, so its inputs and outputs are unknown",
            remedy:
                "save it with one: tf.saved_model.save(model, folder, signatures=function), or model.export(folder) "
                + "with Keras")
    }

    static func savedModelAlone(_ index: String) -> Failure {
        Failure(
            .incomplete, "is a SavedModel's graph without its variables: there is no \(index)",
            remedy: "put it into the SavedModel's folder as saved_model.pb, and pass that folder")
    }

    static func noSuchSignature(_ requested: String, _ names: [String]) -> Failure {
        Failure(
            .noSuchSignature, "the SavedModel has no signature '\(requested)'",
            remedy: names.isEmpty ? "it has none" : "it has \(names.quotedList())",
            hint: names.first.map { "\(option: .signature) \($0)" }, names: names)
    }

    static func optionForSavedModels(_ option: OptionName) -> Failure {
        Failure(.invalidOption, "\(option: option) is for SavedModels")
    }

    static func noVariableAverages() -> Failure {
        Failure(
            .invalidOption, "there are no moving averages of variables",
            remedy: "omit \(option: .usesMovingAverages), which is for checkpoints that have them")
    }

    // MARK: Checkpoints

    static func checkpointMissing(_ index: String) -> Failure {
        Failure(
            .missingVariables,
            "the .meta file contains only the graph, and its variables are missing: there is no \(index)",
            remedy: "put the .index and .data files of the checkpoint next to it")
    }

    static func metaMissing(_ meta: String) -> Failure {
        Failure(
            .incomplete, "the checkpoint has variables but no graph: there is no \(meta)",
            remedy: "save it with a graph (tf.compat.v1.train.Saver), or as a SavedModel")
    }

    static func onlyVariables(of folder: String) -> Failure {
        Failure(
            .wrongKind, "has only the variables of a SavedModel", remedy: "expected a folder with a graph",
            hint: "give the SavedModel's folder, \(folder)")
    }

    static func noCheckpoint() -> Failure {
        Failure(
            .incomplete, "the folder has no file 'checkpoint' that names one in it, and no single .meta file",
            remedy: "use the path of the .meta file")
    }
}

extension Note {
    static func variableAverages(_ count: Int, areUsed: Bool) -> Note {
        let variables: Phrase = count == 1 ? "a variable" : "\(count) variables"
        return Note(
            .variableAverages,
            areUsed
                ? "the moving averages of \(variables) are used instead of their values"
                : "there are moving averages of \(variables), which evaluation often uses; \(option: .usesMovingAverages) uses them"
        )
    }
}
