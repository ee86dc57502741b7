#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints a message to standard error without control characters, so that it is safe on a terminal and in logs.
func tell(_ text: String) {
    let plain = text.unicodeScalars.map { $0.isControlling && $0 != "\n" ? "?" : $0 }
    let line = Array("thaw serve: \(String(String.UnicodeScalarView(plain)))\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
