// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyServer
import Testing

@Suite("What requests cost in the queue")
struct RequestCostTests {
    @Test("A prompt counts by its length, as text or tokens, and a reply by its limit.")
    func costs() {
        #expect(RequestCost.reading([.system("four"), .user(String(repeating: "a", count: 396))]) == 100)
        #expect(RequestCost.reading([ChatMessage]()) == 0 && RequestCost.reading([1, 2, 3] as [Int32]) == 3)
        #expect(RequestCost.writing(GenerationOptions(maxTokens: 7)) == 7)
        #expect(RequestCost.writing(GenerationOptions(maxTokens: 7), replies: 3) == 21)
        #expect(RequestCost.writing(GenerationOptions(), replies: 2) == 2_048)
        #expect(RequestCost.writing(GenerationOptions(maxTokens: .max)) == 1 << 20)
    }

    @Test("A sound counts by how long it is, in whatever form, and by its bytes where nothing says so.")
    func hearing() {
        #expect(RequestCost.hearing(bytes: 32_000_000, duration: .seconds(1_000)) == 4_004)
        #expect(RequestCost.hearing(bytes: 1_000_000, duration: .seconds(1_000)) == 4_004)
        #expect(RequestCost.hearing(bytes: 160_000) == 44 && RequestCost.hearing(bytes: 0) == 4)
        #expect(RequestCost.hearing(bytes: 1, duration: .seconds(Int64.max)) == 4 * (1 << 20 + 1))
    }
}
