/// The field with a layer's amounts of padding or cropping.
extension Message {
    /// Sets the amounts before and after along height and width.
    mutating func setBorders(_ amounts: [(before: Int, after: Int)]) {
        self.borderAmounts = amounts.map { amount in
            var edges = Message(messageType.type(of: "borderAmounts"))
            edges.startEdgeSize = amount.before
            edges.endEdgeSize = amount.after
            return edges
        }
    }
}

extension NeuralLayer {
    /// The amounts before and after along height and width.
    func edges(_ amounts: Message) throws -> (height: (Int, Int), width: (Int, Int)) {
        let edges: [Message] = amounts.borderAmounts
        if edges.isEmpty { return ((0, 0), (0, 0)) }
        let pairs = edges.map { ($0.startEdgeSize as Int, $0.endEdgeSize as Int) }
        guard pairs.count == 2, pairs.allSatisfy({ (0..<1 << 24).contains($0.0) && (0..<1 << 24).contains($0.1) })
        else {
            throw refused("the padding is not specified for height and width")
        }
        return (pairs[0], pairs[1])
    }
}
