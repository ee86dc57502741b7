#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints a line to standard error.
func tell(_ text: String) {
    let line = Array("thaw serve: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
