import Kernels

/// The largest quantized value in a window that slides over an image, or the quantized mean of the values. Padding is
/// never the maximum, and its value is zero.
struct IntegerPooling: Operation {
    enum Function: Hashable, Sendable {
        case maximum
        /// The sum of the values minus the zero point, times the factor for the number of pixels in the window.
        case average(zeroPoint: Int, factors: [Float], QuantizedRounding)
    }

    var function: Function
    var window: Window

    var kind: String { function == .maximum ? "IntegerMaxPooling" : "IntegerAveragePooling" }
    var isSpatial: Bool { true }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let image = inputs[0].shape
        guard image.rank == 4 else { throw Failure.wrongRank(4, image) }
        let size = try window.outputSize(height: image[1], width: image[2])
        return [TensorType([image[0], size.height, size.width, image[3]], .uint8)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0]
        let quantized = inputs[0].bytes
        return withExtendedLifetime(inputs) {
            var results: [Double] = []
            output.shape.forEachPixel { image, row, column in
                for channel in 0..<shape[3] {
                    var (largest, sum, count) = (0, 0, 0)
                    window.forEachTap(row: row, column: column, height: shape[1], width: shape[2]) { y, x, _, _ in
                        let value = Int(quantized[((image * shape[1] + y) * shape[2] + x) * shape[3] + channel])
                        largest = max(largest, value)
                        sum += value
                        count += 1
                    }
                    switch function {
                    case .maximum: results.append(Double(largest))
                    case .average(let zeroPoint, let factors, let rounding):
                        results.append(rounding.quantized(Float(sum - count * zeroPoint) * factors[count]))
                    }
                }
            }
            return [Tensor(shape: output.shape, element: .uint8) { results[$0] }]
        }
    }
}

// MARK: Facts

extension IntegerPooling {
    var family: Family { .pooling }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { window.use(ofAxis: axis) }
}

// MARK: Engine

extension IntegerPooling: IntegerOperation, EngineOperation {
    var outputZeroPoint: Int? {
        if case .average(_, _, let rounding) = function { Int(rounding.zeroPoint) } else { nil }
    }

    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard window.height.dilation == 1, window.width.dilation == 1 else { return nil }
        switch function {
        case .maximum: return .integer(.largest(window: window))
        case .average(let zeroPoint, let factors, let rounding):
            return .integer(.average(window: window, zeroPoint: zeroPoint, factors: factors, rounding))
        }
    }
}
