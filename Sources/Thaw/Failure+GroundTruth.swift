/// Folders and tables of labeled photos.
extension Failure {
    static func noTruth(isFolder: Bool) -> Failure {
        isFolder
            ? Failure(
                .invalidTable, "contains no photo with a known class",
                remedy: "expected a folder with a folder for each class, or a table")
            : Failure(.invalidTable, "has no line after the header", remedy: "the first line is never a photo")
    }

    static func nameWithNUL(line: Int) -> Failure {
        Failure(
            .invalidTable, location: "line \(line)", "the path contains a NUL character",
            remedy: "tables are text, one photo per line")
    }

    static func tableTooNarrow(line: Int) -> Failure {
        Failure(
            .invalidTable, location: "line \(line)", "has only one column",
            remedy: "expected a path and a class, separated by a tab, after a header line")
    }

    static func tableNamesNothing(line: Int) -> Failure {
        Failure(
            .invalidTable, location: "line \(line)", "has no path in its first column",
            remedy: "expected a path and a class")
    }

    static func unknownLabels(_ unknown: [(name: String, location: String)], _ labels: LabelIndex) -> Failure {
        let maximumShown = 5
        let texts = unknown.enumerated().map { index, label in
            // A suggestion takes long: the name is compared with all labels.
            let suggestion = index < maximumShown ? labels.suggestions(for: label.name) : nil
            return "'\(label.name)'\(label.location)" + (suggestion.map { " (did you mean \($0)?)" } ?? "")
        }
        let verb = unknown.count == 1 ? "is not a label" : "are not labels"
        return Failure(.wrongLabels, "\(texts.listed(atMost: maximumShown)) \(verb) of the model")
    }

    static func wordNetFolders(_ folders: Int, classes: Int, offset: Int) -> Failure {
        let expected = classes - offset
        return Failure(
            .wrongLabels,
            "the \(folders) folders are named by WordNet IDs, whose order is that of the classes only if there is a folder "
                + "for each of the \(expected) classes",
            remedy: "name the folders by the labels or the indices of their classes",
            hint: folders == expected - 1 && offset == 0
                ? "\(option: .offset) 1 for a model with a background class at index 0" : nil)
    }

    static func classOutside(_ index: Int, offset: Int, location: String, count: Int) -> Failure {
        let (sum, overflow) = index.addingReportingOverflow(offset)
        let terms = "\(index) plus the offset \(offset)"
        let name = overflow ? terms : offset == 0 ? "\(index)" : "\(sum) (\(terms))"
        return Failure(
            .wrongLabels, location: location, "there is no class \(name)",
            remedy: "the model has \(count) classes, counted from 0",
            hint: offset == 0
                ? "\(option: .offset) is added to the indices: 1 for a model with a background class at index 0"
                : nil
        )
    }

    static func namedTwice(_ path: String, line: Int, earlier: Int) -> Failure {
        Failure(
            .invalidTable, location: "line \(line)", "'\(path)' is already in line \(earlier)",
            remedy: "list each photo once")
    }
}

/// Notes about labeled photos.
extension Note {
    static func classesWithoutPhotos(_ count: Int, of all: Int) -> Note {
        Note(.classesWithoutPhotos, "\(count) of the model's \(all) classes have no photo")
    }

    static func photosIgnored(_ count: Int) -> Note {
        Note(
            .photosIgnored,
            count == 1
                ? "1 photo is not in the folder of a class and is ignored"
                : "\(count) photos are not in the folder of a class and are ignored")
    }

    static func headerSkipped(_ image: String) -> Note {
        Note(.headerSkipped, "the first line is skipped as the header, although a file '\(image)' exists")
    }

    static func numbersRead(areIndices: Bool) -> Note {
        let (kind, other) = areIndices ? ("indices", "labels") : ("labels", "indices")
        return Note(.numbersAmbiguous, "numbers are read as class \(kind), not as \(other)")
    }

    static func offsetUnused() -> Note {
        Note(.offsetUnused, "there are no class indices, so the offset has no effect")
    }

    static func wordNetFolders(_ count: Int, offset: Int) -> Note {
        Note(
            .classesOrdered,
            "the folders are named by WordNet IDs, whose order is that of the classes \(offset) to \(offset + count - 1)"
        )
    }

    package static func offsetLikely(_ offset: Int, right count: Int, insteadOf other: Int, of all: Int) -> Note {
        Note(
            .offsetLikely,
            "the class indices seem to be shifted: with \(option: .offset) \(offset), \(count) instead of "
                + "\(other) of \(all) photos would be classified correctly")
    }
}

/// Annotation files.
extension Failure {
    static func annotationsWithout(_ key: String) -> Failure {
        Failure(
            .invalidTable, "has no array '\(key)'",
            remedy: "expected COCO's format: an object of images, annotations and categories")
    }

    static func annotationsEmpty() -> Failure { Failure(.invalidTable, "lists no images") }

    static func annotationField(_ key: String, _ expected: String) -> Failure {
        Failure(.invalidTable, "'\(key)' is missing or invalid", remedy: "expected \(expected)")
    }

    static func duplicateAnnotation(_ key: String, _ id: Int) -> Failure {
        Failure(.invalidTable, "two of the \(key) have the identifier \(id)")
    }

    static func annotationReference(_ kind: String, _ id: Int) -> Failure {
        Failure(.invalidTable, "refers to the \(kind) \(id), which is not in the file")
    }
}
