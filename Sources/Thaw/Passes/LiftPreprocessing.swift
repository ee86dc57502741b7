extension Graph {
    /// Removes the per-channel arithmetic at the start of the graph and returns it: it belongs to image loading
    /// rather than to the network. Nil if there is none.
    ///
    /// This is exact except for rounding. A per-channel scale and offset have the same effect on the pixels directly,
    /// also before a resize, whose weights sum to 1, and before a channel permutation. Nothing is moved across
    /// padding.
    /// - Parameter index: The index of the image among the inputs.
    func withLiftedPreprocessing(ofInput index: Int = 0) throws -> (graph: Graph, lifted: ChannelArithmetic)? {
        guard inputs.indices.contains(index) else { return nil }
        let input = inputs[index].value
        guard self[input].shape.rank == 4 else { return nil }
        let counts = consumerCounts
        var head = input
        var lifted: ChannelArithmetic?
        var isReversed = false
        var liftedNodes: Set<String> = []
        while counts[head.index] == 1, let node = nodes.first(where: { $0.inputs.contains(head) }),
            node.inputs.count == 1, !outputs.contains(where: { $0.value == node.outputs[0] })
        {
            if let arithmetic = ChannelArithmetic(node.operation, on: self[head]), self[node.outputs[0]] == self[head] {
                let ofPixel = isReversed ? arithmetic.reversed : arithmetic
                lifted = lifted?.followed(by: ofPixel) ?? ofPixel
                liftedNodes.insert(node.name)
            } else if reversesChannels(node) {
                isReversed.toggle()
            } else if (node.operation as? Resize)?.keepsConstants != true {
                break
            }
            head = node.outputs[0]
        }
        guard let lifted else { return nil }
        return (try rebuilt { node, inputs, _ in liftedNodes.contains(node.name) ? inputs : nil }, lifted)
    }

    /// The first node that computes with the image before any weights. If there is one, the graph preprocesses its
    /// images in a way that cannot be lifted out.
    /// - Parameters:
    ///   - index: The index of the image among the inputs.
    ///   - quantizing: The names of TensorFlow's nodes that only quantize values, which is no preprocessing.
    func firstPreprocessingNode(ofInput index: Int = 0, quantizing: Set<String> = []) -> String? {
        guard inputs.indices.contains(index) else { return nil }
        let input = inputs[index].value
        var isOfImage: Set<Value> = [input]
        let isQuantizing = quantizing.isEmpty ? [] : nodesThatQuantize(quantizing)
        for node in nodes where !node.inputs.isEmpty && node.inputs.allSatisfy(isOfImage.contains) {
            if isQuantizing.contains(node.name) {
                isOfImage.formUnion(node.outputs)
                continue
            }
            switch node.operation.family {
            case .convolution, .dense: break
            case .arithmetic, .normalization: return node.name
            default: isOfImage.formUnion(node.outputs)
            }
        }
        return nil
    }

    /// The names of all nodes into which these of TensorFlow were imported, and of those that compute only their ranges.
    private func nodesThatQuantize(_ names: Set<String>) -> Set<String> {
        var found: Set<String> = []
        let consumers = consumers
        for node in nodes.reversed() {
            let computesRange = node.outputs.allSatisfy { output in
                let readers = consumers[output] ?? []
                return self[output].shape.elementCount == 1 && !readers.isEmpty
                    && readers.allSatisfy { found.contains($0.name) }
            }
            if computesRange || node.name.scopes.contains(where: names.contains) { found.insert(node.name) }
        }
        return found
    }

    /// Whether a node returns the whole image with its channels reversed.
    private func reversesChannels(_ node: Node) -> Bool {
        let types = node.inputs.map { self[$0] }
        guard types == node.outputs.map({ self[$0] }), types[0].shape.rank == 4 else { return false }
        return (0..<4).allSatisfy { axis in
            node.operation.use(ofAxis: axis, of: 0, types) == (axis == 3 ? .reversed(3) : .kept(axis))
        }
    }
}

extension ChannelArithmetic {
    /// The same with the channels in reverse order.
    fileprivate var reversed: ChannelArithmetic {
        ChannelArithmetic(scale: scale.reversed(), offset: offset.reversed())
    }
}

extension Resize {
    /// Whether a constant image remains constant, that is, no value comes from outside the image.
    fileprivate var keepsConstants: Bool {
        [rows, columns].allSatisfy { taps in
            taps.runs.allSatisfy { abs($0.weights.reduce(0, +) - 1) < 1e-5 }
        }
    }
}

extension String {
    /// The name, and those of the scopes that contain it: for "a/b/c" also "a/b" and "a".
    fileprivate var scopes: [String] {
        indices.filter { self[$0] == "/" }.map { String(self[..<$0]) } + [self]
    }
}
