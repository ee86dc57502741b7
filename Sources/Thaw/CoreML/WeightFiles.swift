/// Where an ML Program's weights are.
protocol WeightFiles: Sendable {
    /// The file of this name.
    /// - Throws: `Failure` if there is none.
    func weights(_ name: String) throws -> WeightFile
}
