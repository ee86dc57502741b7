extension Tensor {
    /// The values that a network takes for an image, repeated for every item of a batch.
    init(_ pixels: Pixels, _ scaling: PixelScaling, shape: Shape) {
        let channels = scaling.scale.count
        let tables = zip(scaling.scale, scaling.bias).map { (scale: Double, bias: Double) -> [Float] in
            (0..<256).map { value in Float(scale * Double(value) + bias) }
        }
        let bytes = pixels.bytes
        self.init(shape: shape) { values in
            for index in values.indices {
                values[index] = tables[index % channels][Int(bytes[index % bytes.count])]
            }
        }
    }
}
