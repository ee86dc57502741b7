extension Shape {
    /// The shape with size 1 along these axes.
    func reduced(along axes: [Int]) -> Shape {
        var shape = self
        for axis in axes { shape[axis] = 1 }
        return shape
    }

    /// Maps each element index of a tensor of shape `whole` to the index of the element of this shape that is
    /// broadcast to it.
    func broadcastIndex(in whole: Shape) -> (Int) -> Int {
        if self == whole { return { $0 } }
        if elementCount == 1 { return { _ in 0 } }
        let padded = padded(to: whole.rank)
        let axes = (0..<whole.rank).filter { padded[$0] != 1 }
        let divisors = axes.map { whole.strides[$0] }
        let sizes = axes.map { whole[$0] }
        let steps = axes.map { padded.strides[$0] }
        return { element in
            var index = 0
            for i in 0..<divisors.count { index += element / divisors[i] % sizes[i] * steps[i] }
            return index
        }
    }
}
