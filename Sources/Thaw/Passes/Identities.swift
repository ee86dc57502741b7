extension Graph {
    /// Removes nodes that return their input unchanged and merges consecutive reshapes.
    func withoutIdentities() throws -> Graph {
        try rebuilt { node, inputs, builder in
            guard let input = inputs.first else { return nil }
            switch node.operation {
            case let reshape as Reshape:
                if builder[input].shape == reshape.shape { return inputs }
                if let before = builder.producer(of: input), before.operation is Reshape {
                    let source = before.inputs[0]
                    return builder[source].shape == reshape.shape
                        ? [source] : try builder.add(reshape, [source], name: node.name)
                }
                return nil
            case let transpose as Transpose: return transpose.order == Array(0..<transpose.order.count) ? inputs : nil
            case let slice as StridedSlice:
                let isWhole = zip(slice.ranges, builder[input].shape).allSatisfy {
                    $0 == StridedSlice.Range(start: 0, count: $1)
                }
                return isWhole ? inputs : nil
            case let binary as Binary where inputs.count == 1:
                return binary.isNeutral(for: builder[input]) ? inputs : nil
            default: return nil
            }
        }
    }
}

extension Binary {
    /// Whether the constant has no effect: + 0, − 0, · 1, / 1.
    fileprivate func isNeutral(for type: TensorType) -> Bool {
        guard let constant, let neutral = neutralElement, !(constantFirst && !isCommutative) else { return false }
        guard (try? type.shape.broadcast(with: constant.shape)) == type.shape else { return false }
        return constant.withElements { elements in (0..<constant.elementCount).allSatisfy { elements[$0] == neutral } }
    }

    private var neutralElement: Double? {
        switch function {
        case .add, .subtract: 0
        case .multiply, .divide, .power: 1
        default: nil
        }
    }
}
