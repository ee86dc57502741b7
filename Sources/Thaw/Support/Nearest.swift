/// The one of `candidates` that is most like `text`, or nil where none is alike: what a person may have meant.
///
/// Alike means that at most a third of the letters have to be changed, added or taken away (Levenshtein's distance).
public func nearest(to text: String, in candidates: some Sequence<String>) -> String? {
    let wanted = Array(text.lowercased().utf8)
    var best: (name: String, distance: Int)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased().utf8)
        let limit = Swift.max(1, Swift.max(wanted.count, letters.count) / 3)
        guard abs(letters.count - wanted.count) <= limit else { continue }
        var row = Array(0...letters.count)
        for (i, a) in wanted.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in letters.enumerated() {
                let next = Swift.min(row[j + 1] + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        if row[letters.count] <= limit, row[letters.count] < best?.distance ?? .max {
            best = (candidate, row[letters.count])
        }
    }
    return best?.name
}
