/// Where the images of a batch stand in an array: along an axis, one after another, all of them once for each of `outer`
/// slices. Blocks of space made batches are such slices.
struct BatchPlace: Hashable {
    var axis: Int
    var outer = 1

    /// How many elements, each of a whole array behind it, lie before the batch: the same in whatever shape it is written.
    func elementsBefore(in shape: Shape) -> Int { shape[..<axis].reduce(outer, *) }

    /// The place in another shape of the same elements, that of the whole batch; nil where the batch has no axis there.
    func moved(from shape: Shape, to whole: Shape, _ batch: Int) -> BatchPlace? {
        let before = elementsBefore(in: shape)
        for axis in whole.indices {
            let others = whole[..<axis].reduce(1, *)
            guard others > 0, before % others == 0 else { return nil }
            let place = BatchPlace(axis: axis, outer: before / others)
            if whole[axis] > 0, whole[axis] % (place.outer * batch) == 0 { return place }
        }
        return nil
    }
}

/// A value of a graph that was made for a batch, as it is for one image and for two.
struct BatchedValue {
    var one: TensorType
    var two: TensorType
    /// Where the batch stands; nil in what is the same for all images.
    var place: BatchPlace?
    /// The array that it always is, for one image and for two.
    var constant: (one: Tensor, two: Tensor)?

    init(one: TensorType, two: TensorType, place: BatchPlace) { (self.one, self.two, self.place) = (one, two, place) }

    /// A value that is the same for all images.
    init(_ type: TensorType, constant: Tensor? = nil) {
        (one, two) = (type, type)
        self.constant = constant.map { ($0, $0) }
    }

    /// The array for one image, where it is known and repeats for each of a batch.
    func heldToOne(of batch: Int) -> BatchedValue? {
        guard let constant, let part = constant.one.oneOf(batch, along: 0) else { return nil }
        var value = self
        let pair = part.repeated(2, along: 0)
        (value.one, value.two, value.constant) = (part.type, pair.type, (part, pair))
        return value
    }
}

extension Tensor {
    /// The first of `count` parts along an axis, where all are the same; nil where they differ.
    func oneOf(_ count: Int, along axis: Int) -> Tensor? {
        guard shape.indices.contains(axis), shape[axis] % count == 0, shape[axis] > 0 else { return nil }
        let parts = Split(axis: axis, sizes: Array(repeating: shape[axis] / count, count: count)).evaluate([self])
        return parts.dropFirst().allSatisfy { $0 == parts[0] } ? parts[0] : nil
    }

    /// The array `count` times along an axis.
    func repeated(_ count: Int, along axis: Int) -> Tensor {
        Concatenation(axis: axis).evaluate(Array(repeating: self, count: count))[0]
    }
}
