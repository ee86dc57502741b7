/// An ML Program in Core ML's format, and the tensors in its weight file.
struct EncodedProgram {
    var message: Message
    var weights: ProgramWeights
    var version: CoreMLVersion
    /// The layers whose weights were and were not compressed, if compression was requested.
    var report: CompressionReport?
}
