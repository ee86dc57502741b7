/// A value of an ML Program: its name and its type in the program.
struct MILValue: Sendable {
    var name: String
    var type: TensorType

    var shape: Shape { type.shape }
    var element: ElementType { type.element }
}

/// A node of the graph as it is written, with its inputs and outputs. It is channels first.
struct MILNode: Sendable {
    var inputs: [MILValue]
    var outputs: [MILValue]

    var input: MILValue { inputs[0] }
    var output: MILValue { outputs[0] }
}

/// An argument of an ML Program operation: a value, several values, or a constant.
enum MILArgument: Sendable {
    case value(MILValue)
    case values([MILValue])
    /// A constant. Floating-point values take the program's type, Booleans stay, and everything else becomes int32.
    case constant(Tensor)
    /// A constant with its axes in this order: one row per output channel.
    case weights(Tensor, order: [Int])
    /// A constant of 8-bit integers.
    case quantized(Tensor)
    case integer(Int)
    case integers([Int])
    case bools([Bool])
    case text(String)

    static func number(_ number: Float) -> MILArgument { .constant(Tensor([number], shape: [])) }
    static func bool(_ bool: Bool) -> MILArgument { .constant(Tensor(bool ? 1 : 0, element: .bool)) }
}
