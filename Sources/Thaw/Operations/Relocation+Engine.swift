// The engine's form of operations that move elements about.

extension Transpose: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .relocation(Relocation(transposing: inputs[0].shape, order))
    }
}

extension StridedSlice: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .relocation(Relocation(taking: [ranges], of: inputs[0].shape))
    }
}

extension Split: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        var start = 0
        let parts = sizes.map { size in
            var ranges = inputs[0].shape.map { StridedSlice.Range(start: 0, count: $0) }
            ranges[axis] = StridedSlice.Range(start: start, count: size)
            start += size
            return ranges
        }
        return .relocation(Relocation(taking: parts, of: inputs[0].shape))
    }
}

extension Tile: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .relocation(Relocation(tiling: inputs[0].shape, multiples))
    }
}

extension BroadcastTo: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .relocation(Relocation(broadcasting: inputs[0].shape, to: output.shape))
    }
}
