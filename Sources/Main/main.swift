#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import ThawCommand

exit(runCommand(Array(CommandLine.arguments.dropFirst())))
