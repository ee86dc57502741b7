import Kernels

/// The precision in which a network is computed.
public enum Precision: String, Sendable, CaseIterable {
    /// Single precision, as the model is written.
    case float32
    /// Weights and images in bfloat16 with float32 accumulation, if that is faster. Otherwise float32.
    case bf16
    /// 8-bit integers between layers whose ranges are known.
    case int8
    /// The lowest precision whose cost the model records, as `thaw quantize` does; float32 for other models.
    case auto

    /// The alternative if this machine lacks the instructions for this precision, or gains nothing from them; nil if it
    /// supports the precision.
    public var note: Note? { (try? InstructionSet.chosen()).flatMap(note) }

    func note(on set: InstructionSet) -> Note? {
        switch self {
        case .float32, .auto: nil
        case .bf16: (try? BFloat16Choice(set))?.note
        case .int8: set.hasByteProducts ? nil : .withoutByteProducts()
        }
    }
}

extension Precision {
    init(_ type: BlockedValueType) {
        switch type {
        case .float32: self = .float32
        case .bfloat16: self = .bf16
        }
    }
}

extension Model {
    /// The model and precision that are used for this precision: `auto` depends on the records in the model. For int8
    /// the graph is quantized, if necessary with the parameters in the metadata.
    /// - Throws: `Failure` if the model lacks the ranges that int8 needs.
    func prepared(for asked: Precision) throws -> (model: Model, precision: Precision) {
        switch asked {
        case .float32, .bf16: return (self, asked)
        case .auto where !recordsCost: return (self, .float32)
        case .auto, .int8:
            guard let graph = try quantizedGraph() else { throw Failure.noRanges() }
            // If all layers are kept in floating point, nothing computes with integers.
            if asked == .auto, !graph.hasRanges { return (self, .float32) }
            var model = self
            model.graph = graph
            return (model, .int8)
        }
    }

    /// Whether the model records how many labels change when it is quantized.
    private var recordsCost: Bool { isQuantized && quantization.map { $0.photoCount > 0 } ?? false }
}

extension Note {
    static func withoutByteProducts() -> Note {
        Note(
            .precisionSlower,
            "this machine has no dot-product instructions for 8-bit integers (VNNI, or arm64's dotprod): int8 uses "
                + "slower instructions, with the same results")
    }
}
