/// One of two graphs, selected by a single value.
///
/// The first input is the predicate: true unless it is 0. The others are the inputs of both graphs.
struct Conditional: Operation {
    var whenTrue: Graph
    var whenFalse: Graph

    var kind: String { "Conditional" }
    var weights: [Tensor] { whenTrue.weights + whenFalse.weights }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        guard inputs[0].shape.elementCount == 1 else { throw Failure.notSingle(inputs[0].shape) }
        let (types, others) = (whenTrue.outputTypes, whenFalse.outputTypes)
        guard types.count == others.count else { throw Failure.resultCounts(types.count, others.count) }
        for (type, other) in zip(types, others) where type != other { throw Failure.resultTypes(type, other) }
        return types
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        max(whenTrue.multiplyAdds, whenFalse.multiplyAdds)
    }

    func evaluate(_ inputs: [Tensor]) throws -> [Tensor] {
        try (inputs[0].isTrue ? whenTrue : whenFalse).evaluate(Array(inputs.dropFirst()))
    }
}

// MARK: Facts

extension Conditional {
    var family: Family { .arithmetic }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .combined }
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? { nil }
}

// MARK: Nested graphs

extension Graph {
    var weights: [Tensor] { nodes.flatMap(\.operation.weights) }
    var outputTypes: [TensorType] { outputs.map { self[$0.value] } }
}

extension Tensor {
    /// Whether its only element is not 0.
    var isTrue: Bool { withElements { $0[0] != 0 } }
}

extension Failure {
    static func notSingle(_ shape: Shape) -> Failure {
        Failure(.wrongShape, "the condition has shape \(shape)", remedy: "expected a single value")
    }

    static func resultCounts(_ count: Int, _ other: Int) -> Failure {
        Failure(.invalidModel, "one block has \(count) results, the other \(other)")
    }

    static func resultTypes(_ type: TensorType, _ other: TensorType) -> Failure {
        Failure(
            .unsupportedOperations, "a result is \(type) in one case and \(other) in the other",
            remedy: "results of one type are supported")
    }
}
