import Kernels
import Testing

@testable import Thaw

/// An operation with test inputs, and the arithmetic that it can absorb. A new operation needs a row.
struct OperationSample: CustomTestStringConvertible, Sendable {
    struct Absorbs: OptionSet {
        let rawValue: Int
        /// A scale and an offset for each output channel.
        static let arithmetic = Absorbs(rawValue: 1)
        /// Zeros around the image.
        static let border = Absorbs(rawValue: 2)
        static let nothing: Absorbs = []
    }

    let operation: any Thaw.Operation
    let inputs: [TensorType]
    let absorbs: Absorbs
    /// The range of values of integer inputs; nil for floating-point inputs.
    let range: Range<Int>?

    init(_ operation: any Thaw.Operation, _ shapes: Shape..., absorbs: Absorbs, indices range: Range<Int>? = nil) {
        self.operation = operation
        self.absorbs = absorbs
        self.range = range
        inputs = shapes.enumerated().map { index, shape in
            // Indices are the last input.
            TensorType(shape, range != nil && index == shapes.count - 1 ? .int32 : .float32)
        }
    }

    /// An 8-bit integer operation, which absorbs nothing.
    init(integer operation: any Thaw.Operation, _ shapes: Shape...) {
        self.operation = operation
        absorbs = .nothing
        range = 0..<256
        inputs = shapes.map { TensorType($0, .uint8) }
    }

    var testDescription: String { "\(operation.kind) on \(inputs.map { "\($0.shape)" }.joined(separator: ", "))" }

    var outputs: [TensorType] { try! operation.outputTypes(inputs) }

    var tensors: [Tensor] {
        inputs.enumerated().map { index, type in
            let numbers = noise(type.shape.elementCount, seed: UInt64(index + 3))
            guard type.element != .float32, let range else { return Tensor(numbers, shape: type.shape) }
            return Tensor(shape: type.shape, element: type.element) {
                Double(range.lowerBound + ($0 * 7 + 1) % range.count)
            }
        }
    }

    /// The same with positive floating-point values, a range that does not contain 0.
    var positiveTensors: [Tensor] {
        tensors.map { $0.element == .float32 ? Tensor($0.floats.map { abs($0) + 0.5 }, shape: $0.shape) : $0 }
    }

    private static let image: Shape = [2, 6, 8, 4]

    static let all: [OperationSample] = elementwise + images + matrices + reductions + movements + sequences + quantized

    private static let elementwise: [OperationSample] = [
        .init(Unary(.relu), [2, 3, 4], absorbs: .nothing),
        .init(Unary(.relu6), [2, 3], absorbs: .nothing),
        .init(Unary(.tanh), [2, 3], absorbs: .nothing),
        .init(Unary(.arcTangent), [2, 3], absorbs: .nothing),
        .init(InFloat32(Unary(.exponential)), [2, 3], absorbs: .nothing),
        .init(Unary(.negate), [2, 3, 4], absorbs: .nothing),
        .init(Unary(.clip(-0.25, 0.5)), [2, 3], absorbs: .nothing),
        .init(Binary(.add), [2, 3, 4], [2, 3, 4], absorbs: .nothing),
        .init(Binary(.multiply), [2, 3, 4], [3, 1], absorbs: .nothing),
        .init(Binary(.subtract, constant: tensor([4]), constantFirst: true), [2, 3, 4], absorbs: .nothing),
        .init(Binary(.divide, constant: Tensor([2], shape: [])), [2, 3], absorbs: .nothing),
        .init(Binary(.multiply, constant: tensor([3, 1])), [2, 3, 4], absorbs: .nothing),
        .init(Binary(.add, constant: tensor([2, 1, 1, 1])), [3, 4], absorbs: .nothing),
        .init(Binary(.add, constant: Tensor([0], shape: [])), [2, 3], absorbs: .nothing),
        .init(Binary(.maximum, constant: Tensor([0.125], shape: [])), [2, 3], absorbs: .nothing),
        .init(Cast(element: .float16), [2, 3], absorbs: .nothing),
        .init(Select(), [3, 1], [2, 3, 4], [4], absorbs: .nothing),
        .init(
            FakeQuantize(channels: [.init(minimum: -1, maximum: 1, bottom: 0, top: 255)]), [2, 3], absorbs: .nothing),
        .init(
            FakeQuantize(channels: (1...3).map { .init(minimum: -1, maximum: Float($0), bottom: 0, top: 255) }),
            [2, 3],
            absorbs: .nothing),
        .init(
            AffineQuantize(scale: AffineScale([0.01], zeroPoints: [3]), element: .int8), [2, 3, 4], absorbs: .nothing),
        .init(
            AffineQuantize(
                scale: AffineScale([0.01, 0.02, 0.03], zeroPoints: [128, 100, 90], axis: 1), element: .uint8),
            [2, 3, 4], absorbs: .nothing),
        .init(
            AffineDequantize(scale: AffineScale([0.5, 0.25, 1], zeroPoints: [1, 0, -2], axis: 1)), [2, 3, 4],
            absorbs: .nothing, indices: -8..<8),
    ]

    private static let images: [OperationSample] = [
        .init(convolution(axis(3, 1, 1), axis(2), 4, 6), image, absorbs: [.arithmetic, .border]),
        .init(
            convolution(axis(3, stride: 2, 1, 0), axis(2, dilation: 2), 2, 6), image, absorbs: [.arithmetic, .border]),
        .init(depthwise(axis(3, 1, 1), axis(2), 4), image, absorbs: [.arithmetic, .border]),
        .init(depthwise(axis(1), axis(3, stride: 2, 1, 1), 4, multiplier: 2), image, absorbs: [.arithmetic, .border]),
        .init(
            TransposedConvolution(
                filters: tensor([3, 2, 3, 4]), bias: tensor([6]),
                window: Window(height: axis(3, stride: 2, 1, 0), width: axis(2)), groups: 2), image,
            absorbs: .arithmetic),
        .init(
            Pooling(function: .average, window: Window(height: axis(2, stride: 2), width: axis(3))), image,
            absorbs: .border),
        .init(
            Pooling(
                function: .average, window: Window(height: axis(2), width: axis(3, 1, 1)), countsPadding: true), image,
            absorbs: .border),
        .init(
            Pooling(function: .average, window: Window(height: axis(2), width: axis(3, 1, 1))), image,
            absorbs: .nothing),
        .init(
            Pooling(function: .maximum, window: Window(height: axis(3, stride: 2), width: axis(3, 1, 1))), image,
            absorbs: .nothing),
        .init(BatchNormalization(scale: tensor([4]), offset: tensor([4])), image, absorbs: .nothing),
        .init(LocalResponseNormalization(radius: 1, bias: 1, alpha: 1, beta: 0.5), image, absorbs: .nothing),
        .init(
            Resize(rows: .linear(.edges, 6, 12), columns: .nearest(.left, 8, 4)), image, absorbs: .nothing),
        .init(Resize(rows: .linear(.left, 6, 3), columns: .cubic(.corners, 8, 5)), image, absorbs: .nothing),
        .init(
            GridSample(outside: .border, coordinates: .aroundZero, alignsCenters: true), image, [2, 3, 5, 2],
            absorbs: .nothing),
        .init(BlockExchange(exchange: .depthToSpace, size: 2), image, absorbs: .nothing),
        .init(BlockExchange(exchange: .spaceToDepth, size: 2), image, absorbs: .nothing),
        .init(MirrorPad(before: [1, 0], after: [2, 0]), image, absorbs: .nothing),
        .init(
            SpaceToBatch(blocks: [1, 2, 1, 1], before: [0, 1, 0, 0], after: [0, 1, 0, 0]), image, absorbs: .nothing),
        .init(
            BatchToSpace(blocks: [1, 1, 2, 1], before: [0, 0, 1, 0], after: [0, 0, 0, 0]), image, absorbs: .nothing),
        .init(
            DepthwisePhases(
                filters: tensor([2, 3, 32]), bias: tensor([32]), window: Window(height: axis(2, 1, 0), width: axis(3)),
                count: 4), image, absorbs: .nothing),
        .init(
            Interleaving(
                phases: Phases(
                    rows: .init(stride: 2, offset: 0, size: 12), columns: .init(stride: 2, offset: 0, size: 16)),
                channels: 3), [1, 6, 8, 64], absorbs: .nothing),
    ]

    private static let matrices: [OperationSample] = [
        .init(Dense(matrix: tensor([3, 4]), bias: tensor([4])), [2, 3], absorbs: .arithmetic),
        .init(MatrixProduct(), [2, 3, 4], [4, 5], absorbs: .nothing),
        .init(MatrixProduct(transposeFirst: true, transposeSecond: true), [4, 3], [2, 5, 4], absorbs: .nothing),
        .init(Attention(factor: 0.5), [2, 3, 4], [2, 5, 4], [2, 5, 6], absorbs: .nothing),
        .init(Attention(factor: 2, mask: tensor([3, 5])), [2, 3, 4], [2, 5, 4], [2, 5, 6], absorbs: .nothing),
        .init(Attention(factor: 1), [2, 3, 4], [2, 5, 4], [2, 5, 6], [2, 1, 5], absorbs: .nothing),
        .init(Softmax(axis: 1), [2, 3, 4], absorbs: .nothing),
        .init(Softmax(axis: 1, isLogarithmic: true), [2, 3], absorbs: .nothing),
        .init(
            Normalization(axes: [2], epsilon: 0.1, scale: tensor([4]), offset: nil), [2, 3, 4], absorbs: .arithmetic),
        .init(
            Normalization(axes: [1, 2], epsilon: 0.1, scale: tensor([4]), offset: tensor([4])), image,
            absorbs: .arithmetic),
        .init(L2Normalization(axes: [1], epsilon: 0.1), [2, 3, 4], absorbs: .nothing),
    ]

    private static let reductions: [OperationSample] = [
        .init(Reduction(function: .mean, axes: [1], keepsAxes: false), [2, 3, 4], absorbs: .nothing),
        .init(Reduction(function: .maximum, axes: [0, 2], keepsAxes: true), [2, 3, 4], absorbs: .nothing),
        .init(Reduction(function: .l2Norm, axes: [1], keepsAxes: false), [2, 3, 4], absorbs: .nothing),
        .init(ArgMax(axis: 1), [2, 3, 4], absorbs: .nothing),
        .init(ArgMax(axis: 2, keepsAxis: true), [2, 3, 4], absorbs: .nothing),
        .init(CumulativeSum(axis: 1), [2, 3, 4], absorbs: .nothing),
        .init(TopK(axis: 1, count: 2), [2, 3, 4], absorbs: .nothing),
    ]

    private static let movements: [OperationSample] = [
        .init(Constant(tensor([2, 3])), absorbs: .nothing),
        .init(Reshape([3, 8]), [2, 3, 4], absorbs: .nothing),
        .init(Transpose([2, 0, 1]), [2, 3, 4], absorbs: .nothing),
        .init(Concatenation(axis: 1), [2, 3, 4], [2, 2, 4], absorbs: .nothing),
        .init(Split(axis: 1, sizes: [1, 2]), [2, 3, 4], absorbs: .nothing),
        .init(
            StridedSlice(ranges: [
                .init(start: 0, count: 2), .init(start: 1, count: 3, step: 2), .init(start: 3, count: 4, step: -1),
            ]),
            [2, 7, 4], absorbs: .nothing),
        .init(Pad(before: [1, 0, 2], after: [0, 0, 3], value: 7), [2, 3, 4], absorbs: .nothing),
        .init(Tile(multiples: [1, 2, 1]), [2, 3, 4], absorbs: .nothing),
        .init(BroadcastTo(shape: [2, 3, 5, 4]), [3, 1, 4], absorbs: .nothing),
        .init(Gather(axis: 1), [2, 3, 4], [2, 2], absorbs: .nothing, indices: 0..<3),
        .init(GatherAlongAxis(axis: 1), [2, 3, 4], [2, 5, 4], absorbs: .nothing, indices: 0..<3),
        .init(
            ScatterAlongAxis(axis: 1, mode: .add), [2, 3, 4], [2, 2, 4], [2, 2, 4], absorbs: .nothing, indices: 0..<3),
        .init(BoxSelection(overlap: 0.5, score: -1, count: 3), [2, 5, 4], [2, 5, 3], absorbs: .nothing),
        .init(
            BoxSampling(height: 2, width: 3, grid: .cornersOrMiddle), image, [5, 4], [5], absorbs: .nothing,
            indices: 0..<2),
        .init(ScatterSlices(mode: .update), [3, 3, 4], [5, 4], [5, 2], absorbs: .nothing, indices: 0..<3),
        .init(TopK(axis: 1, count: 2, isAscending: true), [2, 3, 4], absorbs: .nothing),
        .init(GatherSlices(), [3, 3, 4], [5, 2], absorbs: .nothing, indices: 0..<3),
        .init(OneHot(axis: 1, depth: 4, on: 1, off: 0, element: .float32), [2, 3], absorbs: .nothing, indices: 0..<4),
    ]

    private static let sequences: [OperationSample] = [
        .init(recurrence(.simple), [3, 2, 4], [2, 5], absorbs: .nothing),
        .init(recurrence(.gru(resetsAfterProduct: true)), [3, 2, 4], [2, 5], absorbs: .nothing),
        .init(recurrence(.lstm(couplesGates: false), count: 2), [3, 2, 4], [2, 10], [2, 10], absorbs: .nothing),
        .init(
            Conditional(whenTrue: centered(), whenFalse: centered(times: 2)), [], [2, 3], absorbs: .nothing),
        .init(Loop(condition: isSmall(), body: centered(times: 2)), [2, 3], absorbs: .nothing),
    ]

    private static let quantized: [OperationSample] = [
        .init(integer: IntegerConvolution(layer: layer([3, 2, 4, 6]), window: window), image),
        .init(integer: IntegerDepthwiseConvolution(layer: layer([3, 2, 4]), window: window), image),
        .init(integer: IntegerDense(layer: layer([4, 5])), [3, 4]),
        .init(
            integer: IntegerAddition(
                addition: QuantizedAddition(
                    leftFactor: 0.5, rightFactor: 0.75, leftZeroPoint: 3, rightZeroPoint: 120, rounding: rounding)),
            [2, 3, 4], [2, 3, 4]),
        .init(integer: IntegerMultiplication(multiplication: multiplication), [2, 3, 4], [2, 3, 4]),
        .init(integer: IntegerMultiplication(multiplication: multiplication), [1, 3, 2, 4], [1, 1, 1, 4]),
        .init(
            integer: IntegerScale(
                zeroPoint: 3, factors: [0.5, -0.25, 0.75, 1], offsets: [1, -20, 0, 100], rounding: rounding),
            [1, 3, 2, 4]),
        .init(integer: IntegerPooling(function: .maximum, window: window), image),
        .init(
            integer: IntegerPooling(
                function: .average(zeroPoint: 3, factors: (0...6).map { 1 / Float(max(1, $0)) }, rounding),
                window: window), image),
        .init(integer: IntegerMean(zeroPoint: 3, factor: 0.02, rounding: rounding, keepsAxes: false), image),
        .init(integer: IntegerMean(zeroPoint: 3, factor: 0.02, rounding: rounding, keepsAxes: true), image),
        .init(integer: IntegerPad(Pad(before: [0, 1, 0, 0], after: [0, 2, 1, 0]), zeroPoint: 3)!, image),
        .init(integer: IntegerLookup(table: (0..<256).map { UInt8(255 - $0) }, zeroPoint: 0), [2, 3, 4]),
    ]

    private static let multiplication = QuantizedMultiplication(
        factor: 0.01, leftZeroPoint: 3, rightZeroPoint: 120, rounding: rounding)
    private static let window = Window(height: axis(3, 1, 1), width: axis(2))
    private static let rounding = QuantizedRounding(zeroPoint: 100, lower: 0, upper: 255)

    private static func layer(_ shape: Shape) -> IntegerLayer {
        let outputs = shape.last!
        return IntegerLayer(
            weights: Tensor(shape: shape, element: .int8) { Double($0 * 37 % 255 - 127) },
            bias: (0..<outputs).map { Int32($0 * 100) }, zeroPoint: 3,
            factors: [Float](repeating: 0.002, count: outputs), result: .quantized(rounding))
    }

    private static func recurrence(_ cell: Recurrence.Cell, count: Int = 1) -> Recurrence {
        let direction = Recurrence.Direction(
            inputWeights: tensor([cell.gateCount * 5, 4]), stateWeights: tensor([cell.gateCount * 5, 5]),
            stateBias: tensor([cell.gateCount * 5]))
        return Recurrence(cell: cell, directions: Array(repeating: direction, count: count), returnsSequence: true)
    }

    /// Subtracts the mean plus 1 of a matrix of 2 × 3 from it, and multiplies it by a factor.
    private static func centered(times factor: Float = 1) -> Graph {
        graph { x, builder in
            let mean = try builder.add(Reduction(function: .mean, axes: [0, 1], keepsAxes: true), [x], name: "mean")[0]
            let offset = Binary(.add, constant: Tensor([1], shape: []))
            let moved = try builder.add(offset, [mean], name: "offset")[0]
            let rest = try builder.add(Binary(.subtract), [x, moved], name: "rest")[0]
            return try builder.add(Binary(.multiply, constant: Tensor([factor], shape: [])), [rest], name: "result")[0]
        }
    }

    /// Whether all of its values are above -100.
    private static func isSmall() -> Graph {
        graph { x, builder in
            let least = try builder.add(
                Reduction(function: .minimum, axes: [0, 1], keepsAxes: false), [x], name: "least")[0]
            let bound = Binary(.greater, constant: Tensor([-100], shape: []))
            return try builder.add(bound, [least], name: "result")[0]
        }
    }

    private static func graph(
        _ build: (Graph.Value, inout GraphBuilder) throws -> Graph.Value
    ) -> Graph {
        var builder = GraphBuilder()
        let x = builder.input("x", TensorType([2, 3]))
        builder.output("y", try! build(x, &builder))
        return builder.graph
    }
}
