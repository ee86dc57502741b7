/// A task that another part of the library does, for advice in messages.
///
/// Later versions may add tasks.
public enum TaskName: String, Hashable, Sendable, CaseIterable {
    /// Converting a TensorFlow graph to a model.
    case convert
    /// Measuring the ranges of a model's activations, and quantizing it.
    case quantize
    /// Classifying images.
    case classify
    /// Detecting objects in images.
    case detect
    /// Measuring the accuracy of a detector.
    case evaluateDetector
    /// Applying an image-to-image network to images of any size.
    case apply
    /// Computing the outputs of a network.
    case run
    /// Computing the outputs of a stateful network, which keeps a state between runs.
    case runWithState
    /// Computing the outputs of a pipeline.
    case runPipeline

    /// The type for the task.
    public var typeName: String {
        switch self {
        case .convert: "Converter"
        case .quantize: "Quantization"
        case .classify: "Classifier"
        case .detect: "Detector"
        case .evaluateDetector: "DetectionEvaluation"
        case .apply: "ImageToImage"
        case .run, .runWithState: "ModelRunner"
        case .runPipeline: "Pipeline"
        }
    }
}
