import Foundation
import Testing
import Thaw
import ThawFoundation

@Suite struct FailureDescriptionTests {
    @Test func `apps that show localizedDescription show the message`() {
        let error: any Error = #expect(throws: Failure.self) { try Classifier(contentsOfFile: "/no/such.mlmodel") }!
        #expect(error.localizedDescription == "\(error)")
    }
}
