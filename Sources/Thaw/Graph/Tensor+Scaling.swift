extension Tensor {
    /// The tensor with each element along the last axes multiplied by its factor, or the tensor itself if all factors
    /// are 1.
    func scaled(lastAxes factors: [Double]) -> Tensor {
        if factors.allSatisfy({ $0 == 1 }) { return self }
        let from = asFloat32
        // The copy replaces weights of a mapped file.
        defer { storage.release() }
        return Tensor(shape: shape) { out in
            withExtendedLifetime(from.storage) {
                let numbers = from.bytes
                for row in stride(from: 0, to: out.count, by: factors.count) {
                    for index in row..<row + factors.count {
                        let number = numbers.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
                        out[index] = Float(Double(number) * factors[index - row])
                    }
                    if row * 4 / Tensor.pieceSize != (row + factors.count) * 4 / Tensor.pieceSize { storage.release() }
                }
            }
        }
    }
}
