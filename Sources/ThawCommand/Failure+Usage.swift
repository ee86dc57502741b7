import Thaw

/// What is said when a command line cannot be understood.
extension Failure {
    static func unknownCommand(_ name: String, nearest: String?) -> Failure {
        Failure(
            .invalidOption, "'\(name)' is not a command", remedy: nearest.map { "did you mean '\($0)'?" },
            hint: "thaw --help lists the commands")
    }

    static func unknownOption(_ name: String, nearest: String?) -> Failure {
        // A file may be called like that.
        let file = name.contains(".") ? "a file of this name is meant by ./\(name)" : nil
        return Failure(
            .invalidOption, "there is no option \(name)", remedy: nearest.map { "did you mean \($0)?" } ?? file)
    }

    static func missingValue(_ option: String, _ placeholder: String) -> Failure {
        Failure(
            .invalidOption, "\(option) needs a value", remedy: "\(option) \(placeholder)",
            // In a shell, what follows a bare # is a comment.
            hint: placeholder.contains("#") ? "put the colour in quotes: \(placeholder)" : nil)
    }

    static func needlessValue(_ option: String, _ value: String) -> Failure {
        Failure(.invalidOption, "\(option) takes no value", remedy: "'\(value)' does not belong there")
    }

    static func givenTwice(_ option: String) -> Failure { Failure(.invalidOption, "\(option) is given twice") }

    static func badValue(_ value: String, _ expected: String) -> Failure {
        Failure(.invalidOption, "'\(value)' will not do", remedy: "\(expected) is expected")
    }

    static func notAChoice(_ value: String, _ choices: [String]) -> Failure {
        let list = choices.dropLast().joined(separator: ", ") + (choices.count > 1 ? " or " : "") + (choices.last ?? "")
        return badValue(value, list)
    }

    static func otherPrecision(_ value: String) -> Failure {
        Failure(.invalidOption, "'\(value)' is not in this version of Thaw yet", remedy: "float32 is")
    }

    static func missingArgument(_ what: String) -> Failure { Failure(.invalidOption, "\(what) is missing") }

    static func reservedKey(_ key: String) -> Failure {
        Failure(
            .invalidOption, "the key '\(key)' is Thaw's own", remedy: "keys that do not begin with 'thaw.' are free")
    }

    static func metadataTwice(_ key: String) -> Failure { Failure(.invalidOption, "'\(key)' is given twice") }

    static func missingOption(_ option: any AnyOption) -> Failure {
        Failure(
            .invalidOption, "\(option.spelling) is missing", remedy: "\(option.spelling) \(option.placeholder ?? "")")
    }

    static func excessArgument(_ word: String) -> Failure {
        Failure(.invalidOption, "'\(word)' is one argument too many")
    }

    static func needsOption(_ option: String, _ other: String) -> Failure {
        Failure(.invalidOption, "\(option) has no effect without \(other)")
    }

    static func optionForGraphs(_ option: String) -> Failure {
        Failure(.invalidOption, "\(option) is for graphs", remedy: "this is a Core ML model, which says that itself")
    }

    static func optionForNoGraph(_ option: String) -> Failure {
        Failure(.invalidOption, "\(option) is for graphs", remedy: "both are Core ML models, which say that themselves")
    }

    static func severalSizesOfInput() -> Failure {
        Failure(
            .invalidOption, "one of several inputs has one size", remedy: "several sizes are for models of one image")
    }

    static func verifyNeedsImage() -> Failure {
        Failure(
            .wrongShape, "--verify needs a network that takes an image",
            remedy: "this one takes an array; 'thaw run' shows what it gives")
    }

    static func noImages() -> Failure { Failure(.noImages, "there are no images in the folder") }

    static func emptyList() -> Failure { Failure(.noImages, "there are no images in the list") }

    static func unreadableList(_ reason: String) -> Failure {
        Failure(.notReadable, file: "standard input", "cannot be read: \(reason)")
    }

    static func resultsOverInput() -> Failure {
        Failure(.invalidOption, "the results would replace an input", remedy: "name another file with -o")
    }

    static func inputTooLarge(_ bytes: Int) -> Failure {
        Failure(
            .limitExceeded, file: "standard input", "holds an image of more than \(bytes) bytes",
            remedy: "a larger one is not read",
            hint: "--max-pixels raises the limit")
    }

    static func sameFile(_ option: String, _ other: String) -> Failure {
        Failure(.invalidOption, "\(option) and \(other) name the same file", hint: "name two")
    }

    static func wouldReplace(_ path: String) -> Failure {
        Failure(
            .fileExists, file: path, "there is a file under this name that is no report",
            hint: "name another file, or remove it")
    }

    static func cannotResume(_ path: String, _ reason: String) -> Failure {
        Failure(.invalidOption, file: path, "cannot be gone on with: \(reason)")
    }

    static func noResult(_ path: String, line: Int) -> Failure {
        Failure(
            .invalidTable, file: path, place: "line \(line)", "is no result of thaw classify",
            remedy: "lines of --format json are expected",
            hint: "name a file that --resume wrote, or one that is not there yet")
    }

    static func otherOrigin(_ path: String, line: Int, _ other: String, _ own: String) -> Failure {
        Failure(
            .invalidOption, file: path, place: "line \(line)", "is a result of \(other)",
            remedy: "this run's are of \(own)",
            hint: "name another file, or the same model and options; the digits stand for the model's content")
    }

    static func otherClasses(_ count: Int, _ other: Int) -> Failure {
        Failure(
            .notComparable, "the baseline has \(other) classes and the model \(count)", remedy: "give both their labels"
        )
    }

    static func photographsChanged() -> Failure {
        Failure(.notComparable, "some photographs could be read for the model and not for the baseline")
    }

    static func missingLabel(_ label: String) -> Failure {
        Failure(
            .notComparable, "the baseline does not know the label '\(label)'",
            remedy: "both models must tell the same classes apart")
    }

    static func noFolder(_ path: String, _ reason: String) -> Failure {
        Failure(.notWritable, file: path, "the folder cannot be made: \(reason)")
    }

    static func noGraphviz() -> Failure {
        Failure(
            .environment, "drawings in SVG are laid out by Graphviz, whose program 'dot' is not on PATH",
            hint:
                "apt-get install graphviz brings it (brew install graphviz on a Mac); a file that ends in .dot needs none"
        )
    }

    static func graphvizFailed(_ reason: String) -> Failure {
        Failure(.environment, "Graphviz's 'dot' failed: \(reason)")
    }

    static func noScratchFile(_ folder: String, _ reason: String) -> Failure {
        Failure(.environment, file: folder, "no file can be written there for Graphviz: \(reason)")
    }

    static func severalArrays(_ names: [String]) -> Failure {
        Failure(
            .invalidOption, "one file cannot take \(names.count) outputs: '\(names.joined(separator: "', '"))'",
            remedy: "name a folder")
    }

    static func severalPictures(_ count: Int) -> Failure {
        Failure(.invalidOption, "one file cannot take \(count) pictures", remedy: "name a folder")
    }

    static func unknownPicture() -> Failure {
        Failure(
            .unknownFormat, "the name says no kind of picture that is written",
            remedy: "FILE.png, FILE.jpg or a folder is expected",
            hint: "a folder whose name has a point in it is meant with a slash behind")
    }

    static func folderMissing(_ folder: String) -> Failure { Failure(.notWritable, "there is no folder '\(folder)'") }

    static func samePicture(_ first: String, _ second: String) -> Failure {
        Failure(.invalidOption, "'\(first)' and '\(second)' would both go here", remedy: "name them in two runs")
    }

    static func overwritesInput(_ source: String) -> Failure {
        Failure(
            .fileExists, "this is one of the pictures that go in",
            remedy: "what is made of '\(source)' needs another name")
    }

    static func exclude(_ option: String, _ other: String) -> Failure {
        Failure(.invalidOption, "\(option) and \(other) exclude each other")
    }
}
