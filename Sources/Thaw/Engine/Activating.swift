import Kernels

/// Work whose result passes through an activation before it is stored: clamping between two bounds, or any other
/// function.
protocol Activating {
    var lower: Float { get set }
    var upper: Float { get set }
    var activation: UnaryFunction? { get set }
}

extension ConvolutionWork: Activating {}
extension DepthwiseWork: Activating {}
extension WinogradOutputWork: Activating {}

extension Activating {
    mutating func activate(_ function: UnaryFunction?) {
        if let function, function.kind == .clamp {
            lower = function.alpha
            upper = function.beta
        } else {
            activation = function
        }
    }
}
