import Kernels

/// Work whose result an activation follows in the store: clamping by two bounds, anything else by a function.
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
