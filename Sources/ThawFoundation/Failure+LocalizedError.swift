import Thaw

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Both modules belong to this package; the library itself does without Foundation.
// swift-format-ignore: AvoidRetroactiveConformances
extension Failure: @retroactive LocalizedError {
    /// The message, for apps that show `localizedDescription`.
    public var errorDescription: String? { description }
}
