import Thaw

/// The models by name. A model can be replaced while requests use the old one.
final class ModelStore: Sendable {
    private let sources: [Settings.Source]
    private let precision: Precision
    private let threads: Int
    private let current: Monitor<[ServedModel]>

    /// - Throws: `Failure` if a model cannot be read or run.
    init(_ settings: Settings) throws {
        (sources, precision, threads) = (settings.models, settings.precision, settings.threads)
        let (precision, threads) = (precision, threads)
        current = Monitor(try sources.map { try ServedModel($0, precision: precision, threads: threads) })
    }

    var all: [ServedModel] { current.with { $0 } }

    /// - Throws: `ErrorResponse` with status 404 if there is no model with this name.
    func model(_ name: String) throws -> ServedModel {
        let models = all
        guard let model = models.first(where: { $0.name == name }) else {
            throw ErrorResponse.noSuchModel(name, models.map(\.name))
        }
        return model
    }

    /// Reloads all models. If one fails, the old one is kept.
    /// - Parameter report: Called with the outcome for each model.
    func reload(_ report: (_ name: String, _ failure: Failure?) -> Void) {
        for (index, source) in sources.enumerated() {
            do {
                let model = try ServedModel(source, precision: precision, threads: threads)
                current.with { $0[index] = model }
                report(source.name, nil)
            } catch let failure as Failure {
                report(source.name, failure)
            } catch {
                fatalError("unexpected error: \(error)")
            }
        }
    }
}
