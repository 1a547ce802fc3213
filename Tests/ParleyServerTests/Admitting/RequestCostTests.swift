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
}
