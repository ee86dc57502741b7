import Kernels

// Steps over plain tensors of any shape: elementwise functions with broadcasting, and reductions along any axes.

/// The memory of a plain tensor that a step reads: a buffer, or one of the program's constants.
enum TensorSource {
    case slot(Int)
    case constant(Int)

    fileprivate var reads: [Int] { if case .slot(let slot) = self { [slot] } else { [] } }
}

/// A plain tensor that a step reads.
struct PlainTensor {
    let source: TensorSource
    let shape: Shape
}

extension Memory {
    func floats(_ source: TensorSource) -> UnsafePointer<Float> {
        switch source {
        case .slot(let slot): UnsafePointer(floats(slot: slot))
        case .constant(let constant): floats(constant)
        }
    }
}

// MARK: Broadcasting

extension Compiler {
    /// Two inputs that are broadcast.
    mutating func addBroadcast(_ node: PlannedNode, _ function: BinaryFunction) {
        addBroadcast(
            node, function, plain(node.inputs[0]), plain(node.inputs[1]), to: location(node.outputs[0], .plain).slot)
    }

    /// An input and a constant.
    mutating func addBroadcast(_ node: PlannedNode, _ function: BinaryFunction, operand: Tensor, constantFirst: Bool) {
        let (input, constant) = (plain(node.inputs[0]), plainConstant(operand))
        addBroadcast(
            node, function, constantFirst ? constant : input, constantFirst ? input : constant,
            to: location(node.outputs[0], .plain).slot)
    }

    private func plain(_ value: Graph.Value) -> PlainTensor {
        PlainTensor(source: .slot(location(value, .plain).slot), shape: graph[value].shape)
    }

    mutating func plainConstant(_ tensor: Tensor) -> PlainTensor {
        PlainTensor(source: .constant(channelConstant(tensor, count: tensor.elementCount)), shape: tensor.shape)
    }

    /// - Parameter slot: The buffer for the result, which has the shape of the node's output.
    mutating func addBroadcast(
        _ node: PlannedNode, _ function: BinaryFunction, _ left: PlainTensor, _ right: PlainTensor, to slot: Int
    ) {
        let shape = graph[node.outputs[0]].shape
        let steps = [left.shape.broadcastSteps(to: shape), right.shape.broadcastSteps(to: shape), shape.strides]
        var axes = SharedAxis.merged(shape, steps: steps)
        let row = axes.popLast() ?? SharedAxis(size: 1, steps: [1, 1, 1])
        let outer = IndexSpace(sizes: axes.map(\.size))
        let (leftSteps, rightSteps, outputSteps) = (
            axes.map { $0.steps[0] }, axes.map { $0.steps[1] }, axes.map { $0.steps[2] }
        )
        let width = row.size
        // An operand with a single value for the whole row is passed to the kernel as the right one.
        let isSwapped = row.steps[0] == 0 && row.steps[1] != 0
        let pattern: RowWork.Pattern = isSwapped || row.steps[1] == 0 ? .one : .each
        let perChunk = Step.rowsPerChunk(width: width)
        let kernels = kernels.plain
        let (left, right) = (left.source, right.source)
        add(
            Step(
                node, reads: left.reads + right.reads, writes: [slot],
                chunks: outer.count.dividedRoundingUp(by: perChunk)
            ) { memory, chunk in
                for row in chunk * perChunk..<min((chunk + 1) * perChunk, outer.count) {
                    let a = memory.floats(left) + outer.offset(row, leftSteps)
                    let b = memory.floats(right) + outer.offset(row, rightSteps)
                    var work = RowWork(
                        left: isSwapped ? b : a, leftStride: 0,
                        output: memory.floats(slot: slot) + outer.offset(row, outputSteps), outputStride: 0,
                        width: width, count: 1)
                    work.right = UnsafeRawPointer(isSwapped ? a : b)
                    work.pattern = pattern
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
