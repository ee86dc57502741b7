import CThaw
import Thaw
import ThawCommand

@_cdecl("thaw_main")
public func runMain(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
    guard let arguments, count > 0 else { return runCommand([]) }
    return runCommand((1..<Int(count)).compactMap { path(arguments[$0].map { UnsafePointer($0) }) })
}

@_cdecl("thaw_command")
public func runWords(
    _ count: Int32, _ words: UnsafePointer<UnsafePointer<CChar>?>?, _ exitStatus: UnsafeMutablePointer<Int32>?,
    _ error: HandleResult?
) -> thaw_status {
    // That of a command that fails.
    exitStatus?.pointee = 2
    return call(error) {
        let exitStatus = try required(exitStatus, "exit_status")
        guard count >= 0 else { throw Failure.outOfRange("count", count) }
        let words = try array(words, Int(count), "words").enumerated().map { try requiredPath($1, "words[\($0)]") }
        exitStatus.pointee = try runCommand(throwing: words)
    }
}
