import Testing

@testable import Thaw

struct RunTimesTests {
    @Test(arguments: [1, 1000, RunTimes.limit, RunTimes.limit + 1, 1_000_000])
    func `a measurement of any length keeps a bounded sample from its beginning to its end`(_ count: Int) {
        var times = RunTimes()
        for run in 0..<count { times.add(Double(run)) }
        let sorted = times.sorted
        #expect(times.count == count)
        #expect(times.minimum == 0)
        #expect(sorted.count == count || sorted.count > RunTimes.limit / 2 && sorted.count <= RunTimes.limit)
        #expect(abs(sorted[sorted.count / 2] - Double(count / 2)) <= Double(count) * 1e-3)
        #expect(sorted.last! >= Double(count) * 0.999 - 1)
    }

    @Test func `the shortest time is exact, even if it is not in the sample`() {
        var times = RunTimes()
        for run in 0..<4 * RunTimes.limit { times.add(run == 4 * RunTimes.limit - 1 ? 0.5 : 1) }
        #expect(times.minimum == 0.5)
        #expect(times.sorted.first == 1)
    }
}
