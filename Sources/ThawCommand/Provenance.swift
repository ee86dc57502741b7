import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Arguments {
    /// The sources of an evaluation, and how to reproduce it.
    /// - Throws: `Failure` if a model's file can no longer be read.
    func provenance(of result: EvaluationResult, _ model: Model) throws -> [(name: String, value: String)] {
        var facts = [("Model", try Self.description(ofModelAt: result.model))]
        if let image = model.image {
            facts.append(("Input", "\(image.width)×\(image.height), " + image.formulas.joined(separator: "; ")))
        }
        if let baseline = result.baseline {
            facts.append(("Baseline", try Self.description(ofModelAt: baseline.model)))
        }
        let count = result.images.count + result.failed
        facts.append(
            ("Ground truth", "\(result.truth): \(grouped(count, "photo"))"))
        let commandOptions: [any AnyOption] = [Options.labels, Options.offset]
        let options = commandLine(of: commandOptions + OptionGroups.results)
        facts.append(("Options", options.isEmpty ? "none (all defaults)" : Self.shellLine(options)))
        facts.append(("Version", Help.version))
        facts.append(("Date", Self.date()))
        facts.append(("Command line", Self.shellLine(["thaw", "evaluate"] + line)))
        return facts.map { (name: $0.0, value: $0.1) }
    }

    /// Name, size and checksum.
    private static func description(ofModelAt path: String) throws -> String {
        let (bytes, sum) = try Model.checksum(of: path)
        return "\(lastComponent(of: path)), \(grouped(bytes)) bytes, SHA-256 \(sum)"
    }

    /// A command line, quoted for a shell.
    static func shellLine(_ words: [String]) -> String {
        words.map { word in
            let isPlain = !word.isEmpty && word.utf8.allSatisfy(Self.isPlain)
            if isPlain { return word }
            return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        }.joined(separator: " ")
    }

    /// Whether a byte needs no quoting in a shell, anywhere in a word.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: Array("-_./:=,+@%".utf8).contains(byte)
        }
    }

    /// The current time: 2026-01-31 17:05:09 UTC. `SOURCE_DATE_EPOCH` overrides the clock, to make reports
    /// reproducible.
    private static func date() -> String {
        var seconds = time(nil)
        if let text = getenv("SOURCE_DATE_EPOCH"), let given = Int(String(cString: text)) { seconds = time_t(given) }
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { padded("\(number)", 2, left: true, with: "0") }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
    }
}
