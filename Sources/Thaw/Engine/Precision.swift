/// The precision in which a network is computed.
public enum Precision: String, Sendable, CaseIterable {
    /// Single precision: what the model says.
    case float32
    /// Weights and images of bfloat16, sums of float32, where that is faster. Otherwise float32.
    case bf16
    /// Integers of 8 bits between layers whose ranges are known.
    case int8
    /// The lowest precision whose cost the model records, as `thaw quantize` does; float32 for other models.
    case auto

    /// What this machine does instead if it lacks the instructions for this precision, or gains nothing from them; nil if it
    /// does not.
    public var note: Note? { (try? InstructionSet.chosen()).flatMap(note) }

    func note(on set: InstructionSet) -> Note? {
        switch self {
        case .float32, .auto: nil
        case .bf16: (try? BFloat16Choice(set))?.note
        case .int8: set.hasCodeProducts ? nil : .withoutCodeProducts()
        }
    }
}

extension Model {
    /// The model as it is computed if this precision is asked for, and the precision: `auto` depends on what the model
    /// records. For int8 its graph has codes, if need be those of the metadata.
    /// - Throws: `Failure` if the model has no ranges, which int8 needs.
    func prepared(for asked: Precision) throws -> (model: Model, precision: Precision) {
        switch asked {
        case .float32, .bf16: return (self, asked)
        case .auto: return recordsCost ? try prepared(for: .int8) : (self, .float32)
        case .int8:
            guard let graph = try quantizedGraph() else { throw Failure.noRanges() }
            var model = self
            model.graph = graph
            return (model, .int8)
        }
    }

    /// Whether the model records how many labels its codes change.
    private var recordsCost: Bool { isQuantized && quantization.map { $0.photoCount > 0 } ?? false }
}

extension Note {
    static func withoutCodeProducts() -> Note {
        Note(
            .precisionSlower,
            "this machine has no instructions for products of 8-bit integers (VNNI): int8 is computed with others, slower, and "
                + "with the same results")
    }
}
