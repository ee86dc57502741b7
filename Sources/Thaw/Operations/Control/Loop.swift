/// A graph that is repeated while a condition holds.
///
/// The first inputs are the initial values of the variables, as many as the body has outputs. The others are constant
/// during the loop. Both graphs take all of them. The outputs are the final values of the variables.
struct Loop: Operation {
    /// Its only output is a single value: true unless it is 0.
    var condition: Graph
    /// Computes the next values of the variables.
    var body: Graph

    var kind: String { "Loop" }
    var weights: [Tensor] { condition.weights + body.weights }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let conditions = condition.outputTypes
        guard conditions.count == 1 else { throw Failure.conditions(conditions.count) }
        guard conditions[0].shape.elementCount == 1 else { throw Failure.notSingle(conditions[0].shape) }
        let types = body.outputTypes
        guard types.count <= inputs.count else { throw Failure.variables(inputs.count, types.count) }
        for (type, next) in zip(inputs, types) where type != next { throw Failure.variableType(type, next) }
        return types
    }

    /// The multiply-adds of one iteration: the number of iterations is unknown.
    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        condition.multiplyAdds + body.multiplyAdds
    }

    /// - Throws: `Failure` after `Limits.iterations`. Whether a loop ends cannot be known before.
    func evaluate(_ inputs: [Tensor]) throws -> [Tensor] {
        var values = inputs
        var iterations = 0
        while try condition.evaluate(values)[0].isTrue {
            guard iterations < Limits.iterations else { throw Failure.tooManyIterations() }
            values.replaceSubrange(..<body.outputs.count, with: try body.evaluate(values))
            iterations += 1
        }
        return Array(values.prefix(body.outputs.count))
    }
}

// MARK: Facts

extension Loop {
    var family: Family { .arithmetic }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .combined }
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? { nil }
}

extension Failure {
    fileprivate static func tooManyIterations() -> Failure {
        Failure(
            .limitExceeded, "the loop has not ended after \(Limits.iterations) iterations",
            hint: "THAW_MAX_ITERATIONS raises the limit")
    }

    fileprivate static func conditions(_ count: Int) -> Failure {
        Failure(.invalidModel, "the condition has \(count) results", remedy: "expected one")
    }

    fileprivate static func variables(_ count: Int, _ results: Int) -> Failure {
        Failure(.invalidModel, "the loop has \(count) variables", remedy: "its body has \(results) results")
    }

    fileprivate static func variableType(_ type: TensorType, _ next: TensorType) -> Failure {
        Failure(
            .unsupportedOperations, "a variable of the loop is \(type) at first and then \(next)",
            remedy: "variables of one type are supported")
    }
}
