#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An elementwise function of two tensors, with broadcasting as in NumPy.
///
/// A constant operand is a field, and the operation then has one input.
struct Binary: Operation {
    enum Function: String, Hashable, Sendable, CaseIterable {
        case add, subtract, multiply, divide, maximum, minimum, power, squaredDifference
        /// The quotient rounded down, and its remainder.
        case floorDivide, floorRemainder
        /// The quotient rounded toward zero, and its remainder.
        case truncateDivide, remainder
        /// The quotient, or 0 if the divisor is 0.
        case divideOrZero
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case and, or, exclusiveOr

        /// Whether the result is Boolean.
        var isLogical: Bool {
            switch self {
            case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .exclusiveOr: true
            default: false
            }
        }
    }

    var function: Function
    var constant: Tensor?
    /// Whether the constant is the first operand.
    var constantFirst = false

    init(_ function: Function, constant: Tensor? = nil, constantFirst: Bool = false) {
        self.function = function
        self.constant = constant
        self.constantFirst = constantFirst
    }

    var kind: String { function.rawValue.prefix(1).uppercased() + function.rawValue.dropFirst() }
    var weights: [Tensor] { constant.map { [$0] } ?? [] }
    var isElementwise: Bool { true }

    /// Whether the operands can be swapped.
    var isCommutative: Bool {
        switch function {
        case .add, .multiply, .maximum, .minimum, .squaredDifference: true
        case .equal, .notEqual, .and, .or, .exclusiveOr: true
        default: false
        }
    }

    /// Both operands in order, given the inputs.
    func operands<T>(_ inputs: [T], _ make: (Tensor) -> T) -> (T, T) {
        guard let constant else { return (inputs[0], inputs[1]) }
        return constantFirst ? (make(constant), inputs[0]) : (inputs[0], make(constant))
    }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let (a, b) = operands(inputs, \.type)
        guard a.element == b.element else { throw Failure.elementTypesDiffer(a.element.rawValue, b.element.rawValue) }
        return [TensorType(try a.shape.broadcast(with: b.shape), function.isLogical ? .bool : a.element)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let (a, b) = operands(inputs) { $0 }
        let shape = try! a.shape.broadcast(with: b.shape)
        let aIndex = a.shape.broadcastIndex(in: shape)
        let bIndex = b.shape.broadcastIndex(in: shape)
        let isSingle = a.element == .float32
        return a.withElements { x in
            b.withElements { y in
                [
                    Tensor(shape: shape, element: function.isLogical ? .bool : a.element) {
                        apply(x[aIndex($0)], y[bIndex($0)], isSingle: isSingle)
                    }
                ]
            }
        }
    }

    /// The function of two scalars.
    func apply(_ a: Double, _ b: Double, isSingle: Bool = true) -> Double {
        switch function {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        case .maximum: a > b || a.isNaN ? a : b
        case .minimum: a < b || a.isNaN ? a : b
        case .power: pow(a, b)
        case .squaredDifference: (a - b) * (a - b)
        // In single precision the quotient is rounded before it is truncated.
        case .floorDivide: isSingle ? Double(Float(a / b).rounded(.down)) : (a / b).rounded(.down)
        case .truncateDivide: (a / b).rounded(.towardZero)
        case .remainder: fmod(a, b)
        case .floorRemainder: Binary.floorRemainder(a, b)
        case .divideOrZero: b == 0 ? 0 : a / b
        case .equal: a == b ? 1 : 0
        case .notEqual: a != b ? 1 : 0
        case .less: a < b ? 1 : 0
        case .lessOrEqual: a <= b ? 1 : 0
        case .greater: a > b ? 1 : 0
        case .greaterOrEqual: a >= b ? 1 : 0
        case .and: a != 0 && b != 0 ? 1 : 0
        case .or: a != 0 || b != 0 ? 1 : 0
        case .exclusiveOr: (a != 0) != (b != 0) ? 1 : 0
        }
    }

    /// The remainder of the quotient rounded down; it has the divisor's sign.
    private static func floorRemainder(_ a: Double, _ b: Double) -> Double {
        let remainder = fmod(a, b)
        return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder
    }

    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        if let constant {
            let rank = inputs[0].shape.rank
            guard constant.shape.rank <= rank else { return nil }
            var copy = self
            if constant.elementCount > 1 {
                copy.constant = constant.reshaped(constant.shape.padded(to: rank)).transposed(orders[0])
            }
            return Reordered(copy, inputs: orders, outputs: orders)
        }
        guard inputs[0].shape.rank == inputs[1].shape.rank else { return nil }
        // One of the two may need a transpose. The order that comes from a spatial operation is worth keeping.
        let identity = Array(0..<inputs[0].shape.rank)
        let order = orders[0] == identity ? orders[1] : orders[0]
        return Reordered(self, inputs: [order, order], outputs: [order])
    }
}
