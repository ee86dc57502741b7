/// The versions of Core ML's model format, by the operating systems that introduced them.
/// Source: coremltools' `specification/Model.proto`; the operation sets are those of `mil/mil/ops/defs`.
public enum CoreMLVersion: Int, Sendable, CaseIterable, Comparable {
    case iOS11 = 1
    case iOS11Point2, iOS12, iOS13, iOS14, iOS15, iOS16, iOS17, iOS18, iOS26

    /// The first version that supports ML Programs.
    static let firstProgram = CoreMLVersion.iOS15

    /// The first system of the version, as the name of a target: "iOS15".
    public var name: String { targets[0] }

    /// The systems that introduced the version, each as the name of a target.
    public var targets: [String] {
        switch self {
        case .iOS11: ["iOS11", "macOS10.13", "watchOS4", "tvOS11"]
        case .iOS11Point2: ["iOS11.2", "macOS10.13.2", "watchOS4.2", "tvOS11.2"]
        case .iOS12: ["iOS12", "macOS10.14", "watchOS5", "tvOS12"]
        case .iOS13: ["iOS13", "macOS10.15", "watchOS6", "tvOS13"]
        // macOS 11 was originally called 10.16.
        case .iOS14: ["iOS14", "macOS11", "watchOS7", "tvOS14", "macOS10.16"]
        case .iOS15: ["iOS15", "macOS12", "watchOS8", "tvOS15"]
        case .iOS16: ["iOS16", "macOS13", "watchOS9", "tvOS16"]
        case .iOS17: ["iOS17", "macOS14", "watchOS10", "tvOS17"]
        case .iOS18: ["iOS18", "macOS15", "watchOS11", "tvOS18"]
        case .iOS26: ["iOS26", "macOS26", "watchOS26", "tvOS26"]
        }
    }

    /// The version that a system introduced, by a name such as `iOS15`, `macos10_15` or `watchOS8`.
    public init?(target name: String) {
        func plain(_ name: String) -> String { String(name.lowercased().map { $0 == "_" ? "." : $0 }) }
        let wanted = plain(name)
        guard let found = CoreMLVersion.allCases.first(where: { $0.targets.contains { plain($0) == wanted } }) else {
            return nil
        }
        self = found
    }

    /// The version as messages name it: "iOS 15 and macOS 12".
    public var systems: String {
        switch self {
        case .iOS11: "iOS 11 and macOS 10.13"
        case .iOS11Point2: "iOS 11.2 and macOS 10.13.2"
        case .iOS12: "iOS 12 and macOS 10.14"
        case .iOS13: "iOS 13 and macOS 10.15"
        case .iOS14: "iOS 14 and macOS 11"
        case .iOS15: "iOS 15 and macOS 12"
        case .iOS16: "iOS 16 and macOS 13"
        case .iOS17: "iOS 17 and macOS 14"
        case .iOS18: "iOS 18 and macOS 15"
        case .iOS26: "iOS 26 and macOS 26"
        }
    }

    /// The operation set of ML Programs: "CoreML5".
    var opset: String { "CoreML\(rawValue - 1)" }

    public static func < (a: CoreMLVersion, b: CoreMLVersion) -> Bool { a.rawValue < b.rawValue }
}
