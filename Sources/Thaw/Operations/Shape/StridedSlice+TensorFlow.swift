extension StridedSlice {
    static let tensorFlow = [
        TensorFlowRule("Slice", axes: .resized, roles: .part) { node, context in
            let input = try node.input(0)
            let shape = input.shape
            let begins = try node.integers(1, "begin")
            let sizes = try node.integers(2, "size")
            guard begins.count == shape.rank, sizes.count == shape.rank,
                shape.indices.allSatisfy({
                    (0...shape[$0]).contains(begins[$0]) && (-1...shape[$0]).contains(sizes[$0])
                })
            else {
                throw node.refused("begin \(begins) and size \(sizes) do not fit a tensor of shape \(shape)")
            }
            let ranges = shape.indices.map {
                Range(
                    start: begins[$0],
                    count: sizes[$0] == -1 ? shape[$0] - begins[$0] : sizes[$0])
            }
            return [try context.add(StridedSlice(ranges: ranges), input, name: node.name)]
        },
        TensorFlowRule("ReverseV2", axes: .kept, roles: .reversal) { node, context in
            let input = try node.input(0)
            let axes = try node.integers(1, "axes").map { try input.shape.axis($0) }
            return [try context.add(reversing(axes, of: input.shape), input, name: node.name)]
        },
        // The older operation has a Boolean for each axis.
        TensorFlowRule("Reverse", axes: .kept, roles: []) { node, context in
            let input = try node.input(0)
            let isReversed = try node.integers(1, "axes")
            let axes = isReversed.indices.filter { isReversed[$0] != 0 }
            return [try context.add(reversing(axes, of: input.shape), input, name: node.name)]
        },
        TensorFlowRule("StridedSlice", axes: .sliced, roles: .part) { node, context in
            let (ranges, shape) = try strided(node)
            let slice = try context.add(StridedSlice(ranges: ranges), node.input(0), name: node.name)
            return [slice.shape == shape ? slice : try context.add(Reshape(shape), slice, name: node.name + "/shape")]
        },
    ]

    /// The slice that reverses a tensor along some axes.
    static func reversing(_ axes: [Int], of shape: Shape) -> StridedSlice {
        StridedSlice(
            ranges: shape.indices.map { axis in
                let size = shape[axis]
                return axes.contains(axis) && size > 0
                    ? Range(start: size - 1, count: size, step: -1) : Range(start: 0, count: size)
            })
    }

    /// The ranges of a strided slice, one per input axis, and the shape of the result, with axes added and removed
    /// according to the masks (described in tensorflow/core/util/strided_slice_op.cc).
    private static func strided(_ node: TensorFlowNode) throws -> ([Range], Shape) {
        let shape = try node.input(0).shape
        let slice = try SliceSpecification(node)
        var ranges: [Range] = []
        var result: [Int] = []
        func keepAxes(_ count: Int) {
            for size in shape[ranges.count..<ranges.count + count] {
                result.append(size)
                ranges.append(Range(start: 0, count: size))
            }
        }
        let takingAxes = slice.indices.filter { !slice.isEllipsis($0) && !slice.addsAxis($0) }.count
        var sawEllipsis = false
        for i in slice.indices {
            if slice.isEllipsis(i) {
                guard !sawEllipsis else { throw node.refused("a slice has two ellipses") }
                sawEllipsis = true
                keepAxes(Swift.max(0, shape.rank - takingAxes))
                continue
            }
            if slice.addsAxis(i) {
                result.append(1)
                continue
            }
            guard ranges.count < shape.rank else { throw Failure.tooFewAxes(takingAxes, shape) }
            if slice.removesAxis(i) {
                try ranges.append(Range(squeezedAt: slice.begin(i), along: ranges.count, of: shape))
                continue
            }
            let range = slice.range(i, of: shape[ranges.count])
            ranges.append(range)
            result.append(range.count)
        }
        keepAxes(shape.rank - ranges.count)
        return (ranges, Shape(result))
    }
}

/// The inputs and the masks of TensorFlow's StridedSlice. An entry is an axis of the input, an axis that is added, or an
/// ellipsis, which covers the axes that have no entry.
private struct SliceSpecification {
    private let begins, ends, steps: [Int]
    private let beginMask, endMask, ellipsisMask, newAxisMask, shrinkMask: Int

    init(_ node: TensorFlowNode) throws {
        begins = try node.integers(1, "begin")
        ends = try node.integers(2, "end")
        steps = try node.integers(3, "strides")
        guard begins.count == ends.count, begins.count == steps.count,
            steps.allSatisfy(StridedSlice.Range.isStep)
        else { throw node.refused("begin, end and strides do not match, or a stride is 0") }
        beginMask = try node.int("begin_mask", default: 0)
        endMask = try node.int("end_mask", default: 0)
        ellipsisMask = try node.int("ellipsis_mask", default: 0)
        newAxisMask = try node.int("new_axis_mask", default: 0)
        shrinkMask = try node.int("shrink_axis_mask", default: 0)
    }

    private func isSet(_ entry: Int, in mask: Int) -> Bool { mask >> entry & 1 == 1 }

    /// The indices of the entries.
    var indices: Range<Int> { begins.indices }
    func isEllipsis(_ entry: Int) -> Bool { isSet(entry, in: ellipsisMask) }
    func addsAxis(_ entry: Int) -> Bool { !isEllipsis(entry) && isSet(entry, in: newAxisMask) }
    func removesAxis(_ entry: Int) -> Bool { isSet(entry, in: shrinkMask) }
    /// The only element along an axis that is removed. TensorFlow ignores the mask there.
    func begin(_ entry: Int) -> Int { begins[entry] }

    func range(_ entry: Int, of size: Int) -> StridedSlice.Range {
        StridedSlice.Range(
            from: isSet(entry, in: beginMask) ? nil : begins[entry], to: isSet(entry, in: endMask) ? nil : ends[entry],
            step: steps[entry], of: size)
    }
}
