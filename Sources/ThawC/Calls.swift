import CThaw
import Thaw

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The address at which a function stores a handle.
public typealias HandleResult = UnsafeMutablePointer<OpaquePointer?>

/// The address at which a function stores text.
public typealias TextResult = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// Runs the body of a function that can fail, and stores its failure as an error.
func call(_ error: HandleResult?, _ body: () throws -> Void) -> thaw_status {
    guard thaw_enter_call() else {
        error?.pointee = Handles.forked
        return thaw_status(THAW_FORKED)
    }
    defer { thaw_leave_call() }
    error?.pointee = nil
    do {
        try body()
        return thaw_status(THAW_OK)
    } catch let failure as Failure {
        error?.pointee = Handles.shared.add(CError(failure))
        switch failure.code {
        case .invalidArgument, .invalidHandle: return thaw_status(THAW_INVALID_ARGUMENT)
        case .canceled: return thaw_status(THAW_CANCELED)
        default: return thaw_status(THAW_FAILED)
        }
    } catch is TimedOut {
        return thaw_status(THAW_TIMED_OUT)
    } catch {
        fatalError("unexpected error: \(error)")
    }
}

/// Thrown if no result was ready in time.
struct TimedOut: Error {}

/// A zero-terminated string that lives as long as this object.
final class CText: @unchecked Sendable {
    let pointer: UnsafePointer<CChar>

    init(_ text: String) { pointer = UnsafePointer(strdup(text)) }

    /// The bytes of a file name.
    init(fileName: String) {
        pointer = fileName.fileName.withUnsafeBufferPointer { UnsafePointer(strdup($0.baseAddress!)) }
    }

    deinit { free(UnsafeMutablePointer(mutating: pointer)) }
}

/// A copy of text that the caller frees by `thaw_free`.
func copied(_ text: String) -> UnsafeMutablePointer<CChar> { strdup(text) }

// MARK: Errors

/// The object of an error handle.
final class CError: Sendable {
    let code: CText
    let message: CText
    let details: CText

    init(_ failure: Failure) {
        code = CText(failure.code.rawValue)
        message = CText(failure.phrase.forC)
        details = CText(failure.json.text)
    }

}

extension Failure {
    var json: JSON {
        .object([
            ("code", .string(code.rawValue)), ("message", .string(phrase.forC)), ("parts", phrase.json),
            ("file", JSON(file)),
            ("location", JSON(location)), ("problem", .string(problem.forC)), ("remedy", JSON(remedy?.forC)),
            ("hint", JSON(hint?.forC)),
            ("nodes", .array(nodes.map { .object([("name", .string($0.name)), ("op", .string($0.op))]) })),
            ("names", JSON(names)),
        ])
    }
}

extension Phrase {
    /// The text, with the names of functions, and of options in the structures of the header.
    var forC: String { spelled(\.forC, task: \.forC) }

    /// For languages with their own spelling: strings, and objects with the library's name of an option or task.
    var json: JSON {
        .array(
            parts.map { part in
                switch part {
                case .text(let text): .string(text)
                case .option(let option): .object([("option", .string(option.rawValue.snakeCase))])
                case .task(let task): .object([("task", .string(task.rawValue.snakeCase))])
                case .inputs(let names): .string(("\(inputs: names)" as Phrase).forC)
                }
            })
    }
}

extension OptionName {
    /// The options that have another name in the header, the opposite, or two members.
    private static let namesInHeader: [OptionName: String] = [
        .placeholderValues: "settings", .hasIntegerLabels: "file_has_integers", .mayReplace: "keeps_existing",
        .size: "inputs.width and inputs.height",
    ]

    fileprivate var forC: String { Self.namesInHeader[self] ?? rawValue.snakeCase }
}

extension TaskName {
    /// The function for the task, or the command if the header has none.
    fileprivate var forC: String {
        switch self {
        case .convert: "thaw_convert"
        case .classify: "thaw_classifier_create"
        case .detect: "thaw_detector_create"
        case .run: "thaw_model_run"
        case .runWithState: "thaw_state_run"
        case .runPipeline: "thaw_model_predict"
        case .quantize, .apply: "'thaw \(rawValue)'"
        case .evaluateDetector: "'thaw evaluate'"
        }
    }
}

extension String {
    /// `snakeCase` as `snake_case`.
    fileprivate var snakeCase: String { map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined() }
}

extension Note {
    var json: JSON {
        .object([("code", .string(code.rawValue)), ("message", .string(text.forC)), ("parts", text.json)])
    }
}

/// The text of an error; NULL for an invalid handle.
/// - Parameter forked: The text of the error in a forked process.
private func text(
    _ error: OpaquePointer?, forked: UnsafePointer<CChar>, _ part: (CError) -> CText
) -> UnsafePointer<CChar>? {
    if error == Handles.forked { return forked }
    guard thaw_enter_call() else { return nil }
    defer { thaw_leave_call() }
    return Handles.shared.find(error, CError.self).map { part($0).pointer }
}

@_cdecl("thaw_error_code")
public func errorCode(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    text(error, forked: thaw_forked_code, \.code)
}

@_cdecl("thaw_error_message")
public func errorMessage(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    text(error, forked: thaw_forked_message, \.message)
}

@_cdecl("thaw_error_details")
public func errorDetails(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    text(error, forked: thaw_forked_details, \.details)
}

@_cdecl("thaw_error_free")
public func freeError(_ error: OpaquePointer?) { release(error, as: CError.self) }

// MARK: The library

private let version = CText(thawVersion)

@_cdecl("thaw_version")
public func libraryVersion() -> UnsafePointer<CChar> { version.pointer }

@_cdecl("thaw_free")
public func freeMemory(_ memory: UnsafeMutableRawPointer?) { free(memory) }
