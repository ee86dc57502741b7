/// The role of an operation in a quantized network.
enum QuantizedRole {
    /// It is computed in floating point.
    case floating
    /// A sum of products of constant weights and quantized values.
    case layer
    /// It only clamps or rounds values. After a layer it is part of the layer's rounding.
    case bound
    /// Its results are values of its inputs, or zeros, with the same quantization parameters.
    case selection
    /// It computes other values from quantized ones.
    case arithmetic
}
