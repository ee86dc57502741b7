import Testing

@testable import Thaw

@Suite struct PrecisionTests {
    private func model() throws -> Model {
        var builder = GraphBuilder()
        let input = builder.input("x", TensorType([1, 4]))
        builder.output("y", try builder.add(Unary(.relu), [input], name: "y")[0])
        return Model(graph: builder.graph)
    }

    @Test func `int8 without ranges is refused`() throws {
        let model = try model()
        for run in [
            { _ = try Program(model, precision: .int8) }, { _ = try Program(model.graph, precision: .int8) },
            { _ = try ArrayRunner(model, precision: .int8) }, { _ = try Benchmark(model, precision: .int8) },
        ] {
            let failure = #expect(throws: Failure.self) { try run() }
            #expect(failure?.code == .noRanges)
            #expect(
                failure?.description
                    == "the model has no activation ranges, which int8 needs; add them with Quantization")
        }
    }

    @Test func `auto is float32 for a model without a recorded cost`() throws {
        let model = try model()
        #expect(try model.prepared(for: .auto).precision == .float32)
        #expect(try model.prepared(for: .bf16).precision == .bf16)
        #expect(try Program(model, precision: .auto).precision == .float32)
        #expect(try Program(model).precision == .float32)
    }

    @Test(
        arguments: [
            (100.0, 200.0, BFloat16Choice.faster), (100, 125, .faster), (100, 124, .slower), (175, 86, .slower),
            (100, 100, .slower), (100, 0, .slower),
        ])
    func `bf16 is used only if a probe finds it faster`(
        _ float32: Double, _ bfloat16: Double, _ choice: BFloat16Choice
    ) {
        #expect(BFloat16Choice((float32, bfloat16)) == choice)
        #expect((choice.note == nil) == (choice == .faster))
    }

    @Test(arguments: [([1.0, 8], 1, 0), ([1, 8], 2, 1), ([8, 1], 2, 0), ([8, 1], 1, 0)])
    func `of several tables that a set has, the fastest is used`(_ rates: [Double], _ count: Int, _ index: Int) {
        #expect(BFloat16Choice.Rates(bfloat16: rates).fastest(of: count) == index)
    }

    @Test func `only AMX has a table of tiles`() {
        for set in InstructionSet.available where set != .amx { #expect(set.bfloat16Kernels.count <= 1) }
        for set in InstructionSet.available where !set.bfloat16Kernels.isEmpty { #expect(set.peak(.bf16) > 0) }
    }

    @Test func `instruction sets without bfloat16 compute in float32 and report that`() throws {
        for set in InstructionSet.available where set.bfloat16Kernels.isEmpty {
            for given in [nil, "", "0", "1"] { #expect(try BFloat16Choice(set, given) == .missing) }
            #expect(try Program(model().graph, instructionSet: set, precision: .bf16).precision == .float32)
        }
        #expect(
            BFloat16Choice.missing.note
                == Note(
                    .precisionUnused,
                    "this machine has no instructions for bf16 (AVX512_BF16, or arm64's bf16): float32 is used"))
        #expect(BFloat16Choice.slower.note?.code == .precisionUnused)
    }

    @Test(arguments: InstructionSet.available) func `the environment replaces the probe`(_ set: InstructionSet) throws {
        let hasKernels = !set.bfloat16Kernels.isEmpty
        #expect(try BFloat16Choice(set, "1") == (hasKernels ? .faster : .missing))
        #expect(try BFloat16Choice(set, "0") == (hasKernels ? .slower : .missing))
        // Those with tiles, if the machine has them and the set includes them.
        #expect(try BFloat16Choice.kernels(set, "1") == set.bfloat16Kernels.last)
        #expect(try BFloat16Choice.kernels(set, "0") == nil)
        for value in ["2", "yes"] {
            #expect(throws: Failure.unknownBFloat16(value)) { try BFloat16Choice(set, value) }
        }
    }

    @Test(arguments: InstructionSet.allCases)
    func `sets without 8-bit integer products report that`(_ set: InstructionSet) {
        let hasProducts = ![.baseline, .avx2, .avx512].contains(set)
        #expect(Precision.int8.note(on: set) == (hasProducts ? nil : .withoutByteProducts()))
        for precision in [Precision.float32, .auto] { #expect(precision.note(on: set) == nil) }
    }
}
