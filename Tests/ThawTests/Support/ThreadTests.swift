#if canImport(Glibc)
    import Glibc
    import Testing

    @testable import Thaw

    /// The cores that the calling thread may run on.
    private func allowedCores() -> [Int] {
        var cores = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &cores) == 0 else { return [] }
        return withUnsafeBytes(of: cores) { bytes in
            (0..<bytes.count * 8).filter { bytes[$0 / 8] & 1 << ($0 % 8) != 0 }
        }
    }

    private func allow(_ cores: [Int]) {
        var set = cpu_set_t()
        withUnsafeMutableBytes(of: &set) { bytes in
            for core in cores { bytes[core / 8] |= 1 << (core % 8) }
        }
        sched_setaffinity(0, MemoryLayout<cpu_set_t>.size, &set)
    }

    /// The result of `body` on a new thread.
    private func onNewThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) throws -> Result {
        try #require(Ahead(body).take())
    }

    @Suite("Threads")
    struct ThreadTests {
        @Test("a new thread may run on its creator's cores", arguments: [1, 2])
        func cores(count: Int) throws {
            let (expected, found) = try onNewThread {
                allow(Array(allowedCores().prefix(count)))
                return (allowedCores(), Ahead { allowedCores() }.take())
            }
            #expect(expected.count <= count && !expected.isEmpty)
            #expect(found == expected)
        }

        @Test("a new thread starts on another core if there are several")
        func otherCore() throws {
            guard allowedCores().count > 1 else { return }
            // The creator keeps running, so only another core can start the thread soon. Later it may run anywhere.
            let differ = try onNewThread {
                (0..<20).filter { _ in
                    let own = sched_getcpu()
                    return Ahead { sched_getcpu() }.take() != own
                }.count
            }
            #expect(differ >= 10)
        }
    }
#endif
