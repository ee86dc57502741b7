import Testing

@testable import Thaw

/// Convolutions that compute several adjacent pixels as the channels of one.
struct WideConvolutionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var window: Window.Axis
        var channels: (inputs: Int, outputs: Int)
        var groups: Int
        var outputWidth: Int
        /// The number of pixels; nil if the convolution stays as it is.
        var pixels: Int?

        init(
            _ name: String, _ window: Window.Axis, _ inputs: Int, _ outputs: Int, groups: Int = 1, width: Int,
            pixels: Int?
        ) {
            (testDescription, self.window, channels) = (name, window, (inputs, outputs))
            (self.groups, outputWidth, self.pixels) = (groups, width, pixels)
        }
    }

    static let cases = [
        Case("an image", axis(9, 4, 4), 32, 3, width: 20, pixels: 5),
        Case("an image whose width 5 does not divide", axis(9, 4, 4), 32, 3, width: 256, pixels: 4),
        Case("a mask", axis(3, 1, 1), 16, 1, width: 32, pixels: 16),
        Case("a mask of a width with few divisors", axis(3, 1, 1), 16, 1, width: 26, pixels: 13),
        Case("stride 2", axis(7, stride: 2, 3, 3), 16, 4, width: 8, pixels: 4),
        Case("fewer pixels, so that the weights stay in the cache", axis(9, 4, 4), 128, 1, width: 32, pixels: 4),
        Case("a prime width", axis(9, 4, 4), 32, 3, width: 31, pixels: nil),
        Case("too many zeros", axis(3, 1, 1), 32, 8, width: 32, pixels: nil),
        Case("a narrow window", axis(1), 32, 1, width: 32, pixels: nil),
        Case("many channels", axis(9, 4, 4), 32, 9, width: 32, pixels: nil),
        Case("dilated", axis(9, dilation: 2, 8, 8), 32, 3, width: 32, pixels: nil),
        Case("groups", axis(9, 4, 4), 32, 4, groups: 2, width: 32, pixels: nil),
    ]

    @Test(arguments: cases)
    func `few channels are computed for several pixels at once`(_ c: Case) throws {
        let operation = convolution(c.window, c.window, c.channels.inputs / c.groups, c.channels.outputs)
        let inputWidth = (c.outputWidth - 1) * c.window.stride + c.window.extent - c.window.before - c.window.after
        let input = TensorType([2, 9, inputWidth, c.channels.inputs])
        let output = try operation.outputTypes([input])[0]
        #expect(output.shape[2] == c.outputWidth)
        let parts = operation.engineOperations([input], blockWidth: 16)
        guard let pixels = c.pixels else {
            #expect(parts == nil)
            return
        }
        let wide = try #require(parts?.first as? Convolution)
        let shape = try wide.outputTypes([input])[0].shape
        #expect(shape == [2, output.shape[1], c.outputWidth / pixels, pixels * c.channels.outputs])
        let values = tensor(input.shape, seed: 3)
        let result = try #require(parts).reduce([values]) { try $1.evaluate($0) }
        #expect(result == operation.evaluate([values]))
    }
}
