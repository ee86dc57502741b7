import CMachine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The processors that this process may use.
public enum Processors {
    /// Their number: at most that of the machine, of the process's affinity, and of a container's quota of processor time,
    /// rounded up.
    public static let count: Int = {
        let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return min(online, affinity ?? online, quota ?? online)
    }()

    /// The number of processors that the process may run on.
    private static var affinity: Int? {
        let count = Int(thaw_affinity_count())
        return count > 0 ? count : nil
    }

    /// The quota of a Linux control group, in processors. Source: the kernel's documentation of cgroup v2, `cpu.max`.
    private static var quota: Int? {
        guard let file = fopen("/sys/fs/cgroup/cpu.max", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return quota(String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// The processors of a quota such as "200000 100000", which is 200 of 100 ms; nil for "max 100000", which has no limit.
    static func quota(_ text: String) -> Int? {
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return nil }
        return max(1, Int(min(numbers[0] / numbers[1], 0x1p20).rounded(.up)))
    }
}
