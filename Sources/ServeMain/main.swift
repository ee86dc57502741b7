import ThawService

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

exit(runService(Array(CommandLine.arguments.dropFirst())))
