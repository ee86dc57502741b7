extension Pad: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard (before + after).allSatisfy({ $0 >= 0 }) else { return nil }
        let isBorder = output.shape.rank == 4 && value == 0 && [0, 3].allSatisfy { before[$0] == 0 && after[$0] == 0 }
        // Borders lie in memory beside their image; one of any size does not.
        guard isBorder, (before + after).allSatisfy({ $0 <= 256 }) else {
            return .relocation(Relocation(padding: inputs[0].shape, before: before, after: after, with: value))
        }
        return .border(height: (before[1], after[1]), width: (before[2], after[2]))
    }
}
