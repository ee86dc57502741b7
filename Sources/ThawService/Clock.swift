#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A monotonic time: changes to the system clock do not affect it.
struct Moment: Sendable {
    private let nanoseconds: Int64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Seconds from `earlier` until now.
    static func seconds(since earlier: Moment) -> Double { now.seconds(since: earlier) }

    func seconds(since earlier: Moment) -> Double { Double(nanoseconds - earlier.nanoseconds) / 1e9 }
}

/// The present date and time in UTC, to milliseconds: 2024-05-31T12:00:00.000Z.
func timestamp() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var date = tm()
    var seconds = time.tv_sec
    gmtime_r(&seconds, &date)
    func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day =
        "\(digits(Int(date.tm_year) + 1900, 4))-\(digits(Int(date.tm_mon) + 1, 2))-\(digits(Int(date.tm_mday), 2))"
    let clock = "\(digits(Int(date.tm_hour), 2)):\(digits(Int(date.tm_min), 2)):\(digits(Int(date.tm_sec), 2))"
    return "\(day)T\(clock).\(digits(time.tv_nsec / 1_000_000, 3))Z"
}

func pause(milliseconds: Int) { usleep(UInt32(milliseconds * 1000)) }
