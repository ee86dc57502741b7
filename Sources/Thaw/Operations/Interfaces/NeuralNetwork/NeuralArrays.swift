/// How the tensors of a Core ML neural network are shaped.
enum NeuralArrays: Sendable {
    /// Every tensor is an image with five axes: sequence, batch, channel, height, width. All versions support this.
    case images
    /// Tensors keep their rank. Supported since version 4.
    case exact

    /// The shape of a tensor in the model's description. The older form has one or three axes, and no batch.
    func described(_ shape: Shape) -> [Int] {
        let sizes =
            switch self {
            case .images: shape.rank == 4 ? Array(shape.dropFirst()) : [shape.elementCount]
            case .exact: shape.dimensions
            }
        return sizes.isEmpty ? [1] : sizes
    }
}
