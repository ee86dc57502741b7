/// Finds a model's labels by name: exactly, or ignoring case and underscores for spaces, or by the first of several names
/// separated by commas, or without the index that was appended to a duplicate label.
struct LabelIndex {
    let count: Int
    private let labels: [String]
    private var exact: [String: Int] = [:]
    /// The labels that match a name loosely. If there are several, the name finds none.
    private var loose: [String: [Int]] = [:]

    init(_ labels: [String], classCount: Int) {
        (count, self.labels) = (classCount, labels)
        for (index, label) in labels.enumerated() {
            exact[label] = index
            let number = " (\(index))"
            let names = [
                label, String(label.prefix { $0 != "," }),
                label.hasSuffix(number) ? String(label.dropLast(number.count)) : label,
            ]
            for name in Set(names.map(Self.folded)) { loose[name, default: []].append(index) }
        }
    }

    private static func folded(_ name: String) -> String { String(name.lowercased().map { $0 == "_" ? " " : $0 }) }

    func index(of name: String) -> Int? {
        let matches = loose[Self.folded(name), default: []]
        return exact[name] ?? (matches.count == 1 ? matches[0] : nil)
    }

    /// The labels that an unknown name may mean: those that match it loosely, or else the most similar one.
    func suggestions(for name: String) -> String? {
        let matches = loose[Self.folded(name), default: []].prefix(3).map { labels[$0] }
        let suggestions = matches.isEmpty ? [nearest(to: name, in: labels)].compactMap { $0 } : matches
        return suggestions.isEmpty ? nil : suggestions.quotedList(separator: " or ")
    }

    func isClass(_ index: Int, _ offset: Int) -> Bool {
        let (sum, overflow) = index.addingReportingOverflow(offset)
        return !overflow && 0..<count ~= sum
    }
}
