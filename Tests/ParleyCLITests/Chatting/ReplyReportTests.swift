// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyConversation
import ParleyJSON
import Testing

@Suite("ReplyReport")
struct ReplyReportTests {
    @Test("the line has tokens, time and speed in at most sixty columns")
    func line() {
        let statistics = GenerationStats(
            promptTokens: 1_234, cachedPromptTokens: 1_200, completionTokens: 101, tokensPerSecond: 50,
            timeToFirstToken: .milliseconds(250))
        let line = ReplyReport.line(statistics)
        #expect(line == "1234 (1200 cached) + 101 tokens · first 0.25 s · 50.0 tokens/s")
        #expect(line.count <= 62)
    }

    @Test(
        "reasons have names in snake case in JSON, and what cut a reply off is told with what helps there",
        arguments: [
            (FinishReason.contextFull, "context_full"), (.functionCall, "function_call"), (.stop, "stop"),
            (.length, "length"),
        ])
    func reasons(reason: FinishReason, name: String) {
        let reply = MessageCompletion(message: .assistant("Hi"), info: GenerationInfo(finishReason: reason))
        #expect(ReplyReport.json(model: "m", reply: reply)["finish_reason"]?.string == name)
        #expect(ReplyReport.remark(.contextFull)?.contains("/clear") == false)
        #expect(ReplyReport.remark(.contextFull, inChat: true)?.contains("/clear") == true)
    }

    @Test("of a reply without counts it is said that there are none, and not that there was no reply")
    func details() {
        var reply = MessageCompletion(message: .assistant("Hi"), info: GenerationInfo(finishReason: .stop))
        #expect(ReplyReport.details(of: nil) == "There has been no reply yet.")
        #expect(ReplyReport.details(of: reply) == "The server has told no token counts for the last reply.")
        reply.info.stats = GenerationStats(promptTokens: 9, cachedPromptTokens: 4, completionTokens: 3)
        #expect(ReplyReport.details(of: reply).contains("9 tokens, 4 of them cached"))
        reply.info.stats = GenerationStats(promptTokens: 1, completionTokens: 1)
        let details = ReplyReport.details(of: reply)
        #expect(details.contains(" 1 token, 0 of them cached\n") && details.hasSuffix(" 1 token"), "\(details)")
    }

    @Test("of a reply that is no JSON it is said whether a stop string ended it, or a server may not know schemas")
    func incomplete() {
        var reply = MessageCompletion(message: .assistant("Sure!"), info: GenerationInfo(finishReason: .stop))
        #expect(IncompleteReply(reply)?.description.contains("was not held to it") == true)
        reply.info.stopString = "!"
        #expect(IncompleteReply(reply)?.description.hasSuffix("It contained a text given with --stop.") == true)
        reply.message = .assistant("{}")
        #expect(IncompleteReply(reply) == nil)
    }

    @Test(
        "what has a name in Swift has it in snake case in the JSON of commands",
        arguments: [("pendingCreation", "pending_creation"), ("audioDecoder", "audio_decoder"), ("model", "model")])
    func names(name: String, written: String) {
        #expect(JSONName.of(name) == written)
    }

    @Test("neither a speed nor a first token is told of a reply that was stopped before it")
    func shortReply() {
        let statistics = GenerationStats(promptTokens: 3, completionTokens: 0)
        #expect(ReplyReport.line(statistics) == "3 + 0 tokens")
        var reply = MessageCompletion(message: .assistant(""), info: GenerationInfo(finishReason: .cancelled))
        reply.info.stats = statistics
        let details = ReplyReport.details(of: reply)
        #expect(details == "prompt            3 tokens, 0 of them cached\nreply             0 tokens")
    }
}
