import Kernels

// Steps over plain tensors of any shape: elementwise functions with broadcasting, and reductions along any axes.

/// A plain tensor that a step reads: a buffer, or one of the program's constants.
enum TensorSource {
    case slot(Int)
    case constant(Int)

    fileprivate var reads: [Int] { if case .slot(let slot) = self { [slot] } else { [] } }
}

extension Memory {
    func floats(_ source: TensorSource) -> UnsafePointer<Float> {
        switch source {
        case .slot(let slot): UnsafePointer(floats(slot: slot))
        case .constant(let constant): floats(constant)
        }
    }
}

/// Converts linear indices in row-major order to offsets, given a step along each axis.
struct IndexSpace {
    let sizes: [Int]

    var count: Int { sizes.reduce(1, *) }

    /// The offset of the element at linear `index`, given the step along each axis.
    func offset(_ index: Int, _ steps: [Int]) -> Int {
        var rest = index
        var offset = 0
        for axis in sizes.indices.reversed() {
            offset += rest % sizes[axis] * steps[axis]
            rest /= sizes[axis]
        }
        return offset
    }
}

// MARK: Broadcasting

extension Compiler {
    /// Two inputs that are broadcast.
    mutating func addBroadcast(_ node: PlannedNode, _ function: BinaryFunction) {
        addBroadcast(
            node, function, .slot(location(node.inputs[0], .plain).slot),
            graph[node.inputs[0]].shape, .slot(location(node.inputs[1], .plain).slot), graph[node.inputs[1]].shape,
            to: location(node.outputs[0], .plain).slot, graph[node.outputs[0]].shape)
    }

    /// An input and a constant.
    mutating func addBroadcast(_ node: PlannedNode, _ function: BinaryFunction, operand: Tensor, constantFirst: Bool) {
        let constant = TensorSource.constant(channelConstant(operand, count: operand.elementCount))
        let input = TensorSource.slot(location(node.inputs[0], .plain).slot)
        let shapes = (graph[node.inputs[0]].shape, operand.shape)
        addBroadcast(
            node, function, constantFirst ? constant : input,
            constantFirst ? shapes.1 : shapes.0, constantFirst ? input : constant, constantFirst ? shapes.0 : shapes.1,
            to: location(node.outputs[0], .plain).slot, graph[node.outputs[0]].shape)
    }

    mutating func addBroadcast(
        _ node: PlannedNode, _ function: BinaryFunction, _ left: TensorSource, _ leftShape: Shape,
        _ right: TensorSource, _ rightShape: Shape, to slot: Int, _ shape: Shape
    ) {
        // Axes that are contiguous in all three tensors are merged into one.
        var sizes: [Int] = []
        var steps: (left: [Int], right: [Int], output: [Int]) = ([], [], [])
        let all = (leftShape.broadcastSteps(to: shape), rightShape.broadcastSteps(to: shape), shape.strides)
        for axis in shape.indices where shape[axis] != 1 {
            let (l, r, o) = (all.0[axis], all.1[axis], all.2[axis])
            let size = shape[axis]
            if let last = sizes.indices.last, steps.left[last] == l * size, steps.right[last] == r * size {
                sizes[last] *= size
                (steps.left[last], steps.right[last], steps.output[last]) = (l, r, o)
            } else {
                sizes.append(size)
                steps.left.append(l)
                steps.right.append(r)
                steps.output.append(o)
            }
        }
        let width = sizes.popLast() ?? 1
        let (leftStep, rightStep) = (steps.left.popLast() ?? 1, steps.right.popLast() ?? 1)
        _ = steps.output.popLast()
        let outer = IndexSpace(sizes: sizes)
        let (leftSteps, rightSteps, outputSteps) = steps
        let perChunk = Step.rowsPerChunk(width: width)
        let kernels = kernels.plain
        add(
            Step(
                node, reads: left.reads + right.reads, writes: [slot],
                chunks: outer.count.dividedRoundingUp(by: perChunk)
            ) { memory, chunk in
                for row in chunk * perChunk..<min((chunk + 1) * perChunk, outer.count) {
                    let a = memory.floats(left) + outer.offset(row, leftSteps)
                    let b = memory.floats(right) + outer.offset(row, rightSteps)
                    // An operand with a single value for the whole row is passed to the kernel as the right one.
                    let isSwapped = leftStep == 0 && rightStep != 0
                    var work = RowWork(
                        left: isSwapped ? b : a, leftStride: 0,
                        output: memory.floats(slot: slot) + outer.offset(row, outputSteps), outputStride: 0,
                        width: width,
                        count: 1)
                    work.right = UnsafeRawPointer(isSwapped ? a : b)
                    work.pattern = isSwapped || rightStep == 0 ? .one : .each
                    work.swapped = isSwapped
                    kernels.binary(function, work)
                }
            })
    }
}

// MARK: Reduction

extension Compiler {
    /// Reduces one run of adjacent axes at a time, starting with the last.
    mutating func addReduction(_ node: PlannedNode, _ kind: ReductionWork.Kind, axes: [Int], factor: Float) {
        let shape = graph[node.inputs[0]].shape
        var sizes = shape.dimensions
        var slot = location(node.inputs[0], .plain).slot
        var left = axes.filter { shape[$0] != 1 }
        if left.isEmpty { left = axes.suffix(1) }
        while let last = left.popLast() {
            var first = last
            while left.last == first - 1 { first = left.popLast()! }
            let inner = sizes[(last + 1)...].reduce(1, *)
            let depth = sizes[first...last].reduce(1, *)
            let outer = sizes[..<first].reduce(1, *)
            for axis in first...last { sizes[axis] = 1 }
            let output = left.isEmpty ? location(node.outputs[0], .plain).slot : scratch(byteCount: outer * inner * 4)
            addReduction(node, kind, from: slot, (outer, depth, inner), left.isEmpty ? factor : 1, to: output)
            slot = output
        }
    }

    private mutating func addReduction(
        _ node: PlannedNode, _ kind: ReductionWork.Kind, from: Int, _ sizes: (outer: Int, depth: Int, inner: Int),
        _ factor: Float, to: Int
    ) {
        let columnsPerChunk = 256
        let columnChunks = sizes.inner.dividedRoundingUp(by: columnsPerChunk)
        let rowsPerChunk = sizes.inner == 1 ? Step.rowsPerChunk(width: sizes.depth) : 1
        let kernels = kernels.plain
        add(
            Step(
                node, reads: [from], writes: [to],
                chunks: sizes.outer.dividedRoundingUp(by: rowsPerChunk) * columnChunks
            ) { memory, chunk in
                let (part, column) = chunk.quotientAndRemainder(dividingBy: columnChunks)
                for row in part * rowsPerChunk..<min((part + 1) * rowsPerChunk, sizes.outer) {
                    kernels.reduce(
                        ReductionWork(
                            kind: kind, input: memory.floats(slot: from) + row * sizes.depth * sizes.inner,
                            depth: sizes.depth, width: sizes.inner,
                            columns: column * columnsPerChunk..<min((column + 1) * columnsPerChunk, sizes.inner),
                            factor: factor, output: memory.floats(slot: to) + row * sizes.inner))
                }
            })
    }
}
