/// A dense layer: the input rows times a weight matrix, plus a bias.
///
/// Input: rows, inputs. Weights: inputs, outputs.
struct Dense: Operation {
    var matrix: Tensor
    /// One value per output.
    var bias: Tensor?

    var kind: String { "Dense" }
    var weights: [Tensor] { [matrix] + (bias.map { [$0] } ?? []) }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let input = inputs[0].shape
        guard input.rank == 2 else { throw Failure.wrongRank(2, input) }
        guard inputs[0].element.isFloatingPoint, matrix.element.isFloatingPoint else {
            throw Failure.elementTypesDiffer(inputs[0].element.rawValue, matrix.element.rawValue)
        }
        guard matrix.shape.rank == 2, input[1] == matrix.shape[0] else {
            throw Failure.channelMismatch(input[1], matrix.shape[0])
        }
        return [TensorType([input[0], matrix.shape[1]])]
    }

    func multiplyAdds(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int {
        outputs[0].shape.elementCount * matrix.shape[0]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let product = MatrixProduct().evaluate([inputs[0], matrix])[0]
        guard let bias else { return [product] }
        return Binary(.add, constant: bias).evaluate([product])
    }
}

// MARK: Facts

extension Dense {
    var family: Family { .dense }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        axis == inputs[0].shape.rank - 1 ? .combined : .kept(axis)
    }

    var quantizedRole: QuantizedRole { .layer }

    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? {
        var result = self
        result.matrix = matrix.scaled(lastAxes: arithmetic.scale)
        result.bias = arithmetic.applied(to: bias)
        return result
    }

    /// A dense layer on the pixels of an image is a 1×1 convolution.
    func regrouped(_ grouped: Shape, as original: Shape, to result: Shape) -> (any Operation)? {
        guard original.rank == 4, original[0] == 1, original[1] * original[2] > 1, original[3] == matrix.shape[0],
            result == Shape(original.dropLast() + [matrix.shape[1]])
        else { return nil }
        let filters = matrix.reshaped(Shape([1, 1] + matrix.shape.dimensions))
        return Convolution(filters: filters, bias: bias.map { $0.reshaped([$0.elementCount]) }, window: .pixel)
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        Caption("Dense", ["\(matrix.shape[1]) units"])
    }
}

extension Dense: QuantizableLayer {
    func largestWeights(inputChannels: Int) -> [Float]? { matrix.shape[0] == inputChannels ? largestAlongRows() : nil }
    func multiplyingInputs(by factors: [Double]) -> any QuantizableLayer { multiplyingRows(by: factors) }

    var kernel: Tensor {
        get { matrix }
        set { matrix = newValue }
    }
    var outputChannels: Int { matrix.shape[1] }
}

// MARK: Engine

extension Dense: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let bias = bias?.reshaped([bias!.elementCount])
        guard bias == nil || bias?.elementCount == matrix.shape[1] else { return nil }
        return .dense(matrix: matrix, bias: bias)
    }
}

// MARK: Integers

extension Dense: QuantizableOperation {
    func integerOperation(_ use: QuantizedUse) -> (any Operation)? {
        IntegerLayer(
            matrix, bias: bias.map { $0.reshaped([$0.elementCount]) }, terms: matrix.shape[0], use
        ).map { IntegerDense(layer: $0) }
    }
}
