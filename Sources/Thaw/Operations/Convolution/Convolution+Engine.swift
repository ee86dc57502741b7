// MARK: Engine

extension Convolution: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let image = inputs[0].shape
        if image[1] == 1, image[2] == 1, window.height.size == 1, window.width.size == 1, !window.hasPadding,
            filters.shape[2] == image[3]
        {
            // A 1×1 image is a row of a matrix.
            return .dense(matrix: filters.reshaped([filters.shape[2], filters.shape[3]]), bias: bias)
        }
        return .convolution(filters: filters, bias: bias, window: window)
    }
}

extension Convolution: EngineComposite {
    /// The maximum number of weights of the wide convolution, whose memory should be in the L2 cache.
    private static let largestWide = 1 << 18

    /// For few output channels, such as those of an image, a convolution that computes several adjacent pixels as the
    /// channels of one. Otherwise most lanes of a vector would be unused.
    ///
    /// Its window spans those of all these pixels, so it multiplies by some zeros. With three channels and a 9×9 window, for
    /// example, it takes a third of the time. An infinite input makes all these pixels NaN, as in a tile of Winograd's
    /// algorithm.
    func engineOperations(_ inputs: [TensorType], blockWidth: Int) -> [any Operation]? {
        let image = inputs[0].shape
        guard groups(inputChannels: image[3]) == 1, outputChannels > 0, window.width.dilation == 1,
            let size = try? window.outputSize(height: image[1], width: image[2])
        else { return nil }
        let pixels = stride(from: blockWidth / outputChannels, to: 1, by: -1).first { count in
            let width = window.width.spanning(count).size
            let weights = window.height.size * width * image[3] * blockWidth
            return size.width % count == 0 && weights <= Convolution.largestWide
                && 5 * width <= 3 * count * window.width.size
        }
        return pixels.map { [spanning($0), Reshape([image[0], size.height, size.width, outputChannels])] }
    }

    /// The convolution that computes this many adjacent pixels of a row as the channels of one.
    private func spanning(_ count: Int) -> Convolution {
        let window = Window(height: window.height, width: window.width.spanning(count))
        let (rows, taps, inputs) = (filters.shape[0], filters.shape[1], filters.shape[2])
        let shape: Shape = [rows, window.width.size, inputs, count * outputChannels]
        let wide = filters.withFloats { from in
            Tensor(shape: shape) { to in
                to.update(repeating: 0)
                for index in 0..<rows * taps * inputs {
                    let (row, tap, input) = (index / inputs / taps, index / inputs % taps, index % inputs)
                    for pixel in 0..<count {
                        let column = pixel * self.window.width.stride + tap
                        let start = ((row * shape[1] + column) * inputs + input) * shape[3] + pixel * outputChannels
                        for output in 0..<outputChannels { to[start + output] = from[index * outputChannels + output] }
                    }
                }
            }
        }
        let biases = bias.map { bias in
            Tensor((0..<count).flatMap { _ in bias.floats }, shape: [count * outputChannels])
        }
        return Convolution(filters: wide, bias: biases, window: window)
    }
}

extension Window.Axis {
    /// A window over everything that this one covers at several adjacent positions.
    fileprivate func spanning(_ positions: Int) -> Window.Axis {
        var axis = self
        axis.size += (positions - 1) * stride
        axis.stride *= positions
        return axis
    }
}
