import Testing

@testable import Thaw

struct InstructionSetTests {
    @Test func `the best instruction set is chosen by default`() throws {
        #expect(try InstructionSet.chosen(nil) == InstructionSet.available.last)
        #expect(try InstructionSet.chosen("") == InstructionSet.available.last)
        for set in InstructionSet.available { #expect(try InstructionSet.chosen(set.rawValue) == set) }
    }

    @Test func `an unknown name, and one that the machine lacks, are refused`() {
        #expect(throws: Failure.unknownInstructionSet("sse9", known: InstructionSet.allCases.map(\.rawValue))) {
            try InstructionSet.chosen("sse9")
        }
        for set in InstructionSet.allCases where !set.isAvailable {
            #expect(throws: Failure.self) { try InstructionSet.chosen(set.rawValue) }
        }
    }
}
