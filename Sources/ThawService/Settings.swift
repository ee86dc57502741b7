import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The settings from the command line. `thaw serve` prints the help, and checks most options first.
struct Settings: Sendable {
    /// A model to serve.
    struct Source: Sendable {
        var name: String
        var path: String
        var labels: String?
        /// The function of a multifunction package to run.
        var function: String?
    }

    var models: [Source] = []
    var host = "127.0.0.1"
    var port = ServeNumber.port.defaultValue
    var threads = ServeNumber.threads.defaultValue
    var precision = Precision.float32
    var queue = ServeNumber.queue.defaultValue
    var maxBody = ServeNumber.maxBody.defaultValue
    var decoding = DecodingOptions(maximumPixels: ServeNumber.maxPixels.defaultValue)
    var connections = ServeNumber.connections.defaultValue
    /// The seconds that a client has for a header, for a body, and to receive a response.
    var timeout = Double(ServeNumber.timeout.defaultValue)
    /// The seconds that requests in progress have when the service shuts down.
    var grace = Double(ServeNumber.grace.defaultValue)
    var crop = Crop.fill
    var resize = ResizeMethod.pillow
    var isFast = false
    var tokenFile: String?
    var origins: [String] = []
    var accessLog: String?

    /// - Throws: `StartFailure` for an invalid argument.
    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        var positional: [String] = []
        var (labels, functions): ([String], [String]) = ([], [])
        var crop = "fill"
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                break
            }
            guard word.hasPrefix("--") else {
                positional.append(word)
                continue
            }
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch sides[0] {
            case "--fast": isFast = true
            case "--strict": decoding.isStrict = true
            case "--quiet": break
            default:
                guard let value = sides.count > 1 ? sides[1] : rest.popFirst() else {
                    throw StartFailure("\(sides[0]) needs a value")
                }
                switch sides[0] {
                case "--labels": labels.append(value)
                case "--function": functions.append(value)
                case "--crop": crop = value
                default: try set(sides[0], value)
                }
            }
        }
        guard let choice = Crop(crop, background: decoding.background ?? .black) else {
            throw StartFailure("--crop", crop, expected: "fill, center, center:F or fit")
        }
        self.crop = choice
        try addModels(positional)
        try set(labels, "--labels", \.labels)
        try set(functions, "--function", \.function)
    }

    private mutating func set(_ option: String, _ value: String) throws {
        func read(_ number: ServeNumber) throws -> Int {
            guard let result = number.value(of: value) else {
                throw StartFailure(option, value, expected: number.expected)
            }
            return result
        }
        switch option {
        case "--host": host = value
        case "--port": port = try read(.port)
        case "--threads": threads = try read(.threads)
        case "--precision":
            guard let choice = Precision(rawValue: value) else {
                throw StartFailure(option, value, expected: "float32, bf16, int8 or auto")
            }
            precision = choice
        case "--queue": queue = try read(.queue)
        case "--max-body": maxBody = try read(.maxBody)
        case "--max-pixels": decoding.maximumPixels = try read(.maxPixels)
        case "--connections": connections = try read(.connections)
        case "--timeout": timeout = Double(try read(.timeout))
        case "--grace": grace = Double(try read(.grace))
        case "--token-file": tokenFile = value
        case "--origin": origins.append(value)
        case "--access-log": accessLog = value
        case "--resize":
            guard let method = ResizeMethod(rawValue: value) else {
                let names = ResizeMethod.allCases.map(\.rawValue).joined(separator: ", ")
                throw StartFailure(option, value, expected: "one of \(names)")
            }
            resize = method
        case "--background":
            guard let color = RGBColor(hexadecimal: value) else {
                throw StartFailure(option, value, expected: "a color as six hexadecimal digits, #RRGGBB")
            }
            decoding.background = color
        default: throw StartFailure("there is no option \(option)")
        }
    }

    /// Adds the models, `MODEL` or `NAME=MODEL`.
    private mutating func addModels(_ arguments: [String]) throws {
        guard !arguments.isEmpty else { throw StartFailure("no model is given") }
        for argument in arguments {
            let (name, path) = Settings.named(argument)
            let known = name ?? Settings.defaultName(path)
            guard Settings.isName(known) else {
                throw StartFailure(
                    "'\(known)' cannot be the name of a model; write NAME=\(path), with a name of ASCII letters, digits, "
                        + "'-', '.' and '_'")
            }
            guard !models.contains(where: { $0.name == known }) else {
                throw StartFailure(
                    "two models are named '\(known)'; write NAME=MODEL with another name for one of them")
            }
            models.append(Source(name: known, path: path))
        }
    }

    /// Sets an option for all models, `VALUE`, or for one, `NAME=VALUE`.
    private mutating func set(
        _ values: [String], _ option: String, _ property: WritableKeyPath<Source, String?>
    ) throws {
        for text in values {
            let (name, value) = Settings.named(text)
            if let name, !models.contains(where: { $0.name == name }) {
                throw StartFailure("\(option): there is no model '\(name)'")
            }
            for index in models.indices where name == nil || models[index].name == name {
                models[index][keyPath: property] = value
            }
        }
    }

    /// Splits `NAME=PATH`. If there is a slash before the equals sign, all of it is a path.
    private static func named(_ word: String) -> (name: String?, path: String) {
        guard let equals = word.firstIndex(of: "="), isName(String(word[..<equals])) else { return (nil, word) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    /// The name of the file or folder without its extension; for `NAME/saved_model.pb` that of the folder.
    static func defaultName(_ path: String) -> String {
        var parts = path.split(separator: "/").map(String.init)
        if parts.count > 1, ["saved_model.pb", "graph.pb", "frozen_graph.pb", "model.pb"].contains(parts.last) {
            parts.removeLast()
        }
        let last = parts.last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return last }
        let isExtension = [".mlmodel", ".mlpackage", ".pb", ".meta", ".index"].contains(String(last[dot...]))
        return isExtension ? String(last[..<dot]) : last
    }

    /// Whether it can be a path segment without encoding.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 128 && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return byte < 0x80 && (character.isLetter || character.isNumber || "-._".contains(character))
            }
    }
}
