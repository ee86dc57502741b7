/// TensorFlow's Roll: elements that are shifted past one end of an axis reappear at the other. It is decomposed into
/// slices and a concatenation, so no Roll remains in the graph.
enum Roll {
    static let tensorFlow = [
        TensorFlowRule("Roll", axes: .kept, roles: []) { node, context in
            var result = try node.input(0)
            let shape = result.shape
            let shifts = try node.integers(1, "shift")
            let axes = try node.integers(2, "axis")
            guard shifts.count == axes.count else {
                throw node.refused("there are \(shifts.count) shifts for \(axes.count) axes")
            }
            for (shift, axis) in zip(shifts, axes) {
                let axis = try naming(location: node.name) { try shape.axis(axis) }
                let size = shape[axis]
                guard size > 0 else { continue }
                let start = ((shift % size) + size) % size
                guard start != 0 else { continue }
                func part(_ first: Int, _ count: Int) throws -> Operand {
                    let slice = StridedSlice(.init(start: first, count: count), along: axis, of: shape)
                    return try context.add(slice, result, name: node.name + "/part")
                }
                let parts = try [part(size - start, start), part(0, size - start)]
                result = try context.add(Concatenation(axis: axis), parts, name: node.name)[0]
            }
            return [result]
        }
    ]
}
