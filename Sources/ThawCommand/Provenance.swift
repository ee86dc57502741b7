import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Arguments {
    /// What an evaluation comes from, and how somebody else can make it again.
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
            ("Ground truth", "\(result.truth): \(grouped(count)) \(count == 1 ? "photograph" : "photographs")"))
        let options = words(of: [Options.labels, Options.offset] + Commands.whatAnswersDependOn)
        facts.append(("Options", options.isEmpty ? "none: all as it is by default" : Self.shellLine(options)))
        facts.append(("Version", Help.version))
        facts.append(("Date", Self.date()))
        facts.append(("Command line", Self.shellLine(["thaw", "evaluate"] + line)))
        return facts.map { (name: $0.0, value: $0.1) }
    }

    /// Name, size and checksum.
    private static func description(ofModelAt path: String) throws -> String {
        var name = path[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        name = name[(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)...]
        let (bytes, sum) = try Model.checksum(of: path)
        return "\(name), \(grouped(bytes)) bytes, SHA-256 \(sum)"
    }

    /// Words as a shell takes them.
    static func shellLine(_ words: [String]) -> String {
        words.map { word in
            let isPlain = word.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || "-_./:=,+@%".unicodeScalars.contains($0))
            }
            if isPlain, !word.isEmpty { return word }
            return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        }.joined(separator: " ")
    }

    /// Now, in UTC: 2026-01-31 17:05:09 UTC. `SOURCE_DATE_EPOCH` takes the place of the clock, so that a page can be made again
    /// byte by byte.
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
