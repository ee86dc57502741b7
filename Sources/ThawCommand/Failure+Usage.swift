import Thaw

/// Messages for command lines that cannot be understood.
extension Failure {
    static func unknownCommand(_ name: String, nearest: String?) -> Failure {
        Failure(
            .invalidOption, "'\(name)' is not a command", remedy: nearest.map { "did you mean '\($0)'?" },
            hint: "thaw --help lists the commands")
    }

    static func unknownOption(_ name: String, nearest: String?) -> Failure {
        // It may be the name of a file.
        let file: Phrase? = name.contains(".") ? "to name a file, write ./\(name)" : nil
        return Failure(
            .invalidOption, "there is no option \(name)",
            remedy: nearest.map { "did you mean \($0)?" } ?? file)
    }

    static func missingValue(_ option: String, _ placeholder: String) -> Failure {
        Failure(
            .invalidOption, "\(option) needs a value", remedy: "write \(option) \(placeholder)",
            // To a shell, an unquoted # begins a comment.
            hint: placeholder.contains("#") ? "put the color in quotes: \(placeholder)" : nil)
    }

    static func needlessValue(_ option: String, _ value: String) -> Failure {
        Failure(.invalidOption, "\(option) takes no value", remedy: "remove '\(value)'")
    }

    static func duplicateOption(_ option: String) -> Failure { Failure(.invalidOption, "\(option) is given twice") }

    static func badValue(_ value: String, _ expected: String) -> Failure {
        Failure(.invalidOption, "invalid value '\(value)'", remedy: "expected \(expected)")
    }

    static func notAChoice(_ value: String, _ choices: [String]) -> Failure {
        let list = choices.dropLast().joined(separator: ", ") + (choices.count > 1 ? " or " : "") + (choices.last ?? "")
        return badValue(value, list)
    }

    static func missingArgument(_ what: String) -> Failure { Failure(.invalidOption, "\(what) is missing") }

    static func reservedKey(_ key: String) -> Failure {
        Failure(.invalidOption, "the key '\(key)' is reserved", remedy: "use a key that does not begin with 'thaw.'")
    }

    static func duplicateMetadata(_ key: String) -> Failure { Failure(.invalidOption, "'\(key)' is given twice") }

    static func missingOption(_ option: any AnyOption) -> Failure {
        Failure(.invalidOption, "\(option.spelling) \(option.placeholder ?? "") is missing")
    }

    static func excessArgument(_ word: String) -> Failure { Failure(.invalidOption, "unexpected argument '\(word)'") }

    static func needsOption(_ option: String, _ other: String) -> Failure {
        Failure(.invalidOption, "\(option) has no effect without \(other)")
    }

    /// - Parameter isComparison: Whether neither of two models is a graph.
    static func optionForGraphs(_ option: String, isComparison: Bool = false) -> Failure {
        Failure(
            .invalidOption, "\(option) is for graphs",
            remedy: isComparison
                ? "both are Core ML models, which already contain this information"
                : "this is a Core ML model, which already contains this information")
    }

    static func optionForPrograms(_ option: String) -> Failure {
        Failure(
            .invalidOption, "\(option) is for Core ML models with several functions",
            remedy: "this is another kind of model")
    }

    static func severalSizesOfInput() -> Failure {
        Failure(
            .invalidOption, "each of several inputs has a fixed size",
            remedy: "flexible sizes need a model with a single image")
    }

    static func verifyNeedsImage() -> Failure {
        Failure(
            .unsupportedModel, "\(Options.verify.spelling) needs a network that takes an image",
            remedy: "this one takes an array; use 'thaw run' to compute its outputs")
    }

    static func noImages() -> Failure { Failure(.noImages, "there are no images in the folder") }

    static func emptyList() -> Failure { Failure(.noImages, "there are no images in the list") }

    static func unreadableList(_ reason: String) -> Failure {
        Failure(.notReadable, file: "standard input", "cannot be read: \(reason)")
    }

    static func resultsOverInput() -> Failure {
        Failure(.invalidOption, "the results would replace an input", remedy: "name another file after -o")
    }

    static func resultsToStandardOutput() -> Failure {
        Failure(.invalidOption, "-o - is not supported", remedy: "without -o, results go to standard output")
    }

    static func inputTooLarge(_ bytes: Int) -> Failure {
        Failure(
            .limitExceeded, file: "standard input", "contains an image of more than \(bytes) bytes",
            remedy: "larger images are refused",
            hint: "\(option: .maximumPixels) raises the limit")
    }

    static func sameFile(_ option: String, _ other: String) -> Failure {
        Failure(.invalidOption, "\(option) and \(other) name the same file", hint: "name two different files")
    }

    static func wouldReplace(_ path: String) -> Failure {
        Failure(
            .fileExists, file: path, "the file exists and is not a report",
            hint: "name another file, or remove this one")
    }

    static func cannotResume(_ path: String, _ reason: String) -> Failure {
        Failure(.invalidOption, file: path, "cannot resume from this file: \(reason)")
    }

    static func noResult(_ path: String, line: Int) -> Failure {
        Failure(
            .invalidTable, file: path, location: "line \(line)", "is not a result of thaw classify",
            remedy: "expected lines of --format json",
            hint: "name a file that --resume wrote, or a new one")
    }

    static func otherOrigin(_ path: String, line: Int, _ other: String, _ origin: String) -> Failure {
        Failure(
            .invalidOption, file: path, location: "line \(line)", "is a result of \(other)",
            remedy: "this run uses \(origin)",
            hint: "name another file, or use the same model and options; the digits are a checksum of the model")
    }

    static func otherClasses(_ count: Int, _ other: Int) -> Failure {
        Failure(
            .notComparable, "the baseline has \(other) classes and the model has \(count)",
            remedy: "use models that both have labels")
    }

    static func readablePhotosDiffer() -> Failure {
        Failure(.notComparable, "some photos could be read for the model but not for the baseline")
    }

    static func missingLabel(_ label: String) -> Failure {
        Failure(
            .notComparable, "the baseline has no label '\(label)'", remedy: "both models must have the same classes")
    }

    static func noFolder(_ path: String, _ reason: String) -> Failure {
        Failure(.notWritable, file: path, "the folder cannot be created: \(reason)")
    }

    static func noServer(_ program: String) -> Failure {
        Failure(
            .environment, file: program, "the program that serves models is missing",
            hint: "it is not part of the Python package; 'make install' installs it next to thaw")
    }

    static func serverFailed(_ program: String, _ reason: String) -> Failure {
        Failure(.environment, file: program, "cannot be started: \(reason)")
    }

    static func severalArrays(_ names: [String]) -> Failure {
        Failure(
            .invalidOption, "one file cannot hold \(names.count) outputs: \(names.quotedList())",
            remedy: "name a folder")
    }

    static func severalImagesInFile(_ count: Int) -> Failure {
        Failure(.invalidOption, "one file cannot hold \(count) images", remedy: "name a folder")
    }

    static func unknownImageExtension() -> Failure {
        Failure(
            .unknownFormat, "unsupported extension for an output image",
            remedy: "expected FILE.png, FILE.jpg or a folder",
            hint: "to name a folder that contains a dot, end it with '/'")
    }

    static func unknownArrayExtension() -> Failure {
        Failure(
            .unknownFormat, "unsupported extension for an output array", remedy: "expected FILE.npy or a folder",
            hint: "to name a folder that contains a dot, end it with '/'")
    }

    static func sameOutputImage(_ first: String, _ second: String) -> Failure {
        Failure(
            .invalidOption,
            first == second ? "'\(first)' is given twice" : "'\(first)' and '\(second)' would both be written here",
            remedy: "process them in separate runs")
    }

    static func overwritesInput(_ source: String) -> Failure {
        Failure(.fileExists, "this is one of the input images", remedy: "give the result of '\(source)' another name")
    }

    static func cannotCombine(_ option: String, _ other: String) -> Failure {
        Failure(.invalidOption, "\(option) and \(other) cannot be combined")
    }

    static func profileOfSeveral() -> Failure {
        var failure = cannotCombine(Options.profile.spelling, "several models or numbers of threads")
        // A chart's name without that extension is parsed as another model.
        failure.hint = "the name of a chart ends in .svg"
        return failure
    }

    static func detectorWithoutLabels() -> Failure {
        Failure(.wrongLabels, "the detector has no labels to match with categories")
    }

    static func cannotDrawPipeline() -> Failure {
        Failure(.unsupportedModel, "only networks can be drawn; this is a pipeline")
    }

    static func networkOption(_ option: String) -> Failure {
        Failure(.invalidOption, "\(option) is for networks, and this is a pipeline")
    }

    static func noSingleOutput(_ names: [String]) -> Failure {
        Failure(
            .invalidOption, "a .npy file cannot contain the outputs \(names.quotedList())",
            remedy: "it holds a single numeric output; name a .jsonl file")
    }

    static func cannotCompareWithPipeline() -> Failure {
        Failure(
            .notComparable, "this is not a pipeline, but the other model is",
            remedy: "a pipeline can only be compared with another")
    }

    static func noSingleImage(_ names: [String]) -> Failure {
        Failure(
            .invalidOption, "an image file cannot contain the outputs \(names.quotedList())",
            remedy: "it holds a single image output; name a .jsonl file")
    }

    static func severalImages(_ count: Int) -> Failure {
        Failure(.invalidOption, "an image file cannot contain the images of \(count) rows", remedy: "give one row")
    }

    static func unequalRows(_ first: [Int], _ other: [Int]) -> Failure {
        Failure(
            .wrongShape, "a .npy file cannot contain outputs of the shapes \(first) and \(other)",
            remedy: "they differ from row to row; name a .jsonl file")
    }

    static func rowCounts(_ counts: [Int]) -> Failure {
        Failure(.wrongShape, "the inputs have different numbers of rows: \(counts)")
    }
}
