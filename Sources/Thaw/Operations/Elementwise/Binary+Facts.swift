extension Binary {
    var family: Family { .arithmetic }

    var quantizedRole: QuantizedRole {
        switch function {
        case .add, .subtract, .multiply, .maximum, .minimum: bound == nil ? .arithmetic : .bound
        default: .floating
        }
    }

    /// A constant that varies along an axis gives each index its own value.
    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        let shapes = inputs.map(\.shape) + [constant?.shape].compactMap { $0 }
        let use = AxisUse.broadcast(inputs[input].shape, axis, with: shapes)
        guard let constant, case .local(let aligned, _) = use else { return use }
        let rank = shapes.map(\.rank).max()!
        return constant.shape.padded(to: rank)[aligned] == 1 ? use : .weighted(aligned)
    }

    func scalarFunction() -> (([Double]) -> Double)? {
        guard let constant else { return { apply($0[0], $0[1]) } }
        guard constant.elementCount == 1 else { return nil }
        let number = Double(constant.floats[0])
        return constantFirst ? { apply(number, $0[0]) } : { apply($0[0], number) }
    }

    func channelArithmetic(on type: TensorType) -> ChannelArithmetic? {
        guard let channels = type.shape.last,
            let numbers = constant?.valuesByChannel(channels, rank: type.shape.rank)
        else { return nil }
        let zeros = [Double](repeating: 0, count: channels)
        let ones = [Double](repeating: 1, count: channels)
        switch (function, constantFirst) {
        case (.add, _): return ChannelArithmetic(scale: ones, offset: numbers)
        case (.subtract, false): return ChannelArithmetic(scale: ones, offset: numbers.map { -$0 })
        case (.subtract, true): return ChannelArithmetic(scale: ones.map { -$0 }, offset: numbers)
        case (.multiply, _): return ChannelArithmetic(scale: numbers, offset: zeros)
        case (.divide, false):
            guard numbers.allSatisfy({ $0 != 0 }) else { return nil }
            return ChannelArithmetic(scale: numbers.map { 1 / $0 }, offset: zeros)
        default: return nil
        }
    }

    var bound: Bound? {
        guard let constant, constant.elementCount == 1, constant.shape.rank == 0, constant.element == .float32 else {
            return nil
        }
        switch function {
        case .maximum: return Bound(low: constant.floats[0])
        case .minimum: return Bound(high: constant.floats[0])
        default: return nil
        }
    }

    /// Whether the constant has no effect: + 0, − 0, · 1, / 1.
    func isIdentity(_ inputs: [TensorType]) -> Bool {
        guard let constant, let neutral = neutralElement, !(constantFirst && !isCommutative) else { return false }
        guard (try? inputs[0].shape.broadcast(with: constant.shape)) == inputs[0].shape else { return false }
        return constant.withElements { elements in (0..<constant.elementCount).allSatisfy { elements[$0] == neutral } }
    }

    private var neutralElement: Double? {
        switch function {
        case .add, .subtract: 0
        case .multiply, .divide, .power: 1
        default: nil
        }
    }

    func mergingAxes(_ inputs: [Shape], _ output: Shape) -> (operation: any Operation, groups: AxisGroups)? {
        let padded = constant?.shape.padded(to: output.rank)
        let groups = AxisGroups(output, broadcasting: inputs + [padded].compactMap { $0 })
        var merged = self
        merged.constant = padded.flatMap { constant?.reshaped(groups.merged($0)) }
        return (merged, groups)
    }

    /// A constant along the batch axis must repeat for each image.
    func forImages(
        _ count: Int, of batch: Int, along axis: Int, _ inputs: [TensorType], _ outputs: [TensorType]
    ) -> (any Operation)? {
        guard let constant else { return self }
        let constantAxis = axis + constant.shape.rank - inputs[0].shape.rank
        guard constantAxis >= 0, constant.shape[constantAxis] != 1 else { return self }
        guard let part = constant.oneOf(batch, along: constantAxis) else { return nil }
        var binary = self
        binary.constant = part.repeated(count, along: constantAxis)
        return binary
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let what = constant.map {
            $0.elementCount == 1 ? Words.number($0.floats[0]) : "constant \(Words.sizes($0.shape))"
        }
        return Caption(Words.spaced(kind), [what ?? ""])
    }
}

extension Tensor {
    /// One value per channel, if the tensor is constant along all other axes when broadcast to `rank` axes with the
    /// channels last.
    fileprivate func valuesByChannel(_ channels: Int, rank: Int) -> [Double]? {
        guard element.isFloatingPoint, shape.rank <= rank,
            elementCount == 1 || (elementCount == channels && shape.last == channels)
        else { return nil }
        let numbers = floats.map(Double.init)
        return numbers.count == channels ? numbers : Array(repeating: numbers[0], count: channels)
    }
}
