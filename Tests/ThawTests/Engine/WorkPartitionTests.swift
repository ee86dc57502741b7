import Kernels
import Testing

@testable import Thaw

/// How the output of a convolution is split among threads.
struct WorkPartitionTests {
    typealias Size = (pixels: Int, inputs: Int, outputs: Int)

    /// Pointwise convolutions of MobileNetV2 and others.
    static let sizes: [Size] = [
        (49, 576, 160), (49, 960, 320), (196, 384, 64), (196, 576, 96), (196, 384, 96), (3136, 24, 144),
        (49, 1280, 1000), (1, 1280, 1000), (12544, 32, 16),
    ]

    private func partition(_ size: Size, threads: Int) -> WorkPartition {
        let groups = BlockGroups(blocks: (size.outputs + 15) / 16, maximumWidth: 4)
        return WorkPartition(
            pixels: size.pixels, tile: 14, groups: groups.ranges, groupBytes: groups.widest * size.inputs * 64,
            inputBytes: size.pixels * size.inputs * 4, outputBytes: size.pixels * size.outputs * 4,
            separatesRows: size.pixels > 49, minimumChunks: threads > 1 ? 4 * threads : 1, threads: threads)
    }

    @Test(arguments: sizes, [1, 2, 3, 16])
    func `every pixel of every block is computed once`(_ size: Size, _ threads: Int) {
        let partition = partition(size, threads: threads)
        let blocks = (size.outputs + 15) / 16
        var counts = [Int](repeating: 0, count: size.pixels * blocks)
        for chunk in 0..<partition.chunks {
            for pixel in partition[chunk].pixels {
                for block in partition[chunk].blocks { counts[pixel * blocks + block] += 1 }
            }
        }
        #expect(counts.allSatisfy { $0 == 1 })
    }

    /// Consecutive layers of the same size then read what the same thread has written.
    @Test(arguments: sizes.filter { $0.pixels > 1000 }, [2, 3])
    func `each thread's share is the same part of the pixels`(_ size: Size, _ threads: Int) {
        let partition = partition(size, threads: threads)
        #expect(partition.isByPixels)
        for thread in 0..<threads {
            let chunks = partition.chunks * thread / threads..<partition.chunks * (thread + 1) / threads
            #expect(chunks.map { partition[$0].pixels.lowerBound }.min() == size.pixels * thread / threads)
            #expect(chunks.map { partition[$0].pixels.upperBound }.max() == size.pixels * (thread + 1) / threads)
        }
    }

    @Test(arguments: sizes, [1, 2, 3, 16])
    func `no chunk has more pixels than the largest run`(_ size: Size, _ threads: Int) {
        let partition = partition(size, threads: threads)
        #expect(
            (0..<partition.chunks).map { partition[$0].pixels.count }.max() == min(partition.largestRun, size.pixels))
        #expect((0..<partition.chunks).allSatisfy { !partition[$0].pixels.isEmpty })
    }

    @Test(arguments: sizes.filter { $0.pixels > 1 })
    func `two threads have nearly equal shares`(_ size: Size) {
        let partition = partition(size, threads: 2)
        let work = (0..<partition.chunks).map { partition[$0].pixels.count * partition[$0].blocks.count }
        let (first, all) = (work.prefix(partition.chunks / 2).reduce(0, +), work.reduce(0, +))
        // Not better, because the last group may be narrower.
        #expect(abs(Double(2 * first) / Double(all) - 1) < 0.1)
    }
}
