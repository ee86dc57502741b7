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
                factors.withUnsafeBufferPointer { factors in
                    guard let numbers = from.bytes.baseAddress, let results = out.baseAddress else { return }
                    for row in stride(from: 0, to: out.count, by: factors.count) {
                        Tensor.scale(numbers + row * 4, by: factors, to: results + row)
                        if row * 4 / Tensor.pieceSize != (row + factors.count) * 4 / Tensor.pieceSize {
                            storage.release()
                        }
                    }
                }
            }
        }
    }

    /// Scales a row of float32 values in vectors, which takes a tenth of the time of a conversion.
    private static func scale(
        _ numbers: UnsafeRawPointer, by factors: UnsafeBufferPointer<Double>, to out: UnsafeMutablePointer<Float>
    ) {
        let (table, results) = (UnsafeRawBufferPointer(factors), UnsafeMutableRawPointer(out))
        let vectors = factors.count / 4
        for index in 0..<vectors {
            let vector = (numbers + index &* 16).loadUnaligned(as: SIMD4<Float>.self)
            let scale = (table.baseAddress! + index &* 32).loadUnaligned(as: SIMD4<Double>.self)
            let product = SIMD4<Float>(SIMD4<Double>(vector) * scale)
            (results + index &* 16).storeBytes(of: product, as: SIMD4<Float>.self)
        }
        for index in vectors * 4..<factors.count {
            let number = (numbers + index &* 4).loadUnaligned(as: Float.self)
            out[index] = Float(Double(number) * factors[index])
        }
    }
}
