@testable import Thaw

extension Importer {
    /// Imports a graph without variables.
    static func run(_ definition: GraphDefinition, _ options: ImportOptions) throws -> Result {
        try run(GraphSource(definition: definition, outputs: []), options)
    }
}
