#if os(Linux)
    import Foundation
    import Testing

    @testable import Thaw

    /// The cores that the calling thread may run on, as Linux lists them, for example "0-1".
    private func allowedCores() -> String? {
        let status = try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)
        return status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }.map(String.init)
    }

    /// The core that the calling thread runs on: the 39th value, the 37th after the name.
    private func currentCore() -> Substring? {
        let values = try? String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)
        return values?.split(separator: ")").last?.split(separator: " ").dropFirst(36).first
    }

    @Suite struct ThreadTests {
        @Test func `a new thread may run on its creator's cores`() throws {
            let own = try #require(allowedCores())
            #expect(Ahead { allowedCores() }.take() == own)
        }

        @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
        func `a new thread starts on another core`() throws {
            var others = 0
            for _ in 0..<20 {
                let own = try #require(currentCore())
                let other = try #require(Ahead { currentCore() }.take() ?? nil)
                if other != own { others += 1 }
            }
            // The creator may move to another core in the meantime.
            #expect(others >= 15)
        }
    }
#endif
