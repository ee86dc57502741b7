import Foundation
import Testing

/// Runs every fuzz target for a moment in the ordinary build, so that a broken target or reader is noticed without `make fuzz`.
@Suite(.serialized) struct SmokeTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func `randomly changed inputs are refused, or handled correctly`(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = target.seeds()
        try #require(!seeds.isEmpty)
        FuzzTarget.current = target
        defer { try? FileManager.default.removeItem(at: FuzzTarget.folder) }
        let limit = 65_536
        var changed = 0
        let count = 150
        for number in 0..<count {
            let seed = seeds[number * max(seeds.count / count, 1) % seeds.count]
            var input = seed + [UInt8](repeating: 0, count: limit)
            let size = input.withUnsafeMutableBufferPointer {
                mutateInput($0.baseAddress!, seed.count, limit, UInt32(number))
            }
            input = Array(input.prefix(size))
            if input != seed { changed += 1 }
            do { try target.run(input) } catch { Issue.record("input \(number): \(error)") }
        }
        #expect(changed > count / 2)
    }
}

/// Takes the place of libFuzzer's function, by its name: replaces, inserts or removes a few bytes.
@_cdecl("LLVMFuzzerMutate")
func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int) -> Int {
    var changed = Array(UnsafeBufferPointer(start: bytes, count: count))
    var random = Random(seed: changed.reduce(5381) { $0 &* 33 &+ UInt32($1) })
    for _ in 0...random.below(4) {
        let index = random.below(changed.count + 1)
        switch random.below(3) {
        case 0 where index < changed.count: changed[index] = UInt8(random.below(256))
        case 1 where index < changed.count: changed.remove(at: index)
        default: if changed.count < limit { changed.insert(UInt8(random.below(256)), at: index) }
        }
    }
    for (index, byte) in changed.enumerated() { bytes[index] = byte }
    return changed.count
}
