/// Files of labels.
extension Failure {
    static func labelsEmpty() -> Failure {
        Failure(.wrongLabels, "there are no labels", remedy: "every class needs a label")
    }

    static func labelsTooLong(_ size: Int, _ limit: Int) -> Failure {
        Failure(
            .limitExceeded, "the file of labels has \(size) bytes", remedy: "the limit is \(limit)",
            hint: "THAW_MAX_LABELS raises the limit")
    }

    static func labelsNotUTF8(line: Int) -> Failure {
        Failure(.wrongLabels, location: "line \(line)", "the text is not UTF-8", remedy: "save the file as UTF-8")
    }

    static func labelsInOtherFormat(_ kind: String) -> Failure {
        Failure(
            .wrongLabels, "the file is \(kind)",
            remedy: "expected one label per line, in the order of the network's output")
    }

    static func labelBlank(_ location: String) -> Failure {
        Failure(.wrongLabels, location: location, "the label is blank", remedy: "every class needs a label")
    }

    static func labelWithoutIndex(line: Int) -> Failure {
        Failure(
            .wrongLabels, location: "line \(line)", "the line has no index",
            remedy: "either all lines are 'index:label', or none")
    }

    static func labelIndex(_ index: Int, line: Int, expected: Int) -> Failure {
        Failure(
            .wrongLabels, location: "line \(line)", "the index is \(index)",
            remedy: "expected \(expected): labels must be in the order of the network's output")
    }

    static func labelNotInteger(_ label: String, _ location: String) -> Failure {
        Failure(
            .wrongLabels, location: location, "'\(label)' is not a 64-bit integer",
            remedy: "\(option: .hasIntegerLabels) requires integers")
    }

    static func duplicateInteger(_ label: String, _ location: String) -> Failure {
        Failure(
            .wrongLabels, location: location, "the label '\(label)' is a duplicate",
            remedy: "integer labels must be unique")
    }

    static func labelCount(_ labels: Int, _ classes: Int) -> Failure {
        let hint: Phrase? =
            switch labels - classes {
            case 1 where classes == 1:
                "the network computes a single score, usually the probability of the second label"
            case -1: "networks with a background class (1001 for ImageNet) have it first: add a first line 'background'"
            case 1: "the labels may have a background class that the network lacks: remove the line 'background'"
            default: nil
            }
        return Failure(
            .wrongLabels,
            "\(counted(labels, "label")) for \(counted(classes, "class", plural: "classes"))",
            remedy: "expected one label per class", hint: hint)
    }
}

extension Note {
    static func labelOrder() -> Note {
        Note(
            .labelOrder,
            "the numbers at the beginning of the labels are not their indices, so they were kept as parts of the labels; if they "
                + "are indices, sort the lines by them")
    }

    static func duplicateLabel(_ name: String, _ names: [String]) -> Note {
        Note(
            .duplicateLabel,
            "the label '\(name)' appears \(names.count) times; Core ML needs unique labels, so these are written: "
                + "\(names.map { "'\($0)'" }.listed())")
    }
}
