/// A function of quantized values, as a table.
struct IntegerLookup: Operation {
    /// 256 results.
    var table: [UInt8]
    var zeroPoint: Int

    var kind: String { "IntegerLookup" }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] { [TensorType(inputs[0].shape, .uint8)] }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let quantized = inputs[0].bytes
        return withExtendedLifetime(inputs) {
            [Tensor(shape: inputs[0].shape, element: .uint8) { Double(table[Int(quantized[$0])]) }]
        }
    }
}

// MARK: Facts

extension IntegerLookup {
    var family: Family { .activation }
    var isElementwise: Bool { true }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { .kept(axis) }
}

// MARK: Engine

extension IntegerLookup: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? { zeroPoint }
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .integer(.lookup(table)) }
}
