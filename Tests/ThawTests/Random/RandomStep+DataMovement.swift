@testable import Thaw

// Steps that only move values.

extension RandomStep {
    static let concatenation: Maker = { draw, builder, value, values in
        let shape = builder[value].shape
        let axis = shape.rank == 4 && !draw.chance(oneIn: 4) ? 3 : draw.int(0...shape.rank - 1)
        let partners = values.filter { other in
            let otherShape = builder[other].shape
            return otherShape.rank == shape.rank
                && shape.indices.allSatisfy { $0 == axis || otherShape[$0] == shape[$0] }
        }
        let inputs = [value] + (0..<draw.int(1...2)).map { _ in draw.element(partners) }
        return try builder.add(Concatenation(axis: axis), inputs, name: "concat")
    }

    static let reshape: Maker = { draw, builder, value, _ in
        let shape = builder[value].shape
        var targets: [Shape] = [
            [shape[0], shape.elementCount / shape[0]], [shape.elementCount / (shape.last ?? 1), shape.last ?? 1],
            Shape([1] + shape.dimensions),
        ]
        if shape.rank == 4 { targets.append([shape[0], shape[1] * shape[2], shape[3]]) }
        if shape.rank < 4 { targets.append(shape.padded(to: 4)) }
        return [try builder.one(Reshape(draw.element(targets.filter { $0.rank <= 5 })), value)]
    }

    static let transpose: Maker = { draw, builder, value, _ in
        var order = Array(builder[value].shape.indices)
        for index in order.indices.reversed() { order.swapAt(index, draw.int(0...index)) }
        return [try builder.one(Transpose(order), value)]
    }

    static let pad: Maker = { draw, builder, value, _ in
        let rank = builder[value].shape.rank
        let isBorder = rank == 4 && !draw.chance(oneIn: 4)
        let amounts = (0..<2 * rank).map { index in
            isBorder ? ([1, 2].contains(index % rank) ? draw.int(0...2) : 0) : draw.int(0...1)
        }
        return [
            try builder.one(
                Pad(
                    before: Array(amounts.prefix(rank)), after: Array(amounts.suffix(rank)),
                    value: draw.chance(oneIn: 4) ? 0.5 : 0), value)
        ]
    }

    static let slice: Maker = { draw, builder, value, _ in
        let ranges = builder[value].shape.map { size in
            if draw.chance(oneIn: 2) { return StridedSlice.Range(start: 0, count: size) }
            let step = draw.element([1, 1, 2, -1, -2])
            let count = draw.int(1...(size - 1) / abs(step) + 1)
            let span = (count - 1) * abs(step)
            let low = draw.int(0...size - 1 - span)
            return StridedSlice.Range(start: step > 0 ? low : low + span, count: count, step: step)
        }
        return [try builder.one(StridedSlice(ranges: ranges), value)]
    }

    static let split: Maker = { draw, builder, value, _ in
        let shape = builder[value].shape
        let axis = draw.chance(oneIn: 2) ? shape.rank - 1 : draw.int(0...shape.rank - 1)
        guard shape[axis] > 1 else { return [] }
        let first = draw.chance(oneIn: 2) && shape[axis] % 2 == 0 ? shape[axis] / 2 : draw.int(1...shape[axis] - 1)
        return try builder.add(Split(axis: axis, sizes: [first, shape[axis] - first]), [value], name: "split")
    }

    static let tile: Maker = { draw, builder, value, _ in
        let multiples = builder[value].shape.map { _ in draw.chance(oneIn: 3) ? 2 : 1 }
        return [try builder.one(Tile(multiples: multiples), value)]
    }

    static let gather: Maker = { draw, builder, value, _ in
        let shape = builder[value].shape
        let axis = draw.int(0...shape.rank - 1)
        let indices = (0..<draw.int(1...4)).map { _ in draw.int(0...shape[axis] - 1) }
        let list = try builder.one(Constant(Tensor(integers: indices, shape: [indices.count])))
        return [try builder.one(Gather(axis: axis), value, list)]
    }
}
