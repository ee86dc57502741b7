/// The arithmetic in which a program computes. It stores weights and images accordingly.
public enum Precision: String, Hashable, Sendable, CaseIterable {
    /// Everything in float32.
    case float32
    /// Convolutions and dense layers on bfloat16 values, with sums in float32.
    case bfloat16
    /// Layers between quantized values on 8-bit codes, with sums in 32-bit integers.
    case int8
}
