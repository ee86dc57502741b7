import Kernels

// Steps that copy elements, in plain tensors of any shape and in blocked images.

extension Compiler {
    mutating func addDataMovement(_ node: PlannedNode, _ movement: DataMovement) {
        if layouts.native[node.outputs[0]] == .blocked {
            for piece in movement.pieces { addBlockedDataMovement(node, piece) }
            return
        }
        addDataMovement(
            node, movement, of: graph[node.outputs[0]].element,
            from: node.inputs.map { location($0, .plain).slot },
            to: node.outputs.map { location($0, .plain).slot },
            counts: node.outputs.map { graph[$0].shape.elementCount })
    }

    /// Copies a plain image into a larger one of zeros, quantized if the image is.
    mutating func addBorder(_ node: PlannedNode, _ border: Halo) {
        addDataMovement(
            node,
            DataMovement(
                padding: graph[node.inputs[0]].shape, before: [0, border.top, border.left, 0],
                after: [0, border.bottom, border.right, 0], with: Float(native(node.outputs[0]).borderByte)))
    }

    /// - Parameters:
    ///   - kind: The kind of step, if not the node's.
    ///   - element: Floats, or quantized values.
    ///   - counts: The number of elements of each output.
    mutating func addDataMovement(
        _ node: PlannedNode, kind: String? = nil, _ movement: DataMovement, of element: ElementType = .float32,
        from inputs: [Int], to outputs: [Int], counts: [Int]
    ) {
        if let filling = movement.filling {
            add(
                Step(node, kind: "Fill", reads: [], writes: outputs) { memory, _ in
                    for (slot, count) in zip(outputs, counts) {
                        if element == .uint8 {
                            let byte = UInt8(exactly: filling)!
                            memory.slots[slot].initializeMemory(as: UInt8.self, repeating: byte, count: count)
                        } else {
                            memory.floats(slot: slot).update(repeating: filling, count: count)
                        }
                    }
                })
        }
        let moves = movement.pieces.filter { !$0.sizes.contains(0) }.map { Move($0, inputs, outputs) }
        let chunks = moves.indices.flatMap { move in
            stride(from: 0, to: moves[move].outer.count, by: moves[move].perChunk).map { (move, $0) }
        }
        guard !chunks.isEmpty else { return }
        let kernels = kernels.plain
        add(
            Step(node, kind: kind, reads: inputs, writes: outputs, chunks: chunks.count) { memory, chunk in
                let (index, first) = chunks[chunk]
                let move = moves[index]
                let grids = first..<min(first + move.perChunk, move.outer.count)
                if element == .uint8 { return move.copyBytes(memory, grids) }
                var work = move.work(memory)
                let (input, output) = (work.input, work.output)
                for index in grids {
                    work.input = input + move.outer.offset(index, move.inputSteps)
                    work.output = output + move.outer.offset(index, move.outputSteps)
                    kernels.copy(work)
                }
            })
    }

    /// Copies pixels of a blocked image, whole blocks of channels at a time.
    private mutating func addBlockedDataMovement(_ node: PlannedNode, _ piece: DataMovement.Piece) {
        let from = location(node.inputs[0], .blocked)
        let to = location(node.outputs[piece.output], .blocked)
        let ranges = piece.ranges(of: graph[node.inputs[0]].shape, blockWidth: from.blockWidth)!
        let firstBlock = ranges[3].start / from.blockWidth
        addPlanes(node, reads: [from.slot], to: to) { memory, plane in
            let source =
                memory.pixels(from, image: ranges[0].start + plane.image * ranges[0].step)
                + ((firstBlock + plane.block) * from.blockStride + ranges[2].start * from.pixelStride)
            let target = memory.pixels(to, plane)
            let step = ranges[2].step * from.pixelStride
            for row in 0..<to.height {
                let line = source + (ranges[1].start + row * ranges[1].step) * from.rowStride
                let copy = target + row * to.rowStride
                if step == to.pixelStride {
                    copy.copyMemory(from: line, byteCount: to.width * step)
                } else {
                    for pixel in 0..<to.width {
                        (copy + pixel * to.pixelStride).copyMemory(
                            from: line + pixel * step, byteCount: to.pixelStride)
                    }
                }
            }
        }
    }
}

/// A piece of a data movement with as few axes as possible. The two axes that the kernel iterates over are separate.
private struct Move {
    let from: Int
    let to: Int
    private let starts: (input: Int, output: Int)
    private let row: Axis
    private let column: Axis
    let outer: IndexSpace
    let inputSteps: [Int]
    let outputSteps: [Int]
    let perChunk: Int

    private struct Axis {
        var size = 1
        var input = 0
        var output = 0
    }

    init(_ piece: DataMovement.Piece, _ inputs: [Int], _ outputs: [Int]) {
        from = inputs[piece.input]
        to = outputs[piece.output]
        starts = (piece.inputStart, piece.outputStart)
        var axes = SharedAxis.merged(piece.sizes, steps: [piece.inputSteps, piece.outputSteps]).map {
            Axis(size: $0.size, input: $0.steps[0], output: $0.steps[1])
        }
        column = axes.popLast() ?? Axis(size: 1, input: 1, output: 1)
        // Prefer an axis along which neighboring input elements are contiguous, if they are not along the columns.
        let rowIndex = axes.lastIndex { $0.input == 1 } ?? axes.indices.last
        row = rowIndex.map { axes.remove(at: $0) } ?? Axis()
        outer = IndexSpace(sizes: axes.map(\.size))
        inputSteps = axes.map(\.input)
        outputSteps = axes.map(\.output)
        perChunk = Step.rowsPerChunk(width: row.size * column.size)
    }

    func work(_ memory: Memory) -> CopyWork {
        CopyWork(
            input: memory.floats(.slot(from)) + starts.input, inputRowStep: row.input, inputStep: column.input,
            output: memory.floats(slot: to) + starts.output, outputRowStep: row.output, outputStep: column.output,
            width: column.size, count: row.size)
    }

    /// Copies elements of one byte.
    func copyBytes(_ memory: Memory, _ grids: Range<Int>) {
        for grid in grids {
            let (first, firstOutput) = (outer.offset(grid, inputSteps), outer.offset(grid, outputSteps))
            var source = UnsafeRawPointer(memory.slots[from] + (starts.input + first))
            var target = memory.slots[to] + (starts.output + firstOutput)
            for _ in 0..<row.size {
                if column.input == 1, column.output == 1 {
                    target.copyMemory(from: source, byteCount: column.size)
                } else {
                    for index in 0..<column.size {
                        let byte = source.load(fromByteOffset: index * column.input, as: UInt8.self)
                        target.storeBytes(of: byte, toByteOffset: index * column.output, as: UInt8.self)
                    }
                }
                source += row.input
                target += row.output
            }
        }
    }
}
