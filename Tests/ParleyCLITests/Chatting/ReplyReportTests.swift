// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyConversation
import Testing

@Suite("ReplyReport")
struct ReplyReportTests {
    @Test("the line fits sixty columns and tells tokens, time and speed")
    func line() {
        let statistics = GenerationStats(
            promptTokens: 1_234, cachedPromptTokens: 1_200, completionTokens: 101, tokensPerSecond: 50,
            timeToFirstToken: .milliseconds(250))
        let line = ReplyReport.line(statistics)
        #expect(line == "1234 (1200 cached) + 101 tokens · first 0.25 s · 50.0 tokens/s")
        #expect(line.count <= 62)
    }

    @Test("a reply too short for a speed has none")
    func shortReply() {
        let statistics = GenerationStats(promptTokens: 3, completionTokens: 0)
        #expect(ReplyReport.line(statistics) == "3 + 0 tokens · first 0.00 s")
    }
}
