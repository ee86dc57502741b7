/// TensorFlow's Cumprod: the cumulative product along an axis.
///
/// Core ML has no such layer. It is expressed by products of 2, 4, 8 … neighbors, each computed from two previous
/// products, in as many steps as the axis size has binary digits (Hillis and Steele, Data Parallel Algorithms, 1986).
enum CumulativeProduct {
    static let tensorFlow = [
        TensorFlowRule("Cumprod", axes: .kept, roles: .mayOverflow) { node, context in
            var result = try node.input(0)
            let shape = result.shape
            let axis = try shape.axis(try node.integer(1, "axis"))
            let isReversed = try node.bool("reverse", default: false)
            let size = shape[axis]

            /// The products shifted by `count`, with ones at the start; from the end if reversed.
            func shifted(_ operand: Operand, _ count: Int) throws -> Operand {
                let range = StridedSlice.Range(start: isReversed ? count : 0, count: size - count)
                let slice = StridedSlice(range, along: axis, of: shape)
                var border = [Int](repeating: 0, count: shape.rank)
                border[axis] = count
                let none = [Int](repeating: 0, count: shape.rank)
                let kept = try context.add(slice, operand, name: node.name + "/kept")
                let pad = Pad(before: isReversed ? none : border, after: isReversed ? border : none, value: 1)
                return try context.add(pad, kept, name: node.name + "/shifted")
            }

            guard size > 0 else { return [result] }
            if try node.bool("exclusive", default: false) { result = try shifted(result, 1) }
            var count = 1
            while count < size {
                result = try context.combine(.multiply, result, shifted(result, count), name: node.name)
                count *= 2
            }
            return [result]
        }
    ]
}
