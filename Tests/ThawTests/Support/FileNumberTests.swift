import Testing

@testable import Thaw

@Suite struct FileNumberTests {
    @Test func `arithmetic that overflows throws`() throws {
        let largest = FileNumber(Int.max)
        #expect(throws: Failure.numberTooLarge()) { try largest + 1 }
        #expect(throws: Failure.numberTooLarge()) { try FileNumber(Int.min) - 1 }
        #expect(throws: Failure.numberTooLarge()) { try FileNumber(1 << 32) * FileNumber(1 << 31) }
        #expect(try FileNumber(6) * 7 + 1 - 3 == 40)
        #expect(FileNumber(UInt64.max) == largest)
    }

    @Test func `a number becomes an integer only within bounds`() {
        #expect(
            FileNumber(7).within(0...7) == 7 && FileNumber(7).within(0..<7) == nil
                && FileNumber(-1).within(0...7) == nil)
        #expect(FileNumber(Int.max).attribute == 1 << 31 && FileNumber(Int.min).attribute == -1 << 31)
        #expect(FileNumber(-5).clamped(to: 0...3) == 0)
    }

    @Test(
        arguments: [("0", 0), ("0012", 12), ("99999999999999999999999", Int.max), ("", nil), ("1a", nil), ("-1", nil)]
            as [(String, Int?)])
    func `digits form a number`(_ text: String, _ value: Int?) {
        #expect(FileNumber(digits: Array(text.utf8)) == value.map { FileNumber($0) })
    }

    @Test func `numbers are read only within the bytes, in both orders`() throws {
        try [UInt8](arrayLiteral: 1, 2, 3, 4).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> Void in
            #expect(try bytes.number(UInt16.self, at: 1) == 0x0302)
            #expect(try bytes.number(UInt16.self, at: 2, .big) == 0x0304)
            for offset in [3, 4, -1, Int.max, Int.min] {
                #expect(throws: Failure.numberOutside()) { try bytes.number(UInt16.self, at: offset) }
            }
            #expect(throws: Failure.numberOutside()) { try bytes.number(UInt64.self, at: 0) }
        }
    }
}
