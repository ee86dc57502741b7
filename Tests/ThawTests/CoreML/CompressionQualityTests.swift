import Foundation
import Testing

@testable import Thaw

/// How compressed weights are represented, and how exactly.
@Suite struct CompressionQualityTests {
    @Test(arguments: [8, 6, 4]) func `from iOS 18 on, channels have separate palettes if these are small enough`(
        _ bits: Int
    ) {
        let groups = WeightPalette.groups(of: [64, 512, 3, 3], bits: bits)
        #expect(groups == 64)
        for shape: Shape in [[64, 16, 1, 1], [10, 64], [7, 13], [1, 1]] {
            let groups = WeightPalette.groups(of: shape, bits: bits)
            #expect(shape[0] % groups == 0)
            #expect(groups == 1 || 4 * groups * (2 << bits) <= shape.elementCount * bits / 8)
        }
    }

    @Test(arguments: [WeightType.palette8, .palette6, .palette4]) func `palettes for iOS 18 use its form`(
        _ type: WeightType
    ) throws {
        let network = try #require(NetworkCase.all.first { $0.name == "mobilenet_v1_folded" })
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "network.mlmodel").path
        try network.conversion().model.write(toFile: path, weights: WeightStorage(.float32))
        let result = folder.url.appending(path: "result.mlpackage").path
        try Compression(contentsOfFile: path, weights: WeightStorage(type, minimumCount: 16)).write(
            toFile: result, target: .iOS18)
        let functions: [Message] = try CoreMLFile(result, .coreMLPackage).message().mlProgram.functions
        let bodies: [Message] = functions[0].value.block_specializations
        let operations = (bodies[0].value.operations as [Message]).filter {
            $0.type as String == "constexpr_lut_to_dense"
        }
        #expect(!operations.isEmpty)
        // The older form has a shape argument, which the newer lacks.
        for operation in operations {
            #expect((operation.inputs as [Message]).map { $0.key as String } == ["indices", "lut"])
        }
        #expect(try Model.load(contentsOfFile: result).model.classCount == 10)
    }

    @Test(arguments: [ElementType.float32, .float16]) func `affine quantization errors are within half a step`(
        _ element: ElementType
    ) {
        for magnitude: Float in [1e-30, 1e-6, 1e-3, 1, 60000] {
            let weights = Tensor(noise(512).map { $0 * magnitude }, shape: [4, 128])
            let quantized = LinearWeights(weights, scalesIn: element)
            for (index, number) in weights.floats.enumerated() {
                let scale = quantized.scales[index / 128]
                #expect(element == .float32 || float(fromHalf: half(from: scale)) == scale)
                let back = (Float(quantized.quantized[index]) - Float(quantized.zeros[index / 128])) * scale
                #expect(abs(back - number) <= 0.501 * scale)
            }
        }
    }

    @Test(arguments: [Float.nan, .infinity, 1e30, .leastNonzeroMagnitude, 0])
    func `unusual weights are kept or do no harm`(_ number: Float) throws {
        let weights = Tensor((0..<64).map { $0 == 5 ? number : $0 == 7 && number < 1 ? number : 0 }, shape: [4, 16])
        for type: WeightType in [.int8, .palette8, .palette6, .palette4, .float16] {
            let storage = WeightStorage(type, minimumCount: 1)
            #expect(storage.compresses(weights) == (type.isSelective && abs(number) < 65504))
        }
        guard abs(number) < 65504 else { return }
        #expect(LinearWeights(weights).quantized.count == 64)
        #expect(LinearWeights(weights, scalesIn: .float16).quantized.count == 64)
    }
}
