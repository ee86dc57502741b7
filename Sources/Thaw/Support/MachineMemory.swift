#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of memory available to this process: the machine's, or less if there is a limit.
var machineMemory: Int {
    let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    var limit = rlimit()
    #if canImport(Glibc)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    #else
        let status = getrlimit(RLIMIT_AS, &limit)
    #endif
    guard status == 0, limit.rlim_cur < UInt64(Int.max) else { return physical }
    return min(physical, Int(limit.rlim_cur))
}
