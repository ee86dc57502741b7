/// An operation that an ML Program computes in float32, even if it computes everything else in float16.
struct InFloat32: Operation {
    let operation: any Operation

    init(_ operation: any Operation) { self.operation = (operation as? InFloat32)?.operation ?? operation }

    var kind: String { operation.kind }
    var weights: [Tensor] { operation.weights }
    var isSpatial: Bool { operation.isSpatial }
    var isElementwise: Bool { operation.isElementwise }
    var family: Family { operation.family }
    var indexInput: Int? { operation.indexInput }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        operation.use(ofAxis: axis, of: input, inputs)
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        operation.mergingAxes(inputs, output).map { (operation: InFloat32($0.operation), groups: $0.groups) }
    }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { try operation.outputTypes(inputs) }
    func evaluate(_ inputs: [Tensor]) throws -> [Tensor] { try operation.evaluate(inputs) }
}
