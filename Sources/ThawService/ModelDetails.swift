import Thaw

/// The facts about a model that the page shows.
struct ModelDetails: Sendable {
    let file: String
    let metadata: Metadata
    /// The preprocessing, a formula for each channel.
    let formulas: [String]
    let layers: [(kind: String, count: Int)]
    let parameters: Int
    let multiplyAdds: Int
    let labelsAreIndependent: Bool
    let warnings: [String]
    /// A drawing of the network in Graphviz's language; nil for a pipeline.
    let drawing: String?

    init(_ conversion: Conversion, _ source: Settings.Source) {
        let model = conversion.model
        file = source.path.split(separator: "/").last.map(String.init) ?? source.path
        metadata = model.metadata
        self.formulas = model.formulas
        layers = model.graph.operationCounts
        parameters = model.graph.parameterCount
        multiplyAdds = model.graph.multiplyAdds
        labelsAreIndependent = model.labelsAreIndependent
        let formulas = model.formulas
        let notes = (conversion.isGraph ? conversion.notes : []) + conversion.warnings
        warnings = notes.map(\.text.forOperator).filter { !formulas.contains($0) }
        drawing = GraphDrawing(model, title: source.name).dot
    }

    init(_ document: PipelineDocument, _ pipeline: Pipeline, _ source: Settings.Source) {
        file = source.path.split(separator: "/").last.map(String.init) ?? source.path
        metadata = document.metadata
        var kinds: [(kind: String, count: Int)] = []
        for stage in pipeline.stages {
            if let index = kinds.firstIndex(where: { $0.kind == stage.kind }) {
                kinds[index].count += 1
            } else {
                kinds.append((stage.kind, 1))
            }
        }
        layers = kinds
        (parameters, multiplyAdds) = (pipeline.parameterCount, pipeline.multiplyAdds)
        (formulas, warnings, labelsAreIndependent, drawing) = ([], [], false, nil)
    }
}
