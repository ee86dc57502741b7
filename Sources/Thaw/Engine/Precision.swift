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

    /// Why a network that is asked for in this precision is computed in float32 on this machine; nil if it is not.
    public var note: Note? {
        guard self == .bf16, let set = try? InstructionSet.chosen() else { return nil }
        return BFloat16Choice(set).note
    }
}

extension Model {
    /// The precision to compute in if this one is asked for: `auto` depends on what the model records.
    package func precision(for asked: Precision) -> Precision { asked == .auto ? .float32 : asked }
}
