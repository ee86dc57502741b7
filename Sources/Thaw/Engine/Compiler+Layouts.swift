import Kernels

// Steps that change no values: layout conversions and concatenation. Also the reference implementations of operations
// that have no kernel.

extension Compiler {
    /// Adds steps that convert a value from its producer's layout to the other layouts that are needed.
    mutating func convert(_ value: Graph.Value, name: String) {
        let from = native(value)
        for kind in [LayoutKind.plain, .rows, .blocked] where kind != from.kind {
            guard layouts.demands[value]![kind] != nil else { continue }
            let to = location(value, kind)
            switch (from.kind, kind) {
            case (.plain, .blocked): addRelayout(name, plain: from, blocked: to, blocking: true)
            case (.blocked, .plain): addRelayout(name, plain: to, blocked: from, blocking: false)
            case (.plain, .rows): addBorderedCopy(name, from, to)
            default: preconditionFailure("no producer writes \(from.kind) for consumers of \(kind)")
            }
        }
    }

    private mutating func addRelayout(_ name: String, plain: Location, blocked: Location, blocking: Bool) {
        let (kernels, integers) = (kernels, integers)
        let isQuantized = plain.element == .uint8
        add(
            Step(
                name: name, kind: blocking ? "Block" : "Unblock", reads: [blocking ? plain.slot : blocked.slot],
                writes: [blocking ? blocked.slot : plain.slot], chunks: blocked.images * blocked.blocks
            ) { memory, chunk in
                let (image, block) = chunk.quotientAndRemainder(dividingBy: blocked.blocks)
                if blocking { memory.clearHalo(blocked, image: image, blocks: block..<block + 1) }
                var work = RelayoutWork(
                    plain: memory.pixels(plain, image: image), plainRowStride: plain.rowStride,
                    plainPixelStride: plain.pixelStride, blocked: memory.pixels(blocked, image: image),
                    blockedRowStride: blocked.rowStride, blockedBlockStride: blocked.blockStride,
                    height: blocked.height, width: blocked.width, channels: blocked.channels, blockCount: 1)
                work.firstBlock = block
                switch (isQuantized, blocking) {
                case (true, true): integers.block(work)
                case (true, false): integers.unblock(work)
                case (false, true): kernels.block(work)
                case (false, false): kernels.unblock(work)
                }
            })
    }

    /// Copies a plain image into one with a border, whose values have the kernels' type.
    private mutating func addBorderedCopy(_ name: String, _ from: Location, _ to: Location) {
        let kernels = kernels
        let bands = Bands(rows: to.height, count: min(minimumChunks, to.height))
        add(
            Step(name: name, kind: "Border", reads: [from.slot], writes: [to.slot], chunks: to.images * bands.count) {
                memory, chunk in
                let (image, band) = chunk.quotientAndRemainder(dividingBy: bands.count)
                let rows = bands[band]
                memory.clearHalo(to, image: image, blocks: 0..<1, rows: rows)
                let source = memory.pixels(from, image: image) + rows.lowerBound * from.rowStride
                let target = memory.pixels(to, image: image) + rows.lowerBound * to.rowStride
                if from.element == .float32 {
                    kernels.copyRows(
                        RowWork(
                            left: source, leftStride: from.rowStride, output: target, outputStride: to.rowStride,
                            width: from.width * from.channels, count: rows.count))
                } else {
                    for row in 0..<rows.count {
                        (target + row * to.rowStride).copyMemory(
                            from: source + row * from.rowStride, byteCount: from.rowStride)
                    }
                }
            })
    }

    mutating func addConcatenation(_ node: PlannedNode, axis: Int) {
        layouts.native[node.outputs[0]] == .blocked
            ? addBlockedConcatenation(node) : addPlainConcatenation(node, axis: axis)
    }

    /// Concatenates the planes of all inputs, except those that are already in the output's memory.
    private mutating func addBlockedConcatenation(_ node: PlannedNode) {
        let to = location(node.outputs[0], .blocked)
        let inputs = node.inputs.map { location($0, .blocked) }
        var first = to.firstBlock
        var sources: [(location: Location, block: Int, target: Int)] = []
        for input in inputs {
            if input.slot != to.slot || input.firstBlock != first {
                sources += (0..<input.blocks).map { (input, $0, first - to.firstBlock + $0) }
            }
            first += input.blocks
        }
        guard !sources.isEmpty else { return }
        add(
            Step(
                node, reads: inputs.map(\.slot), writes: [to.slot],
                chunks: to.images * sources.count
            ) { [sources] memory, chunk in
                let (image, index) = chunk.quotientAndRemainder(dividingBy: sources.count)
                let (from, block, goal) = sources[index]
                memory.clearHalo(to, image: image, blocks: goal..<goal + 1)
                let source = memory.pixels(from, image: image) + block * from.blockStride
                let target = memory.pixels(to, image: image) + goal * to.blockStride
                for row in 0..<to.height {
                    (target + row * to.rowStride).copyMemory(
                        from: source + row * from.rowStride, byteCount: to.width * to.pixelStride)
                }
            })
    }

    /// Concatenates plain tensors along an axis.
    private mutating func addPlainConcatenation(_ node: PlannedNode, axis: Int) {
        let output = graph[node.outputs[0]].shape
        let outer = output.prefix(axis).reduce(1, *)
        let to = location(node.outputs[0], .plain)
        let inputs = node.inputs.map {
            (slot: location($0, .plain).slot, byteCount: location($0, .plain).byteCount / outer)
        }
        add(
            Step(node, reads: inputs.map(\.slot), writes: [to.slot]) {
                memory, _ in
                var target = memory.slots[to.slot]
                for row in 0..<outer {
                    for input in inputs {
                        target.copyMemory(
                            from: memory.slots[input.slot] + row * input.byteCount, byteCount: input.byteCount)
                        target += input.byteCount
                    }
                }
            })
    }

    /// Runs the operation's reference implementation, on plain tensors of any type.
    mutating func addReference(_ node: PlannedNode) {
        let inputs = node.inputs.map { (type: graph[$0], slot: location($0, .plain).slot) }
        let outputs = node.outputs.map { (type: graph[$0], slot: location($0, .plain).slot) }
        let operation = node.operation
        let name = Failure.Node(name: node.name, op: operation.kind)
        add(
            Step(reference: node, reads: inputs.map(\.slot), writes: outputs.map(\.slot)) { memory in
                let tensors = inputs.map { Tensor(viewing: memory.slots[$0.slot], type: $0.type) }
                let results = try naming(node: name) { try operation.evaluate(tensors) }
                for (output, result) in zip(outputs, results) {
                    memory.slots[output.slot].copyMemory(from: result)
                }
            })
    }
}

extension Tensor {
    /// A view of a buffer, valid while a step runs.
    init(viewing address: UnsafeRawPointer, type: TensorType) {
        final class NoOwner {}
        let bytes = UnsafeRawBufferPointer(start: address, count: type.shape.elementCount * type.element.size)
        self.init(shape: type.shape, element: type.element, storage: Storage(viewing: bytes, of: NoOwner()))
    }
}

extension UnsafeMutableRawPointer {
    /// Copies a tensor's elements to this address.
    func copyMemory(from tensor: Tensor) {
        withExtendedLifetime(tensor) {
            if let from = tensor.bytes.baseAddress { copyMemory(from: from, byteCount: tensor.bytes.count) }
        }
    }
}
