/// Files of labels.
extension Failure {
    static func labelsEmpty() -> Failure {
        Failure(.wrongLabels, "the file holds no labels", remedy: "one label a line is expected")
    }

    static func labelsNotUTF8(line: Int) -> Failure {
        Failure(.wrongLabels, place: "line \(line)", "the text is not UTF-8", remedy: "save the file as UTF-8")
    }

    static func labelsInOtherFormat(_ kind: String) -> Failure {
        Failure(
            .wrongLabels, "the file is \(kind)",
            remedy: "one label a line is expected, in the order of the network's output")
    }

    static func labelBlank(line: Int) -> Failure {
        Failure(.wrongLabels, place: "line \(line)", "the line is blank", remedy: "every class needs a label")
    }

    static func labelWithoutIndex(line: Int) -> Failure {
        Failure(
            .wrongLabels, place: "line \(line)", "the line has no index",
            remedy: "all lines read 'index:label', or none does")
    }

    static func labelIndex(_ index: Int, line: Int, expected: Int) -> Failure {
        Failure(
            .wrongLabels, place: "line \(line)", "the index is \(index)",
            remedy: "\(expected) is expected there: labels stand in the order of the network's output")
    }

    static func labelNoInteger(_ label: String, line: Int) -> Failure {
        Failure(
            .wrongLabels, place: "line \(line)", "'\(label)' is no whole number of 64 bits",
            remedy: "--integer-labels takes nothing else")
    }

    static func integerTwice(_ label: String, line: Int) -> Failure {
        Failure(
            .wrongLabels, place: "line \(line)", "the label '\(label)' stands there once more",
            remedy: "integers cannot be told apart")
    }

    static func labelCount(_ labels: Int, _ classes: Int) -> Failure {
        let hint: String? =
            switch labels - classes {
            case -1: "networks with a background class (1001 for ImageNet) have it first: add a first line 'background'"
            case 1: "the labels may have a background class that the network lacks: take the line 'background' out"
            default: nil
            }
        return Failure(
            .wrongLabels, "\(labels) labels for \(classes) classes", remedy: "one label a class is expected", hint: hint
        )
    }

    static func labelStandsTwice(_ name: String, _ names: [String]) -> String {
        "the label '\(name)' stands \(names.count) times; Core ML needs distinct ones: "
            + names.map { "'\($0)'" }.joined(separator: ", ")
    }
}
