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

        /// The time that the layer takes, in seconds: the median of several runs.
        package func measure(rounds: Int) -> Double {
            // A layer has no loop, so it cannot fail.
            try! executor.profile(rounds: rounds).filter { $0.name == Layer.name }.reduce(0) { $0 + $1.seconds }
        }
    }

    package let candidates: [Candidate]
    /// The algorithm that the cost model chooses.
    package let chosen: String

    /// - Parameter precision: For int8, the layer is between quantized values.
    package init(_ layer: Layer, precision: Precision = .float32) throws {
        let (graph, input, output) = try layer.network(precision)
        let algorithms = try LayerBenchmark.algorithms(layer, precision)
        let kernels = try InstructionSet.chosen().kernels
        func name(_ executor: Executor) throws -> String {
            try executor.profile(rounds: 1).last { $0.name == Layer.name }!.algorithm
        }
        candidates = try algorithms.map { algorithm in
            let executor = Executor(
                try Program(graph, instructionSet: nil, choice: .only(algorithm), precision: precision))
            let type = { (value: Graph.Value) in Location(graph[value], slot: 0, kind: .blocked, kernels: kernels) }
            let estimate =
                algorithms.count == 1 || precision == .int8
                ? 0 : CostModel(kernels).cycles(algorithm, layer.paddedWindow, type(input), type(output))
            return Candidate(
                algorithm: try name(executor), multiplyAdds: executor.program.multiplyAdds, estimate: estimate,
                executor: executor)
        }
        chosen = try name(Executor(try Program(graph, instructionSet: nil, precision: precision)))
    }

    /// The algorithms that the engine chooses from for such a layer.
    private static func algorithms(_ layer: Layer, _ precision: Precision) throws -> [ConvolutionAlgorithm] {
        let set = try InstructionSet.chosen()
        if layer.kind == .convolution, precision == .float32 {
            return CostModel(set.kernels).candidates(layer.paddedWindow)
        }
        if precision == .int8, set.integerKernels.winograd != nil,
            WinogradForm.quantized.supports(layer.paddedWindow)
        {
            return [.direct, .winograd(.quantized)]
        }
        return [.direct]
    }
}

extension LayerBenchmark.Layer {
    /// The name of the layer's node.
    fileprivate static let name = "layer"

    fileprivate var paddedWindow: Window {
        let axis = { (size: Int) in Window.Axis(size: size, stride: stride, before: size / 2, after: size / 2) }
        return Window(height: axis(window.height), width: axis(window.width))
    }

    private var operation: any Operation {
        let area: [Int] = [window.height, window.width]
        switch kind {
        case .convolution:
            return Convolution(
                filters: weights(Shape(area + [inputs, outputs])), bias: weights([outputs]), window: paddedWindow)
        case .depthwise:
            return DepthwiseConvolution(
                filters: weights(Shape(area + [inputs, 1])), bias: weights([inputs]), window: paddedWindow)
        case .dense:
            return Dense(matrix: weights([inputs, outputs]), bias: weights([outputs]))
        }
    }

    /// Weights with few large ones, like those of networks, so that int8 has a choice of algorithms.
    private func weights(_ shape: Shape) -> Tensor {
        Tensor(shape: shape) { values in
            for index in values.indices { values[index] = index % 17 == 0 ? 0.01 : 0.001 }
        }
    }

    /// A network of the layer and a consumer that reads the blocked layout, with the layer's input and output.
    fileprivate func network(
        _ precision: Precision
    ) throws -> (graph: Graph, input: Graph.Value, output: Graph.Value) {
        var builder = GraphBuilder()
        let scale = AffineScale([0.02], zeroPoints: [100])
        func quantized(_ value: Graph.Value) throws -> Graph.Value {
            guard precision == .int8 else { return value }
            let quantize = AffineQuantize(scale: scale, element: .uint8)
            let result = try builder.add(quantize, [value], name: "quantize")
            return try builder.add(AffineDequantize(scale: scale), result, name: "dequantize")[0]
        }
        let isDense = kind == .dense
        let input = builder.input("input", TensorType(isDense ? [1, inputs] : [1, size, size, inputs]))
        let output = try quantized(
            builder.add(operation, [quantized(input)], name: LayerBenchmark.Layer.name)[0])
        let mean = Reduction(function: .mean, axes: [1, 2], keepsAxes: false)
        builder.output("output", isDense ? output : try builder.add(mean, [output], name: "mean")[0])
        return (builder.graph, input, output)
    }
}
