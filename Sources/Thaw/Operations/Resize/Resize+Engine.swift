extension Resize: EngineOperation {
    func engineForm(_ inputs: [TensorType], _ output: TensorType) -> EngineForm? {
        .resize(rows: rows, columns: columns)
    }
}
