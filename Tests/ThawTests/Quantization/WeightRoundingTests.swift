import Foundation
import Testing

@testable import Thaw

/// Rounding weights so that errors compensate each other.
@Suite struct WeightRoundingTests {
    struct LayerCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The layer reads 8 channels.
        let layer: any QuantizableLayer
    }

    static func window(_ size: Int, stride: Int = 1, dilation: Int = 1, before: Int = 0, after: Int = 0) -> Window {
        let axis = Window.Axis(size: size, stride: stride, dilation: dilation, before: before, after: after)
        return Window(height: axis, width: axis)
    }

    static func convolution(_ shape: Shape, _ window: Window) -> Convolution {
        Convolution(filters: Tensor(noise(shape.elementCount, seed: 5), shape: shape), bias: nil, window: window)
    }

    static let layers = [
        LayerCase(testDescription: "pointwise", layer: convolution([1, 1, 8, 12], window(1))),
        LayerCase(
            testDescription: "with a stride and padding",
            layer: convolution([3, 3, 8, 5], window(3, stride: 2, before: 0, after: 1))),
        LayerCase(
            testDescription: "dilated", layer: convolution([3, 3, 8, 5], window(3, dilation: 2, before: 2, after: 2))),
        LayerCase(testDescription: "in groups", layer: convolution([3, 3, 4, 6], window(3))),
        LayerCase(
            testDescription: "depthwise, two filters for each channel",
            layer: DepthwiseConvolution(
                filters: Tensor(noise(144, seed: 7), shape: [3, 3, 8, 2]), bias: nil,
                window: window(3, stride: 2, before: 1, after: 1))),
        LayerCase(
            testDescription: "dense", layer: Dense(matrix: Tensor(noise(40, seed: 9), shape: [8, 5]), bias: nil)),
    ]

    /// A network with the layer after a convolution that gives it correlated inputs, and that layer's index.
    static func network(_ layer: any QuantizableLayer) throws -> (graph: Graph, index: Int) {
        var builder = GraphBuilder()
        var value = builder.input("input", TensorType([1, 12, 12, 3]))
        value = try builder.add(convolution([1, 1, 3, 8], window(1)), [value], name: "first")[0]
        value = try builder.add(Unary(.relu), [value], name: "relu")[0]
        if layer is Dense {
            let mean = Reduction(function: .mean, axes: [1, 2], keepsAxes: false)
            value = try builder.add(mean, [value], name: "mean")[0]
        }
        builder.output("output", try builder.add(layer, [value], name: "layer")[0])
        return (builder.graph, builder.graph.nodes.count - 1)
    }

    /// Photos of waves.
    static let sampler = ActivationSampler(
        image: ImageInput(name: "input", width: 12, height: 12, color: .rgb),
        pixels: (1...24).map { photo -> Pixels in
            let random = noise(9, seed: UInt64(photo))
            let bytes = (0..<12 * 12 * 3).map { index -> UInt8 in
                let (y, x, channel) = (Float(index / 36), Float(index / 3 % 12), index % 3)
                return UInt8(128 + 120 * sin(random[channel] * y + random[3 + channel] * x + 3 * random[6 + channel]))
            }
            return Pixels(width: 12, height: 12, channels: 3, bytes: bytes)
        }, threads: 2)

    @Test(arguments: layers) func `errors of outputs are smaller than with the nearest weights`(_ example: LayerCase)
        throws
    {
        let (graph, index) = try Self.network(example.layer)
        let compensated = try WeightRounding(graph, layers: [0, index], Self.sampler).rounded()
        #expect(compensated.keys.sorted() == [0, index])
        let layer = try #require(compensated[index])
        #expect(layer.symmetricWeights != nil)
        let exact = try Self.sampler.outputs(of: graph)
        /// The sum of squared errors, without the mean error of each channel.
        func error(_ layer: any QuantizableLayer) throws -> Double {
            var rounded = graph
            rounded.nodes[index].operation = layer
            let outputs = try Self.sampler.outputs(of: rounded)
            let channels = layer.outputChannels
            return (0..<channels).reduce(0.0) { sum, channel in
                let errors = zip(outputs, exact).flatMap { output, exact in
                    stride(from: channel, to: exact.count, by: channels).map { Double(output[$0] - exact[$0]) }
                }
                let mean = errors.reduce(0, +) / Double(errors.count)
                return sum + errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            }
        }
        let (better, worse) = (try error(layer), try error(example.layer.withRoundedWeights))
        #expect(better < 0.8 * worse)
    }

    @Test func `layers with too few samples are left out`() throws {
        let (graph, index) = try Self.network(Self.convolution([3, 3, 8, 5], Self.window(3)))
        let rounding = WeightRounding(graph, layers: [0, index], Self.sampler.sample(2))
        #expect(try rounding.rounded().keys.sorted() == [0])
    }

    @Test func `weights that are integers are kept, and with uncorrelated inputs others are rounded to nearest`() throws
    {
        let weights = [3, -127, 0.4, 17.6, 200]
        let nearest: [Int8] = [3, -127, 0, 18, 127]
        let identity: [Float] = (0..<25).map { $0 % 6 == 0 ? 1 : 0 }
        let separate = try #require(identity.withUnsafeBufferPointer { ErrorCompensation(covariance: $0, count: 5) })
        #expect(separate.rounded(weights) == nearest)
        let equal = [Float](repeating: 1, count: 25)
        let together = try #require(equal.withUnsafeBufferPointer { ErrorCompensation(covariance: $0, count: 5) })
        #expect(together.rounded([3, -127, 0, 18, 127]) == [3, -127, 0, 18, 127])
    }

    @Test func `errors of equal inputs cancel`() throws {
        let equal = [Float](repeating: 1, count: 100)
        let compensation = try #require(equal.withUnsafeBufferPointer { ErrorCompensation(covariance: $0, count: 10) })
        let rounded = compensation.rounded([Double](repeating: 0.4, count: 10))
        #expect(rounded.reduce(0) { $0 + Int($1) } == 4)
    }

    @Test(arguments: [Float.infinity, .nan, -1]) func `an invalid covariance is refused`(_ variance: Float) {
        #expect([1, 0, 0, variance].withUnsafeBufferPointer { ErrorCompensation(covariance: $0, count: 2) } == nil)
    }

    @Test func `inputs that never change are rounded to nearest`() throws {
        let zeros = [Float](repeating: 0, count: 4)
        let compensation = try #require(zeros.withUnsafeBufferPointer { ErrorCompensation(covariance: $0, count: 2) })
        #expect(compensation.rounded([0.4, 0.6]) == [0, 1])
    }
}
