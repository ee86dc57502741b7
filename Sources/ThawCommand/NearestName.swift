/// The name that somebody who wrote `word` most likely meant, or nil where none is near.
func nearestName(to word: String, in names: [String]) -> String? {
    let distances = names.map { (name: $0, distance: editDistance(word, $0)) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(2, word.count / 3) ? best.name : nil
}

/// How many letters must be put in, left out, changed or swapped with their neighbour to make one word of the other.
func editDistance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.unicodeScalars.prefix(100)), Array(second.unicodeScalars.prefix(100)))
    // The distances of all beginnings of `second` from one of `first`, and from the two that are shorter.
    var (before, last) = ([Int](), Array(0...second.count))
    for (i, letter) in first.enumerated() {
        var row = [i + 1]
        for (j, other) in second.enumerated() {
            var distance = min(last[j] + (letter == other ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
                distance = min(distance, before[j - 1] + 1)
            }
            row.append(distance)
        }
        (before, last) = (last, row)
    }
    return last[second.count]
}
