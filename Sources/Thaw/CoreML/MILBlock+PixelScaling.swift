extension MILBlock {
    /// The scaled image, in float32: before scaling, pixels may need more precision than float16 has.
    mutating func scaled(_ image: MILValue, _ scaling: PixelScaling) -> MILValue {
        let previous = float
        float = .float32
        defer { float = previous }
        func constant(_ values: [Double]) -> MILArgument {
            let isUniform = values.allSatisfy { $0 == values[0] }
            return .constant(
                Tensor(
                    isUniform ? [Float(values[0])] : values.map { Float($0) },
                    shape: isUniform ? [] : [1, values.count, 1, 1]))
        }
        let isUneven = [scaling.scale, scaling.bias].contains { values in values.contains { $0 != values[0] } }
        if isUneven, scaling.scale.contains(where: { $0 != 1 }), scaling.bias.contains(where: { $0 != 0 }) {
            // One operation does both. For uniform channels, a multiplication and an addition are customary.
            let arithmetic = BatchNormalization(ChannelArithmetic(scale: scaling.scale, offset: scaling.bias))
            let result = MILValue(name: unique(image.name + "_scaled"), type: image.type)
            add("batch_norm", [result], arithmetic.arguments(.value(image)))
            return result
        }
        var value = image
        for (kind, part, values, neutral) in [
            ("mul", "scaled", scaling.scale, 1.0), ("add", "biased", scaling.bias, 0),
        ]
        where values.contains(where: { $0 != neutral }) {
            let result = MILValue(name: unique(image.name + "_" + part), type: image.type)
            add(kind, [result], ["x": .value(value), "y": constant(values)])
            value = result
        }
        return value
    }
}
