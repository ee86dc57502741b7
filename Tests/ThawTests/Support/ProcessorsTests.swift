import Testing

@testable import Thaw

@Suite struct ProcessorsTests {
    @Test(
        arguments: [
            ("max 100000\n", nil), ("200000 100000\n", 2), ("150000 100000\n", 2), ("10000 100000\n", 1), ("", nil),
            ("200000", nil), ("1e300 1", 1 << 20), ("-1 100000", nil), ("5 0", nil),
        ] as [(String, Int?)])
    func `a container's quota is a number of processors`(_ text: String, _ count: Int?) {
        #expect(Processors.quota(text) == count)
    }

    @Test func `there is at least one processor`() { #expect(Processors.count >= 1) }
}
