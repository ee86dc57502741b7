/// Normalization to mean 0 and variance 1 along some axes, followed by a scale and an offset: layer, instance and
/// group normalization (Ba et al., Layer Normalization, 2016; Ulyanov et al., Instance Normalization, 2016).
///
/// y = (x − mean) / √(variance + epsilon) · scale + offset. Mean and variance are computed over the elements along
/// `axes`, one pair for each index along the other axes. They are computed for every input, unlike those of
/// `BatchNormalization`.
struct Normalization: Operation {
    /// Ascending, counted from the front.
    var axes: [Int]
    var epsilon: Float
    /// Broadcast to the input's shape as in NumPy; nil means 1 and 0.
    var scale: Tensor?
    var offset: Tensor?
    /// Whether the sizes of the normalized axes vary with the image size. Set when a model for several sizes is
    /// written, and not used by anything else.
    var followsSize = false

    var kind: String { "Normalization" }
    var weights: [Tensor] { [scale, offset].compactMap { $0 } }

    func outputTypes(_ inputs: [TensorType]) throws -> [TensorType] {
        let shape = inputs[0].shape
        if let axis = axes.first(where: { !shape.indices.contains($0) }) { throw Failure.noSuchAxis(axis, of: shape) }
        for constant in weights where try shape.broadcast(with: constant.shape) != shape {
            throw Failure.shapesDiffer(shape, constant.shape)
        }
        return [TensorType(shape)]
    }

    func evaluate(_ inputs: [Tensor]) -> [Tensor] {
        let shape = inputs[0].shape
        let kept = shape.reduced(along: axes)
        let group = kept.broadcastIndex(in: shape)
        let count = Double(axes.reduce(1) { $0 * shape[$1] })
        let scaleIndex = scale?.shape.broadcastIndex(in: shape)
        let offsetIndex = offset?.shape.broadcastIndex(in: shape)
        let scales = scale?.floats ?? []
        let offsets = offset?.floats ?? []
        return inputs[0].withFloats { x in
            var means = [Double](repeating: 0, count: kept.elementCount)
            for i in 0..<x.count { means[group(i)] += Double(x[i]) / count }
            var variances = [Double](repeating: 0, count: kept.elementCount)
            for i in 0..<x.count {
                let distance = Double(x[i]) - means[group(i)]
                variances[group(i)] += distance * distance / count
            }
            return [
                Tensor(shape: shape) { y in
                    for i in 0..<x.count {
                        let deviation = (variances[group(i)] + Double(epsilon)).squareRoot()
                        let normal = (Double(x[i]) - means[group(i)]) / deviation
                        let scale = scaleIndex.map { Double(scales[$0(i)]) } ?? 1
                        y[i] = Float(normal * scale + (offsetIndex.map { Double(offsets[$0(i)]) } ?? 0))
                    }
                }
            ]
        }
    }

    /// Normalized axes that are last should stay last: they are rows of memory, and one layer in Core ML. The axes of
    /// a whole plane should not: if the channels follow them, those make better rows.
    func reordered(_ orders: [[Int]], _ inputs: [TensorType]) -> Reordered? {
        let order = orders[0]
        let rank = order.count
        var copy = self
        copy.axes = order.indices.filter { axes.contains(order[$0]) }
        let arePlanes = rank == 4 && copy.axes == [1, 2]
        if Normalization.areLast(axes, rank), !Normalization.areLast(copy.axes, rank), !arePlanes { return nil }
        func transposed(_ constant: Tensor?) -> Tensor? {
            guard let constant, constant.elementCount > 1 else { return constant }
            return constant.reshaped(constant.shape.padded(to: rank)).transposed(order)
        }
        (copy.scale, copy.offset) = (transposed(scale), transposed(offset))
        return Reordered(copy, inputs: orders, outputs: orders)
    }

    /// Whether the axes are the last ones of a tensor of this rank.
    static func areLast(_ axes: [Int], _ rank: Int) -> Bool { axes == Array(rank - axes.count..<rank) }
}

extension Normalization {
    /// This normalization followed by a factor and an offset for each index along the last axis.
    func followed(scale factors: [Double], offset summands: [Double]) -> Normalization {
        let channels: Shape = [factors.count]
        func combined(_ old: Tensor?, _ summands: [Double]?) -> Tensor? {
            guard let old else { return summands.map { Tensor($0.map { Float($0) }, shape: channels) } }
            let shape = try! old.shape.broadcast(with: channels)
            let oldIndex = old.shape.broadcastIndex(in: shape)
            let numbers = old.floats
            return Tensor(
                (0..<shape.elementCount).map { i in
                    let channel = i % factors.count
                    return Float(Double(numbers[oldIndex(i)]) * factors[channel] + (summands?[channel] ?? 0))
                }, shape: shape)
        }
        var copy = self
        copy.scale =
            scale == nil ? Tensor(factors.map { Float($0) }, shape: channels) : combined(scale, nil)
        copy.offset = combined(offset, summands)
        return copy
    }
}

extension Tensor {
    /// The tensor, or nil if all its elements equal this neutral value.
    func unless(_ number: Float) -> Tensor? { withFloats { $0.allSatisfy { $0 == number } } ? nil : self }
}

// MARK: Facts

extension Normalization {
    var family: Family { .normalization }

    func use(ofAxis axis: Int, of input: Int, _ inputs: [TensorType]) -> AxisUse {
        if axes.contains(axis) { return .combined }
        let rank = inputs[0].shape.rank
        return weights.contains { $0.shape.padded(to: rank)[axis] != 1 } ? .weighted(axis) : .kept(axis)
    }

    func followed(by arithmetic: ChannelArithmetic) -> (any Operation)? {
        followed(scale: arithmetic.scale, offset: arithmetic.offset)
    }

    /// Over the whole image, the sizes of the axes vary with it.
    func followingImageSize() -> (any Operation)? {
        guard axes == [1, 2, 3] else { return nil }
        var result = self
        result.followsSize = true
        return result
    }

    /// The same normalization on another shape with the same elements, if it normalizes contiguous rows.
    func regrouped(_ grouped: Shape, as original: Shape, to result: Shape) -> (any Operation)? {
        guard original == result, weights.allSatisfy({ $0.elementCount == 1 }) else { return nil }
        let long = grouped.indices.filter { grouped[$0] != 1 }
        let reduced = long.filter(axes.contains)
        let width = reduced.reduce(1) { $0 * grouped[$1] }
        guard !reduced.isEmpty, reduced == Array(long.suffix(reduced.count)),
            let first = original.indices.last(where: { original[$0...].reduce(1, *) == width })
        else { return nil }
        var copy = self
        copy.axes = Array(first..<original.rank)
        return copy
    }

    func caption(_ inputs: [TensorType], _ outputs: [TensorType]) -> Caption {
        let rank = outputs[0].shape.rank
        if rank == 4, axes == [1, 2] { return Caption("Instance normalization") }
        if axes == [rank - 1] { return Caption("Layer normalization") }
        return Caption("Normalization", ["over axes \(Words.list(axes))"])
    }
}

// MARK: Engine

extension Normalization: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        let shape = inputs[0].shape
        if shape.rank == 4, axes == [1, 2] || axes == [1, 2, 3], let scale = row(scale, 1, shape[3]),
            let offset = row(offset, 0, shape[3])
        {
            return .imageNormalization(acrossChannels: axes.count == 3, epsilon: epsilon, scale: scale, offset: offset)
        }
        return axes.isEmpty
            ? nil
            : .normalization(axes: axes, epsilon: epsilon, scale: scale?.asFloat32, offset: offset?.asFloat32)
    }

    /// One value for each index along the last axis, or nil if the values vary along others.
    private func row(_ constant: Tensor?, _ absent: Float, _ count: Int) -> Tensor? {
        guard let constant, constant.elementCount > 1 else {
            return Tensor([Float](repeating: constant?.floats[0] ?? absent, count: count), shape: [count])
        }
        guard constant.elementCount == count, constant.shape.last == count else { return nil }
        return constant.asFloat32.reshaped([count])
    }
}
