import Foundation
import Kernels
import Testing

@testable import Thaw

struct LocationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var type: TensorType
        var kind: LayoutKind
        var halo = Halo()
        var kernels: any KernelTable.Type = InstructionSet.baseline.kernels
        var strides: [Int]
        var origin = 0
        var byteCount: Int

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(
            name: "plain floats", type: TensorType([2, 3, 4, 20]), kind: .plain, strides: [80, 320, 64, 960],
            byteCount: 1920),
        Case(
            name: "plain 64-bit integers", type: TensorType([2, 3, 4, 20], .int64), kind: .plain,
            strides: [160, 640, 128, 1920], byteCount: 3840),
        Case(
            name: "rows with a border", type: TensorType([1, 3, 4, 3]), kind: .rows,
            halo: Halo(top: 1, bottom: 2, left: 1, right: 1), strides: [12, 72, 64, 432], origin: 84, byteCount: 432),
        Case(
            name: "blocks of 16 floats", type: TensorType([2, 3, 4, 20]), kind: .blocked,
            halo: Halo(top: 1, bottom: 1, left: 0, right: 1), strides: [64, 320, 1600, 3200], origin: 320,
            byteCount: 6400),
        Case(
            name: "blocks of 8 bfloat16 values", type: TensorType([2, 3, 4, 20]), kind: .blocked,
            halo: Halo(top: 1, bottom: 1, left: 2, right: 1), kernels: BFloat16LoopKernels.self,
            strides: [16, 112, 560, 1680], origin: 144, byteCount: 3360),
    ])
    func `a location counts bytes of its type, in blocks as wide as the table's`(_ c: Case) {
        let location = Location(c.type, slot: 0, kind: c.kind, kernels: c.kernels, halo: c.halo)
        #expect(
            [location.pixelStride, location.rowStride, location.blockStride, location.imageStride] == c.strides)
        #expect(location.origin == c.origin)
        #expect(location.byteCount == c.byteCount)
    }

    @Test(arguments: [
        (LayoutKind.blocked, Halo(top: 1, bottom: 2, left: 1, right: 1)), (.blocked, Halo(top: 2, right: 2)),
        (.rows, Halo(bottom: 1, left: 3)), (.blocked, Halo()),
    ])
    func `a border is the same if it is written in parts`(_ kind: LayoutKind, _ halo: Halo) {
        let type = TensorType([2, 5, 4, 20])
        var location = Location(type, slot: 0, kind: kind, kernels: InstructionSet.baseline.kernels, halo: halo)
        location.borderByte = 7
        /// The memory after the borders of these parts of the pixels have been written.
        func bytes(_ parts: [Range<Int>]) -> [UInt8] {
            let memory = AlignedMemory(byteCount: location.byteCount + Memory.readPastEnd)
            memset(memory.address, 1, location.byteCount + Memory.readPastEnd)
            withUnsafePointer(to: memory.address) { slots in
                let memory = Memory(slots: slots, constants: memory.address, scratch: memory.address)
                for image in 0..<2 {
                    for part in parts { memory.clearHalo(location, image: image, blocks: 0..<2, pixels: part) }
                }
            }
            return [UInt8](UnsafeRawBufferPointer(start: memory.address, count: location.byteCount))
        }
        let whole = bytes([0..<20])
        let pixels = halo == Halo() ? 0 : location.byteCount - 2 * (kind == .blocked ? 2 * 16 : 20) * 4 * 20
        #expect(whole.filter { $0 == 7 }.count == pixels)
        for parts in [[0..<8, 8..<20], [0..<1, 1..<3, 3..<11, 11..<20], [0..<19, 19..<20]] {
            #expect(bytes(parts) == whole, "\(parts)")
        }
    }
}
