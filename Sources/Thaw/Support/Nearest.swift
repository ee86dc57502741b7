/// The candidate most similar to `text`, or nil if none is similar: a likely intended spelling.
///
/// Similar means that at most a third of the letters have to be changed, inserted, deleted, or swapped with a
/// neighbor (the Damerau–Levenshtein distance, with no letter edited twice).
package func nearest(to text: String, in candidates: some Sequence<String>) -> String? {
    let target = Array(text.lowercased().utf8)
    var best: (name: String, distance: Int)?
    for candidate in candidates {
        let letters = Array(candidate.lowercased().utf8)
        let limit = Swift.max(1, Swift.max(target.count, letters.count) / 3)
        guard abs(letters.count - target.count) <= limit else { continue }
        var (beforeLast, last) = ([Int](), Array(0...letters.count))
        for (i, a) in target.enumerated() {
            var row = [i + 1]
            for (j, b) in letters.enumerated() {
                var distance = Swift.min(last[j + 1] + 1, row[j] + 1, last[j] + (a == b ? 0 : 1))
                if i > 0, j > 0, a == letters[j - 1], target[i - 1] == b {
                    distance = Swift.min(distance, beforeLast[j - 1] + 1)
                }
                row.append(distance)
            }
            (beforeLast, last) = (last, row)
        }
        if last[letters.count] <= limit, last[letters.count] < best?.distance ?? .max {
            best = (candidate, last[letters.count])
        }
    }
    return best?.name
}
