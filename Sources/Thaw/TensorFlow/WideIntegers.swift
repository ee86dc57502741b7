/// Inputs of integers of 32 or 64 bits.
///
/// Like all inputs they are floating point here, which is enough for a graph that casts them. If a node needs integers, the
/// graph is imported again with integers.
enum WideIntegers {
    /// The type of an input if it has such integers.
    static func element(of input: NodeDefinition?) -> ElementType? {
        guard let element = input?.dataType?.element, element.bounds != nil, element.size >= 4 else { return nil }
        return element
    }

    /// Whether a node computes with such integers, which are floating point here.
    static func areFloats(in node: TensorFlowNode) -> Bool {
        let attributes = node.definition.attributes
        guard case .type(let type)? = attributes["T"] ?? attributes["SrcT"], let element = type.element,
            element.bounds != nil, element.size >= 4
        else { return false }
        return node.inputs.contains { $0.constant == nil && $0.type.element.isFloatingPoint }
    }

    /// Whether a node casts to integers. Those of few bits wrap around, and are exact only if they are computed as integers.
    static func areResult(of node: NodeDefinition) -> Bool {
        node.type("DstT")?.element?.bounds != nil
    }
}
