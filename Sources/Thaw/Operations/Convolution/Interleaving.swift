import Kernels

/// Merges the phases of an image, which follow one another along the channel axis, each padded to whole blocks.
struct Interleaving: EngineOperation {
    var phases: Phases
    var channels: Int

    var kind: String { "Interleaving" }
    var isSpatial: Bool { true }
    var family: Family { .arrangement }
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse { axis == 0 ? .kept(0) : .rearranged }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        [TensorType([inputs[0].shape[0], phases.rows.size, phases.columns.size, channels])]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let image = inputs[0].shape
        let output = try! outputTypes(inputs.map(\.type))[0].shape
        return inputs[0].withFloats { x in
            [
                Tensor(shape: output) { y in
                    for i in 0..<y.count {
                        let column = i / channels % output[2] + phases.columns.offset
                        let row = i / (channels * output[2]) % output[1] + phases.rows.offset
                        let batch = i / (channels * output[2] * output[1])
                        let phase = row % phases.rows.stride * phases.columns.stride + column % phases.columns.stride
                        let pixel =
                            (batch * image[1] + row / phases.rows.stride) * image[2] + column / phases.columns.stride
                        y[i] = x[pixel * image[3] + phase * image[3] / phases.count + i % channels]
                    }
                }
            ]
        }
    }

    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? { .interleaving(phases) }
}
