/// Folders and tables of labeled photos.
extension Failure {
    static func noTruth() -> Failure {
        Failure(
            .invalidTable, "names no photograph with its class",
            remedy: "a folder with a folder for each class is expected, or a table")
    }

    static func nameWithNUL(line: Int) -> Failure {
        Failure(
            .invalidTable, place: "line \(line)", "the path holds a NUL character",
            remedy: "tables are text, one photograph a line")
    }

    static func tableTooNarrow(line: Int) -> Failure {
        Failure(
            .invalidTable, place: "line \(line)", "has one column",
            remedy: "a path and a class are expected, with a tab between them, below a line with the columns' names")
    }

    static func tableNamesNothing(line: Int) -> Failure {
        Failure(
            .invalidTable, place: "line \(line)", "has no path in its first column",
            remedy: "a path and a class are expected")
    }

    static func unknownLabels(_ unknown: [(name: String, place: String, meant: String?)]) -> Failure {
        let shown = unknown.prefix(5).map { label in
            "'\(label.name)'\(label.place)" + (label.meant.map { " (did you mean \($0)?)" } ?? "")
        }
        let more = unknown.count > 5 ? " and \(unknown.count - 5) more" : ""
        let verb = unknown.count == 1 ? "is no label" : "are no labels"
        return Failure(.wrongLabels, "\(shown.joined(separator: ", "))\(more) \(verb) of the model")
    }

    static func classOutside(_ index: Int, offset: Int, line: Int, count: Int) -> Failure {
        let sum = offset == 0 ? "" : " (\(index) and the offset of \(offset))"
        return Failure(
            .wrongLabels, place: "line \(line)", "there is no class \(index + offset)\(sum)",
            remedy: "the model has \(count), counted from 0",
            hint: offset == 0
                ? "--offset is added to the indices in a table: 1 for a model that counts a background class first"
                : nil
        )
    }

    static func namedTwice(_ path: String, line: Int, earlier: Int) -> Failure {
        Failure(
            .invalidTable, place: "line \(line)", "'\(path)' stands in line \(earlier) too",
            remedy: "each photograph counts once")
    }
}
