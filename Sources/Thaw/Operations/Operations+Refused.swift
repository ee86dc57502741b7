/// Operations and layers in Core ML's formats that Thaw does not support, with the reason. `docs/coreml-operations.md`
/// lists them.
extension Operations {
    private static let random: Phrase = "its results are random"

    /// Operations of ML Programs.
    static let refusedPrograms: [String: Phrase] = [
        "conv_quantized": "coremltools calls it experimental and does not define how its weights are stored",
        "random_bernoulli": random,
        "random_categorical": random,
        "random_normal": random,
        "random_uniform": random,
    ]

    /// Layers of neural networks.
    static let refusedLayers: [String: Phrase] = {
        let kinds = ["randomNormal", "randomUniform", "randomBernoulli"]
        let randomLayers = kinds.flatMap { kind in ["Like", "Static", "Dynamic"].map { kind + $0 } }
        var reasons = Dictionary(
            uniqueKeysWithValues: (randomLayers + ["categoricalDistribution"]).map { ($0, random) })
        reasons["custom"] = "its implementation is in an app, not in the model"
        reasons["loopBreak"] = "a loop can end only by its condition or its number of iterations"
        reasons["loopContinue"] = reasons["loopBreak"]
        return reasons
    }()
}
