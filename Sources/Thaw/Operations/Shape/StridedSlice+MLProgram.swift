extension StridedSlice: MILOperation {
    func write(_ node: MILNode, to block: inout MILBlock) throws {
        let indices = indices(in: node.input.shape)
        let none = ranges.map { _ in false }
        block.add(
            "slice_by_index", node,
            [
                "x": .value(node.input), "begin": .integers(indices.begins), "end": .integers(indices.ends),
                "stride": .integers(ranges.map(\.step)), "begin_mask": .bools(none),
                "end_mask": .bools(indices.reachEnd), "squeeze_mask": .bools(none),
            ])
    }
}

// MARK: Reading

extension StridedSlice {
    static let mil = [
        MILRule("slice_by_index") { op, reading in
            let x = try op.operand()
            if try op.operand("begin").constant == nil { return [try reading.computedSlice(x, op)] }
            let (ranges, squeezed) = try op.sliceRanges(of: x)
            return [try reading.slice(x, ranges, squeezing: squeezed, op)]
        },
        MILRule("crop") { op, reading in
            let x = try op.operand()
            let amounts = try ["crop_height", "crop_width"].map { try op.integers($0) }
            let rank = x.shape.rank
            guard rank >= 3, amounts.allSatisfy({ $0.count == 2 && $0.allSatisfy((0..<1 << 24).contains) })
            else { throw op.refused("the amounts do not fit a tensor of shape \(x.shape)") }
            let ranges = x.shape.indices.map { axis in
                let amount = axis < rank - 2 ? [0, 0] : amounts[axis - rank + 2]
                return Range(start: amount[0], count: x.shape[axis] - amount[0] - amount[1])
            }
            guard ranges.allSatisfy({ $0.count > 0 }) else { throw Failure.sliceOutside(x.shape).at(op.location) }
            return [try reading.slice(x, ranges, squeezing: x.shape.map { _ in false }, op)]
        },
        MILRule("reverse") { op, reading in
            let x = try op.operand()
            return [try reading.add(StridedSlice.reversing(op.axes(x), of: x.shape), x, op)]
        },
        MILRule("slice_by_size") { op, reading in
            let x = try op.operand()
            let sizes = try op.integers("size")
            let start = try op.operand("begin")
            if start.constant == nil {
                guard sizes.count == x.shape.rank, start.shape == [x.shape.rank],
                    zip(sizes, x.shape).allSatisfy({ (0...$1).contains($0) })
                else { throw op.refused("begin and size do not fit a tensor of shape \(x.shape)") }
                return [try reading.slice(x, from: start, counts: sizes, op)]
            }
            let begins = try op.integers("begin")
            guard begins.count == x.shape.rank, sizes.count == x.shape.rank,
                (begins + sizes).allSatisfy({ abs(Double($0)) < 0x1p31 })
            else {
                throw op.refused("begin and size do not fit a tensor of shape \(x.shape)")
            }
            let ranges = x.shape.indices.map { axis in
                let start = begins[axis] < 0 ? begins[axis] + x.shape[axis] : begins[axis]
                return Range(start: start, count: sizes[axis] == -1 ? x.shape[axis] - start : sizes[axis])
            }
            guard ranges.allSatisfy({ $0.count >= 0 }) else { throw Failure.sliceOutside(x.shape).at(op.location) }
            return [try reading.slice(x, ranges, squeezing: x.shape.map { _ in false }, op)]
        },
    ]
}

extension MILRead {
    /// The ranges that `begin`, `end`, `stride` and their masks select, and the axes that are then removed.
    func sliceRanges(of x: Operand) throws -> (ranges: [StridedSlice.Range], squeezed: [Bool]) {
        let begins = try integers("begin")
        let ends = try integers("end")
        let steps = try integers("stride", default: x.shape.map { _ in 1 })
        let masks = try ["begin_mask", "end_mask", "squeeze_mask"].map {
            try integers($0, default: x.shape.map { _ in 0 }).map { $0 != 0 }
        }
        guard ([begins, ends, steps].map(\.count) + masks.map(\.count)).allSatisfy({ $0 == x.shape.rank }),
            steps.allSatisfy(StridedSlice.Range.isStep)
        else { throw refused("begin, end and stride do not fit a tensor of shape \(x.shape)") }
        let ranges = try x.shape.indices.map { axis in
            let begin = masks[0][axis] ? nil : begins[axis]
            guard !masks[2][axis] else {
                return try naming(location: location) {
                    try StridedSlice.Range(squeezedAt: begin, along: axis, of: x.shape)
                }
            }
            return StridedSlice.Range(
                from: begin, to: masks[1][axis] ? nil : ends[axis], step: steps[axis], of: x.shape[axis])
        }
        return (ranges, masks[2])
    }
}

extension ImportContext {
    /// A slice by computed indices: along each axis a single element, or all of them.
    fileprivate mutating func computedSlice(_ x: Operand, _ op: MILRead) throws -> Operand {
        let masks = try ["begin_mask", "end_mask", "squeeze_mask"].map {
            try op.integers($0, default: x.shape.map { _ in 0 }).map { $0 != 0 }
        }
        let steps = try op.integers("stride", default: x.shape.map { _ in 1 })
        let start = try op.operand("begin")
        guard start.shape == [x.shape.rank], masks.allSatisfy({ $0.count == x.shape.rank }),
            steps.allSatisfy({ $0 == 1 }),
            x.shape.indices.allSatisfy({ masks[2][$0] ? !masks[0][$0] : masks[0][$0] && masks[1][$0] })
        else {
            throw op.refused("the size of the slice is known only when the model runs", remedy: Phrases.knownShapes)
        }
        let slice = try slice(x, from: start, counts: masks[2].map { $0 ? 1 : nil }, op)
        return try reshaped(slice, Shape(x.shape.indices.filter { !masks[2][$0] }.map { x.shape[$0] }), op)
    }

    fileprivate mutating func slice(
        _ x: Operand, _ ranges: [StridedSlice.Range], squeezing: [Bool], _ op: MILRead
    ) throws -> Operand {
        let isWhole = zip(ranges, x.shape).allSatisfy { $0 == StridedSlice.Range(start: 0, count: $1) }
        let part = isWhole ? x : try add(StridedSlice(ranges: ranges), x, op)
        guard squeezing.contains(true) else { return part }
        let kept = ranges.indices.filter { !squeezing[$0] }
        return try add(Reshape(Shape(kept.map { ranges[$0].count })), part, op)
    }
}
