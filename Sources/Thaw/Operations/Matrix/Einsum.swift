/// TensorFlow's Einsum: a sum of products given by an equation such as `bij,bjk->bik`. With one operand it becomes a
/// reduction and a transpose, with two a matrix product as well. No Einsum remains in the graph.
enum Einsum {
    static let tensorFlow = [
        TensorFlowRule("Einsum", axes: .lost, roles: []) { node, context in
            guard (1...2).contains(node.inputs.count) else {
                throw node.refused("\(node.inputs.count) operands are not supported", remedy: "expected one or two")
            }
            let equation = try node.string("equation", default: "")
            let (terms, resultLabels) = try labels(node, equation)
            var operands = try zip(node.inputs, terms).enumerated().map { index, pair in
                let others = terms.enumerated().filter { $0.offset != index }.flatMap(\.element)
                return try Term(pair.0, pair.1).keeping(
                    Set(others + resultLabels), name: "\(node.name)/operand\(index)", &context)
            }
            if operands.count == 2 {
                operands = [try product(node, operands[0], operands[1], resultLabels, &context)]
            }
            return [try operands[0].ordered(resultLabels, name: node.name, &context).operand]
        }
    ]

    /// An operand with a label for each of its axes.
    private struct Term {
        var operand: Operand
        var labels: [Character]

        init(_ operand: Operand, _ labels: [Character]) {
            self.operand = operand
            self.labels = labels
        }

        func size(_ label: Character) -> Int { operand.shape[labels.firstIndex(of: label)!] }

        /// The sum over all axes except those with these labels.
        func keeping(_ kept: Set<Character>, name: String, _ context: inout ImportContext) throws -> Term {
            let axes = labels.indices.filter { !kept.contains(labels[$0]) }
            guard !axes.isEmpty else { return self }
            let sum = Reduction(function: .sum, axes: axes, keepsAxes: false)
            return Term(try context.add(sum, operand, name: name + "/sum"), labels.filter(kept.contains))
        }

        func ordered(_ resultLabels: [Character], name: String, _ context: inout ImportContext) throws -> Term {
            guard labels != resultLabels else { return self }
            let order = resultLabels.map { labels.firstIndex(of: $0)! }
            return Term(try context.add(Transpose(order), operand, name: name), resultLabels)
        }

        func reshaped(_ shape: [Int], name: String, _ context: inout ImportContext) throws -> Operand {
            operand.shape == Shape(shape) ? operand : try context.add(Reshape(Shape(shape)), operand, name: name)
        }
    }

    /// The product of two terms: axes of both that are in the result are batch axes; axes of both that are not are
    /// summed over.
    private static func product(
        _ node: TensorFlowNode, _ a: Term, _ b: Term, _ resultLabels: [Character], _ context: inout ImportContext
    ) throws -> Term {
        let shared = a.labels.filter(b.labels.contains)
        for label in shared where a.size(label) != b.size(label) {
            throw Failure.shapesDiffer(a.operand.shape, b.operand.shape).at(node.name)
        }
        let batch = shared.filter(resultLabels.contains)
        let summed = shared.filter { !resultLabels.contains($0) }
        let rows = a.labels.filter { !shared.contains($0) }
        let columns = b.labels.filter { !shared.contains($0) }
        let sizes = { (term: Term, labels: [Character]) in labels.map { term.size($0) } }
        let count = { (term: Term, labels: [Character]) in sizes(term, labels).reduce(1, *) }
        let batches = batch.isEmpty ? [] : [count(a, batch)]
        let left = try a.ordered(batch + rows + summed, name: node.name + "/left/order", &context)
            .reshaped(batches + [count(a, rows), count(a, summed)], name: node.name + "/left", &context)
        let right = try b.ordered(batch + summed + columns, name: node.name + "/right/order", &context)
            .reshaped(batches + [count(b, summed), count(b, columns)], name: node.name + "/right", &context)
        let result = try context.product(MatrixProduct(), left, right, name: node.name + "/product")
        let labels = batch + rows + columns
        let shape = sizes(a, batch + rows) + sizes(b, columns)
        return Term(try Term(result, []).reshaped(shape, name: node.name + "/shape", &context), labels)
    }

    /// The labels of every operand's axes and of the result's. An ellipsis is expanded to a label for each axis.
    private static func labels(_ node: TensorFlowNode, _ equation: String) throws -> ([[Character]], [Character]) {
        let refusal = node.refused("the equation '\(equation)' is not supported")
        let sides = equation.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, sides[1].first == ">" else { throw refusal }
        let terms = sides[0].split(separator: ",", omittingEmptySubsequences: false)
        guard terms.count == node.inputs.count else { throw refusal }
        // Digits label the axes of an ellipsis, counted from the last.
        func expanded(_ term: Substring, _ axes: Int) throws -> [Character] {
            guard let dot = term.firstIndex(of: ".") else { return Array(term) }
            guard term[dot...].hasPrefix("..."), (0...9).contains(axes) else { throw refusal }
            let digits = (0..<axes).reversed().map { Character(String($0)) }
            return Array(term[..<dot]) + digits + Array(term[dot...].dropFirst(3))
        }
        var longest = 0
        let expandedTerms = try zip(terms, node.inputs).map { term, operand in
            let axes = operand.shape.rank - (term.count - (term.contains(".") ? 3 : 0))
            longest = max(longest, axes)
            return try expanded(term, axes)
        }
        let resultLabels = try expanded(sides[1].dropFirst(), longest)
        let known = Set(expandedTerms.flatMap { $0 })
        for (labels, rank) in zip(expandedTerms, node.inputs.map(\.shape.rank)) {
            guard labels.count == rank, Set(labels).count == rank else { throw refusal }
        }
        guard (expandedTerms + [resultLabels]).allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber } }),
            Set(resultLabels).count == resultLabels.count, resultLabels.allSatisfy(known.contains)
        else { throw refusal }
        return (expandedTerms, resultLabels)
    }
}
