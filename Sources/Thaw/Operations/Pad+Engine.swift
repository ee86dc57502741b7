extension Pad: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        guard output.shape.rank == 4, value == 0, [0, 3].allSatisfy({ before[$0] == 0 && after[$0] == 0 }),
            (before + after).allSatisfy({ $0 >= 0 })
        else { return nil }
        return .border(height: (before[1], after[1]), width: (before[2], after[2]))
    }
}
