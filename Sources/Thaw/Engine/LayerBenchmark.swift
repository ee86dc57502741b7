import Kernels

/// A single layer with every algorithm that the engine could use for it. This measures the kernels and checks the cost
/// model's choice against measurements.
package struct LayerBenchmark {
    package enum Kind: Sendable { case convolution, depthwise, dense }

    /// A layer over a square image, with padding that preserves its size. A dense layer has size 1.
    package struct Layer: Sendable {
        package var kind: Kind
        package var size: Int
        package var inputs: Int
        package var outputs: Int
        package var window: (height: Int, width: Int)
        package var stride: Int

        package init(
            _ kind: Kind, _ size: Int, _ inputs: Int, _ outputs: Int, window: (Int, Int) = (1, 1),
            stride: Int = 1
        ) {
            (self.kind, self.size, self.inputs, self.outputs) = (kind, size, inputs, outputs)
            (self.window, self.stride) = (window, stride)
        }
    }

    package struct Candidate {
        package let algorithm: String
        package let multiplyAdds: Int
        /// The cost model's estimate in processor cycles, or 0 if there is no choice, and in int8.
        package let estimate: Double
        fileprivate let executor: Executor
        fileprivate let layer: String

        /// The time that the layer takes, in seconds: the median of several runs.
        package func measure(rounds: Int) -> Double {
            // A layer has no loop, so it cannot fail.
            try! executor.profile(rounds: rounds).filter { $0.name == layer }.reduce(0) { $0 + $1.seconds }
        }
    }

    package let candidates: [Candidate]
    /// The algorithm that the cost model chooses.
    package let chosen: String

    /// - Parameter precision: For int8, the layer is between quantized values.
    package init(_ layer: Layer, precision: Precision = .float32) throws {
        var builder = GraphBuilder()
        let axis = { (size: Int) in
            Window.Axis(size: size, stride: layer.stride, before: size / 2, after: size / 2)
        }
        let window = Window(height: axis(layer.window.height), width: axis(layer.window.width))
        // Weights of which few are large, like those of networks, so that int8 has a choice of algorithms.
        let values = { (shape: Shape) in
            Tensor(shape: shape) { values in
                for index in values.indices { values[index] = index % 17 == 0 ? 0.01 : 0.001 }
            }
        }
        let area: [Int] = [layer.window.height, layer.window.width]
        let isDense = layer.kind == .dense
        let input = builder.input(
            "input", TensorType(isDense ? [1, layer.inputs] : [1, layer.size, layer.size, layer.inputs]))
        let operation: any Operation =
            switch layer.kind {
            case .convolution:
                Convolution(
                    filters: values(Shape(area + [layer.inputs, layer.outputs])), bias: values([layer.outputs]),
                    window: window)
            case .depthwise:
                DepthwiseConvolution(
                    filters: values(Shape(area + [layer.inputs, 1])), bias: values([layer.inputs]), window: window)
            case .dense:
                Dense(matrix: values([layer.inputs, layer.outputs]), bias: values([layer.outputs]))
            }
        let scale = AffineScale([0.02], zeroPoints: [100])
        func quantized(_ value: Graph.Value) throws -> Graph.Value {
            guard precision == .int8 else { return value }
            let quantize = AffineQuantize(scale: scale, element: .uint8)
            let result = try builder.add(quantize, [value], name: "quantize")
            return try builder.add(AffineDequantize(scale: scale), result, name: "dequantize")[0]
        }
        let value = try quantized(builder.add(operation, [quantized(input)], name: "layer")[0])
        // A consumer that reads the blocked layout.
        let mean = Reduction(function: .mean, axes: [1, 2], keepsAxes: false)
        builder.output("output", isDense ? value : try builder.add(mean, [value], name: "mean")[0])
        let graph = builder.graph
        let set = try InstructionSet.chosen()
        let kernels = set.kernels
        var algorithms = [ConvolutionAlgorithm.direct]
        if layer.kind == .convolution, precision == .float32 {
            algorithms = CostModel(kernels).candidates(window)
        } else if precision == .int8, set.integerKernels.winograd != nil, WinogradForm.quantized.supports(window) {
            algorithms.append(.winograd(.quantized))
        }
        func name(_ executor: Executor) throws -> String {
            try executor.profile(rounds: 1).last { $0.name == "layer" }!.algorithm
        }
        candidates = try algorithms.map { algorithm in
            let executor = Executor(
                try Program(graph, instructionSet: nil, choice: .only(algorithm), precision: precision))
            let type = { (value: Graph.Value) in Location(graph[value], slot: 0, kind: .blocked, kernels: kernels) }
            let estimate =
                algorithms.count == 1 || precision == .int8
                ? 0 : CostModel(kernels).cycles(algorithm, window, type(input), type(value))
            return Candidate(
                algorithm: try name(executor), multiplyAdds: executor.program.multiplyAdds, estimate: estimate,
                executor: executor, layer: "layer")
        }
        chosen = try name(Executor(try Program(graph, instructionSet: nil, precision: precision)))
    }
}
