/// The position of the images in a tensor: consecutive along an axis, with all of them repeated for each of `outer`
/// slices. Blocks from SpaceToBatch are such slices.
struct BatchPosition: Hashable {
    var axis: Int
    var outer = 1

    /// How many elements, in units of the subtensor after the batch axis, precede the batch. This does not change
    /// when the tensor is reshaped.
    func elementsBefore(in shape: Shape) -> Int { shape[..<axis].reduce(outer, *) }

    /// The position in another shape with the same elements, that of the whole batch; nil if the batch has no axis
    /// there.
    func moved(from shape: Shape, to whole: Shape, _ batch: Int) -> BatchPosition? {
        let before = elementsBefore(in: shape)
        for axis in whole.indices {
            let others = whole[..<axis].reduce(1, *)
            guard others > 0, before % others == 0 else { return nil }
            let position = BatchPosition(axis: axis, outer: before / others)
            if whole[axis] > 0, whole[axis] % (position.outer * batch) == 0 { return position }
        }
        return nil
    }
}

/// A value of a graph that was built for a batch, with its types for one image and for two.
struct BatchedValue {
    var one: TensorType
    var two: TensorType
    /// The position of the batch; nil if the value is the same for all images.
    var position: BatchPosition?
    /// The constant value for one image and for two, if known.
    var constant: (one: Tensor, two: Tensor)?

    init(one: TensorType, two: TensorType, position: BatchPosition) {
        (self.one, self.two, self.position) = (one, two, position)
    }

    /// A value that is the same for all images.
    init(_ type: TensorType, constant: Tensor? = nil) {
        (one, two) = (type, type)
        self.constant = constant.map { ($0, $0) }
    }

    /// The constant for one image, if it is known and repeats for each image of the batch.
    func heldToOne(of batch: Int) -> BatchedValue? {
        guard let constant, let part = constant.one.oneOf(batch, along: 0) else { return nil }
        var value = self
        let pair = part.repeated(2, along: 0)
        (value.one, value.two, value.constant) = (part.type, pair.type, (part, pair))
        return value
    }
}
