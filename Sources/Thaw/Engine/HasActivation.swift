import Kernels

/// Work whose result passes through an activation before it is stored: clamping between two bounds, or any other
/// function.
protocol HasActivation {
    var lower: Float { get set }
    var upper: Float { get set }
    var activation: UnaryFunction? { get set }
}

extension ConvolutionWork: HasActivation {}
extension DepthwiseWork: HasActivation {}
extension WinogradOutputWork: HasActivation {}

extension HasActivation {
    mutating func activate(_ function: UnaryFunction?) {
        if let function, function.kind == .clamp {
            lower = function.alpha
            upper = function.beta
        } else {
            activation = function
        }
    }
}
