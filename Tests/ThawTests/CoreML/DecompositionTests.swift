import Testing

@testable import Thaw

/// An operation that a dialect of Core ML lacks, and the operations that it is decomposed into.
struct DecompositionCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let operation: any Operation
    /// Channels first, like the graphs that are written.
    let inputs: [Tensor]
    /// The kinds of the parts in neural networks and in ML Programs. One that is equal to the operation's own says that
    /// the dialect has a layer for it.
    let network: [String]
    let program: [String]

    init(
        _ description: String, _ operation: any Operation, _ shape: Shape, network: [String], program: [String]
    ) {
        self.init(description, operation, [Tensor(noise(shape.elementCount), shape: shape)], network, program)
    }

    init(
        _ description: String, _ operation: any Operation, _ inputs: [Tensor], _ network: [String],
        _ program: [String]
    ) {
        testDescription = description
        (self.operation, self.inputs, self.network, self.program) = (operation, inputs, network, program)
    }

    /// A graph of the operation alone.
    func graph() throws -> Graph {
        var builder = GraphBuilder(channelOrder: .channelsFirst)
        let values = inputs.enumerated().map { builder.input("input\($0)", $1.type) }
        builder.output("output", try builder.add(operation, values, name: "node")[0])
        return builder.graph
    }
}

extension DecompositionCase {
    private static func tensor(_ shape: Shape, seed: UInt64 = 7) -> Tensor {
        Tensor(noise(shape.elementCount, seed: seed), shape: shape)
    }

    private static func integers(_ integers: [Int]) -> Tensor {
        Tensor(integers: integers, shape: [integers.count], element: .int32)
    }

    private static func booleans(_ integers: [Int]) -> Tensor {
        Tensor(integers: integers, shape: [integers.count], element: .bool)
    }

    private static func unary(
        _ description: String, _ function: Unary.Function, network: [String], program: [String]
    ) -> DecompositionCase {
        DecompositionCase(description, Unary(function), [1, 3, 4, 5], network: network, program: program)
    }

    static let all = activations + binaries + normalizations + others

    private static let activations = [
        unary(
            "exp(x) - 1", .exponentialMinus1, network: ["Multiply", "Tanh", "Exponential", "Add", "Multiply"],
            program: ["Multiply", "Tanh", "Exponential", "Add", "Multiply"]),
        unary(
            "erfc", .complementaryErrorFunction, network: ["ErrorFunction", "Subtract"],
            program: ["ErrorFunction", "Subtract"]),
        unary(
            "ReLU from a bound", .thresholdedRelu(bound: -0.25), network: ["ThresholdedRelu"],
            program: ["ThresholdedRelu"]),
        unary("SELU", .selu, network: ["ScaledElu", "Multiply"], program: ["ScaledElu", "Multiply"]),
        unary(
            "hard swish", .hardSwish(alpha: 1 / 6, beta: 0.5), network: ["HardSigmoid", "Multiply"],
            program: ["HardSigmoid", "Multiply"]),
        unary("swish", .swish(beta: 1), network: ["Sigmoid", "Multiply"], program: ["Swish"]),
        unary(
            "swish with a factor", .swish(beta: 1.5), network: ["Multiply", "Sigmoid", "Multiply"],
            program: ["Multiply", "Sigmoid", "Multiply"]),
        unary("clip to one value", .clip(0.25, 0.25), network: ["Clip"], program: ["Maximum", "Minimum"]),
        unary(
            "clip to one value in float16", .clip(0.25, 0.25001), network: ["Clip"], program: ["Maximum", "Minimum"]),
        unary("clip to reversed bounds", .clip(0.5, -0.25), network: ["Clip"], program: ["Maximum", "Minimum"]),
        unary("clip", .clip(-0.25, 0.5), network: ["Clip"], program: ["Clip"]),
        unary("Mish", .mish, network: ["Softplus", "Tanh", "Multiply"], program: ["Softplus", "Tanh", "Multiply"]),
        DecompositionCase(
            "log(1 + x)", Unary(.logarithm1p), [Tensor([0, 0.5, 3, -0.25], shape: [1, 4])], ["Logarithm1p"],
            ["Add", "Logarithm"]),
        unary(
            "asinh", .inverseHyperbolicSine, network: ["InverseHyperbolicSine"],
            program: ["Absolute", "Square", "Add", "SquareRoot", "Add", "Logarithm", "Sign", "Multiply"]),
        DecompositionCase(
            "acosh", Unary(.inverseHyperbolicCosine), [Tensor([1, 1.5, 20], shape: [3])], ["InverseHyperbolicCosine"],
            ["Square", "Add", "SquareRoot", "Add", "Logarithm"]),
        DecompositionCase(
            "an activation of integers", Unary(.hardSwish(alpha: 1, beta: 0)), [integers([-2, 0, 1, 3])],
            ["Cast", "HardSigmoid", "Multiply", "Cast"], ["Cast", "HardSigmoid", "Multiply", "Cast"]),
    ]

    private static let binaries = [
        DecompositionCase(
            "squared difference", Binary(.squaredDifference), [tensor([2, 3]), tensor([1, 3], seed: 2)],
            ["Subtract", "Square"], ["Subtract", "Square"]),
        DecompositionCase(
            "squared difference from a constant",
            Binary(.squaredDifference, constant: tensor([3, 1, 1]), constantFirst: true), [1, 3, 4, 5],
            network: ["Subtract", "Square"], program: ["Subtract", "Square"]),
        DecompositionCase(
            "constant divided", Binary(.divide, constant: Tensor(2), constantFirst: true), [1, 3, 4, 5],
            network: ["Reciprocal", "Multiply"], program: ["Divide"]),
        DecompositionCase(
            "subtraction from a constant per channel",
            Binary(.subtract, constant: tensor([3, 1, 1]), constantFirst: true), [1, 3, 4, 5],
            network: ["Negate", "Add"], program: ["Subtract"]),
        DecompositionCase(
            "truncated quotient", Binary(.truncateDivide),
            [Tensor([7, -7, 7, -7], shape: [4]), Tensor([2, 2, -2, -2], shape: [4])],
            ["Divide", "Absolute", "Floor", "Sign", "Multiply"],
            ["Absolute", "Absolute", "FloorDivide", "Sign", "Sign", "Multiply", "Multiply"]),
        DecompositionCase(
            "truncated quotient of a constant", Binary(.truncateDivide, constant: integers([2])),
            [integers([7, -7, 6, 1])], ["Constant", "Divide", "Absolute", "Floor", "Sign", "Multiply"],
            ["Absolute", "FloorDivide", "Sign", "Multiply", "Multiply"]),
        DecompositionCase(
            "remainder", Binary(.remainder),
            [Tensor([7, -7, 7, -7], shape: [4]), Tensor([2, 2, -2, -2], shape: [4])],
            ["Absolute", "Absolute", "Sign", "FloorRemainder", "Multiply"],
            ["Absolute", "Absolute", "FloorRemainder", "Sign", "Multiply"]),
        DecompositionCase(
            "quotient or zero", Binary(.divideOrZero),
            [Tensor([7, -7, 7, 0, .infinity, .nan], shape: [6]), Tensor([2, 0, -2, 0, 0, 0], shape: [6])],
            ["Equal", "Divide", "Constant", "Select"], ["Equal", "Divide", "Constant", "Select"]),
        DecompositionCase(
            "quotient or zero of scalars", Binary(.divideOrZero), [Tensor([7], shape: []), Tensor([0], shape: [])],
            ["Equal", "Divide", "Constant", "Select"], ["Equal", "Divide", "Constant", "Select"]),
        DecompositionCase(
            "equal Booleans", Binary(.equal), [booleans([1, 0, 1, 0]), booleans([1, 1, 0, 0])], ["Equal"],
            ["ExclusiveOr", "Not"]),
        DecompositionCase(
            "a Boolean equal to a constant", Binary(.equal, constant: booleans([0]), constantFirst: true),
            [booleans([1, 0])], ["Equal"], ["ExclusiveOr", "Not"]),
        DecompositionCase(
            "different Booleans", Binary(.notEqual), [booleans([1, 0, 1, 0]), booleans([1, 1, 0, 0])], ["NotEqual"],
            ["ExclusiveOr"]),
        DecompositionCase(
            "truth", Cast(element: .bool), [Tensor([7, 0, -0.5], shape: [3])], ["NotEqual"], ["Cast"]),
        DecompositionCase(
            "bytes", Cast(element: .uint8), [Tensor([300.5, -1.5, 256, 3], shape: [4])], ["Clip", "Cast"],
            ["Clip", "Cast"]),
        DecompositionCase(
            "signed bytes of integers", Cast(element: .int8), [integers([300, -200, 5])], ["Clip", "Cast"],
            ["Maximum", "Minimum", "Cast"]),
        DecompositionCase(
            "signed bytes of bytes", Cast(element: .int8),
            [Tensor(integers: [200, 127, 0], shape: [3], element: .uint8)], ["Clip", "Cast"], ["Minimum", "Cast"]),
        DecompositionCase(
            "unsigned integers", Cast(element: .uint32), [Tensor([-1.5, 3.5, 70_000], shape: [3])],
            ["Maximum", "Cast"], ["Maximum", "Cast"]),
        DecompositionCase(
            "integers of bytes", Cast(element: .int32), [Tensor(integers: [200, 0], shape: [2], element: .uint8)],
            ["Cast"], ["Cast"]),
    ]

    private static let normalizations = [
        DecompositionCase(
            "log-softmax", Softmax(axis: 1, isLogarithmic: true), [2, 5],
            network: ["ReduceMaximum", "Subtract", "Exponential", "ReduceSum", "Logarithm", "Subtract"],
            program: ["ReduceMaximum", "Subtract", "Exponential", "ReduceSum", "Logarithm", "Subtract"]),
        DecompositionCase(
            "L2 normalization", L2Normalization(axes: [1], epsilon: 1e-6), [2, 5],
            network: ["ReduceL2Norm", "Maximum", "Divide"], program: ["ReduceL2Norm", "Maximum", "Divide"]),
        DecompositionCase(
            "L2 normalization without a bound", L2Normalization(axes: [1, 2], epsilon: 0), [2, 5, 3],
            network: ["ReduceL2Norm", "Divide"], program: ["ReduceL2Norm", "Divide"]),
        DecompositionCase(
            "local response normalization", LocalResponseNormalization(radius: 1, bias: 0, alpha: 0.5, beta: 0.75),
            [1, 4, 3, 3], network: ["Multiply", "Convolution", "Power", "Multiply"],
            program: ["Multiply", "Convolution", "Power", "Multiply"]),
        DecompositionCase(
            "batch normalization of a row", BatchNormalization(scale: tensor([5]), offset: tensor([5], seed: 2)),
            [2, 5],
            network: ["Multiply", "Add"], program: ["Multiply", "Add"]),
        DecompositionCase(
            "normalization of a whole image",
            Normalization(axes: [1, 2, 3], epsilon: 1e-3, scale: tensor([3, 1, 1]), offset: nil), [1, 3, 4, 5],
            network: ["Reshape", "Normalization", "Reshape", "BatchNormalization"],
            program: ["Normalization", "Multiply"]),
        DecompositionCase(
            "normalization of channels that are last",
            Normalization(axes: [1, 2], epsilon: 1e-3, scale: tensor([3]), offset: tensor([3], seed: 2)), [1, 4, 5, 3],
            network: ["Transpose", "Normalization", "Transpose"], program: ["Normalization", "Multiply", "Add"]),
        DecompositionCase(
            "normalization along the first axis", Normalization(axes: [1], epsilon: 1e-3), [2, 5, 3],
            network: ["ReduceMean", "Subtract", "Multiply", "ReduceMean", "InverseDeviation", "Multiply"],
            program: ["Normalization"]),
        DecompositionCase(
            "normalization of images of several sizes",
            Normalization(axes: [1, 2, 3], epsilon: 1e-3, scale: tensor([3, 1, 1]), offset: nil, followsSize: true),
            [1, 3, 4, 5],
            network: ["ReduceMean", "Subtract", "Multiply", "ReduceMean", "InverseDeviation", "Multiply", "Multiply"],
            program: ["ReduceMean", "Subtract", "Multiply", "ReduceMean", "InverseDeviation", "Multiply", "Multiply"]),
    ]

    private static let others = [
        DecompositionCase(
            "attention with a mask", Attention(factor: 0.5, mask: tensor([3, 5])),
            [tensor([2, 3, 4]), tensor([2, 5, 4], seed: 2), tensor([2, 5, 6], seed: 3)],
            ["MatrixProduct", "Multiply", "Add", "Softmax", "MatrixProduct"],
            ["MatrixProduct", "Multiply", "Add", "Softmax", "MatrixProduct"]),
        DecompositionCase(
            "fake quantization",
            FakeQuantize(channels: [.init(minimum: -0.7, maximum: 0.8, bottom: 0, top: 15)]), [1, 3, 4, 5],
            network: ["Maximum", "Minimum", "Subtract", "Multiply", "Subtract", "Floor", "Multiply"],
            program: ["Maximum", "Minimum", "Subtract", "Multiply", "Subtract", "Add", "Floor", "Multiply"]),
        DecompositionCase(
            "affine quantization", AffineQuantize(scale: AffineScale([0.01], zeroPoints: [20]), element: .int8),
            [1, 3, 4, 5], network: ["Divide", "Round", "Add", "Clip", "Cast"],
            program: ["Divide", "Round", "Add", "Clip", "Cast"]),
        DecompositionCase(
            "affine quantization per channel",
            AffineQuantize(
                scale: AffineScale([0.01, 0.002, 0.5], zeroPoints: [128, 100, 3], axis: 1), element: .uint8),
            [1, 3, 4, 5], network: ["Divide", "Round", "Add", "Clip", "Cast"],
            program: ["Divide", "Round", "Add", "Clip", "Cast"]),
        DecompositionCase(
            "affine dequantization per row",
            AffineDequantize(scale: AffineScale([0.5, 2], zeroPoints: [-3, 4], axis: 0)),
            [Tensor(integers: [0, 1, -128, 127, 5, -7], shape: [2, 3], element: .int8)],
            ["Cast", "Subtract", "Multiply"],
            ["Cast", "Subtract", "Multiply"]),
        DecompositionCase(
            "one-hot", OneHot(axis: 1, depth: 3, on: 5, off: -1, element: .float32), [integers([0, 2, 1, 7])],
            ["Reshape", "Equal", "Constant", "Constant", "Select"], ["OneHot"]),
        DecompositionCase(
            "one-hot integers", OneHot(axis: 1, depth: 3, on: 5, off: -1, element: .int32), [integers([0, 2, 1, 7])],
            ["Reshape", "Equal", "Constant", "Constant", "Select"], ["OneHot"]),
        DecompositionCase(
            "one-hot mask", OneHot(axis: 1, depth: 3, on: 0, off: -.infinity, element: .float32),
            [integers([0, 2, 1])], ["Reshape", "Equal", "Constant", "Constant", "Select"], ["OneHot"]),
        DecompositionCase(
            "space to batch", SpaceToBatch(blocks: [1, 1, 2, 2], before: [0, 0, 1, 0], after: [0, 0, 0, 1]),
            [1, 3, 3, 5], network: ["Pad", "Reshape", "Transpose", "Reshape"],
            program: ["Pad", "Reshape", "Transpose", "Reshape"]),
        DecompositionCase(
            "batch to space", BatchToSpace(blocks: [1, 1, 2, 2], before: [0, 0, 1, 0], after: [0, 0, 0, 1]),
            [4, 3, 2, 3], network: ["Reshape", "Transpose", "Reshape", "StridedSlice"],
            program: ["Reshape", "Transpose", "Reshape", "StridedSlice"]),
        DecompositionCase(
            "pixel shuffle", BlockExchange(exchange: .pixelShuffle, size: 2), [1, 8, 3, 3],
            network: ["Reshape", "Transpose", "Reshape"], program: ["BlockExchange"]),
        DecompositionCase(
            "pixel unshuffle", BlockExchange(exchange: .pixelUnshuffle, size: 2), [1, 2, 4, 6],
            network: ["Reshape", "Transpose", "Reshape"], program: ["Reshape", "Transpose", "Reshape"]),
        DecompositionCase(
            "transposed convolution cropped at the start",
            TransposedConvolution(
                filters: tensor([3, 3, 2, 3]), bias: tensor([2]),
                window: Window(
                    height: .init(size: 3, stride: 2, before: 1, after: 0),
                    width: .init(size: 3, stride: 2, before: 1, after: -1))), [1, 3, 3, 4],
            network: ["TransposedConvolution", "StridedSlice"], program: ["TransposedConvolution"]),
    ]
}

@Suite struct DecompositionTests {
    @Test(arguments: DecompositionCase.all) func `the parts of an operation compute the same`(
        _ decompositionCase: DecompositionCase
    ) throws {
        let graph = try decompositionCase.graph()
        let expected = try graph.evaluate(decompositionCase.inputs)[0]
        for dialect in [CoreMLDialect.neuralNetwork(.exact), .program] {
            let parts = try graph.legalized(for: dialect)
            let kinds = dialect.isProgram ? decompositionCase.program : decompositionCase.network
            #expect(parts.nodes.map(\.operation.kind) == kinds)
            #expect(parts.nodes.last?.name == "node")
            #expect(parts.nodes.dropLast().allSatisfy { $0.name.hasPrefix("node/") })
            #expect(parts.nodes.allSatisfy { isWritten($0.operation, dialect) })
            let output = try parts.evaluate(decompositionCase.inputs)[0]
            #expect(output.type == expected.type)
            #expect(difference(output, expected) <= referenceTolerance)
        }
    }

    /// Whether a writer has a layer for the operation.
    private func isWritten(_ operation: any Operation, _ dialect: CoreMLDialect) -> Bool {
        let own = (operation as? InFloat32)?.operation ?? operation
        return dialect.isProgram ? own is any MILOperation : own is any NeuralOperation
    }

    @Test(arguments: [Unary.Function.relu6, .clip(-0.5, 0.25)]) func `systems before iOS 13 clip with two bounds`(
        _ function: Unary.Function
    ) throws {
        let clip = DecompositionCase("clip", Unary(function), [1, 3, 4, 5], network: [], program: [])
        let graph = try clip.graph()
        let older = try graph.legalized(for: .neuralNetwork(.images, target: .iOS12))
        #expect(older.nodes.map(\.operation.kind) == ["BoundedNegation", "BoundedNegation"])
        #expect(try difference(older.evaluate(clip.inputs)[0], graph.evaluate(clip.inputs)[0]) == 0)
        let newer = try graph.legalized(for: .neuralNetwork(.images, target: .iOS13))
        #expect(newer.nodes.count == 1)
    }

    @Test(arguments: [CoreMLDialect.neuralNetwork(.exact), .program])
    func `exp(x) - 1 keeps the digits of small values`(_ dialect: CoreMLDialect) throws {
        let numbers: [Float] = [1e-6, -1e-4, 1e-3, 0.5, 80, -90]
        let input = Tensor(numbers, shape: [numbers.count])
        let graph = try DecompositionCase("", Unary(.exponentialMinus1), [input], [], []).graph()
        let expected = try graph.evaluate([input])[0].floats
        let output = try graph.legalized(for: dialect).evaluate([input])[0].floats
        // A few roundings to float32.
        for (value, exact) in zip(output, expected) { #expect(abs(value - exact) <= 1e-6 * abs(exact)) }
    }

    @Test(arguments: ["fake quantization", "asinh", "acosh"])
    func `what exceeds float16 is computed in float32`(_ name: String) throws {
        let decomposition = try #require(DecompositionCase.all.first { $0.testDescription == name })
        let parts = try decomposition.graph().legalized(for: .program)
        #expect(parts.nodes.allSatisfy { $0.operation is InFloat32 })
    }

    @Test func `a part of too many axes is refused by the node's name`() throws {
        let blocks = SpaceToBatch(
            blocks: [1, 1, 2, 2, 2], before: [0, 0, 0, 0, 0], after: [0, 0, 0, 0, 0])
        let graph = try DecompositionCase("", blocks, [2, 3, 4, 4, 4], network: [], program: []).graph()
        let failure = #expect(throws: Failure.self) { try graph.legalized(for: .program) }
        #expect(failure?.location == "node (Reshape)")
    }

    @Test(arguments: GraphCase.all) func `decomposed graphs give TensorFlow's outputs`(_ graphCase: GraphCase) throws {
        let original = try Passes.run(Passes.simplification, on: graphCase.imported())
        let graph = try original.reordered(to: .channelsFirst)
        for dialect in [CoreMLDialect.neuralNetwork(.images), .neuralNetwork(.exact), .program] {
            guard let parts = try? graph.legalized(for: dialect), parts.nodes.count != graph.nodes.count else {
                continue
            }
            let output = parts.output(for: original.channelsLast(try graphCase.input()))
            #expect(difference(output, try graphCase.expected()) <= graphCase.tolerance)
        }
    }
}
