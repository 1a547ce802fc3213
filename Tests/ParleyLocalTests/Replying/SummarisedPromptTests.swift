// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Summaries in the place of old turns")
struct SummarisedPromptTests {
    /// Records the prompts of a model.
    private final class Log: Sendable {
        struct Entries {
            var summaries = 0
            var prompt = ""
            /// Whose the steps were.
            var clients: Set<Int> = []
        }
        let entries = Mutex(Entries())
    }

    private let options = GenerationOptions(temperature: 0, repetitionPenalty: 1, maxTokens: 8)

    /// A runner over a model whose summaries differ from its replies.
    private func runner(
        summary: String, _ log: Log = Log(), onSummary: @escaping @Sendable () -> Void = {}
    ) throws -> LocalModelRunner {
        let tokenizer = try ScriptedRunners.tokenizer()
        let start = try #require(tokenizer.id(ofSpelling: "<|im_start|>"))
        let end = tokenizer.endOfGeneration.min() ?? 0
        func said(_ text: String) -> [TokenID] {
            tokenizer.encode([TextSegment(ScriptedRunners.head + text, origin: .template)])
        }
        let texts = (summary: said(summary), reply: said("yes"))
        let head = said("").count
        let base = ScriptedModel(
            tokenizer: tokenizer, beforeStep: { step in log.entries.withLock { _ = $0.clients.insert(step.client) } }
        ) { tokens in
            let count = tokens.count - 1 - (tokens.lastIndex { $0 == start } ?? 0)
            let prompt = tokenizer.decode(tokens)
            let isSummary = prompt.contains("Summarise the conversation below")
            if count == head {
                log.entries.withLock { entries in
                    if isSummary { entries.summaries += 1 } else { entries.prompt = prompt }
                }
                if isSummary { onSummary() }
            }
            let text = isSummary ? texts.summary : texts.reply
            return text.indices.contains(count) ? text[count] : end
        }
        var info = base.info
        info.chatTemplate = TinyTokenizer.chatTemplate
        return try LocalModelRunner(TemplatedModel(info: info, base: base), contextSize: 2_000)
    }

    /// A conversation that has outgrown its context.
    private func conversation(_ runner: LocalModelRunner) -> Conversation {
        var history = [ChatMessage.system("Be brief.")]
        for number in 0..<20 {
            history += [.user("question \(number) " + String(repeating: "word ", count: 40)), .assistant("yes")]
        }
        let conversation = runner.createConversationFromHistory(history)
        conversation.contextPolicy = .summarise
        return conversation
    }

    @Test("Old turns are replaced by the model's summary, and the history keeps everything")
    func summarises() async throws {
        let log = Log()
        let conversation = conversation(try runner(summary: "They counted.", log))
        let before = conversation.history
        let completion = try await conversation.reply(to: "last", generationOptions: options).completion
        let report = completion.info.prompt
        #expect(report.summarisedTurns > 5 && report.droppedTurns == 0)
        #expect(completion.message.text == "yes")
        #expect(Array(conversation.history.prefix(before.count)) == before)
        let prompt = log.entries.withLock { $0.prompt }
        #expect(prompt.contains("Be brief.") && prompt.contains("last"))
        #expect(
            prompt.contains(
                "[A summary of the \(report.summarisedTurns) oldest turns of this conversation, which are left out "
                    + "here:]\nThey counted."))
        #expect(!prompt.contains("question 0 "))
        #expect(log.entries.withLock { $0.clients.count } == 1, "engines divide their time over clients")
    }

    @Test("A summary is reused in later turns, and extended when more turns have to be summarised")
    func keepsSummary() async throws {
        let log = Log()
        let conversation = conversation(try runner(summary: "They counted.", log))
        var written: [Int] = []
        for number in 0..<30 {
            let completion = try await conversation.reply(
                to: "more \(number) " + String(repeating: "word ", count: 40), generationOptions: options
            ).completion
            #expect(completion.info.prompt.summarisedTurns > 0)
            written.append(log.entries.withLock { $0.summaries })
        }
        #expect(written[0] >= 1 && written[1] == written[0], "\(written)")
        #expect(written[29] > written[0] && written[29] <= written[0] + 10, "\(written)")
    }

    @Test("An edited history gets a summary of its own")
    func editedHistory() async throws {
        let log = Log()
        let runner = try runner(summary: "They counted.", log)
        let conversation = conversation(runner)
        _ = try await conversation.reply(to: "last", generationOptions: options).completion
        let written = log.entries.withLock { $0.summaries }
        while try conversation.removeLastMessage() != nil {}
        for message in self.conversation(runner).history.reversed() { conversation.appendToHistory(message) }
        _ = try await conversation.reply(to: "last", generationOptions: options).completion
        #expect(log.entries.withLock { $0.summaries } > written)
    }

    @Test("If writing a summary fails, turns are left out, and the report says so")
    func fallsBack() async throws {
        let completion = try await conversation(runner(summary: "")).reply(to: "last", generationOptions: options)
            .completion
        #expect(completion.info.prompt.summarisedTurns == 0)
        #expect(completion.info.prompt.droppedTurns > 0)
    }

    @Test("Stopping ends the writing of a summary, and the message is kept")
    func stopped() async throws {
        let runner = try runner(summary: "They counted.") {
            withUnsafeCurrentTask { task in if let task { task.cancel() } }
        }
        let conversation = conversation(runner)
        let completion = try await conversation.reply(to: "last", generationOptions: options).completion
        #expect(completion.finishReason == .cancelled)
        #expect(conversation.history.last == .user("last"))
    }

    @Test("The number of cached summaries is limited to the most recently used conversations")
    func keepsFew() async throws {
        let log = Log()
        let runner = try runner(summary: "They counted.", log)
        let conversations = (0..<40).map { _ in conversation(runner) }
        for conversation in conversations {
            _ = try await conversation.reply(to: "last", generationOptions: options).completion
        }
        #expect(runner.keptSummaries == 32)
        let written = log.entries.withLock { $0.summaries }
        _ = try await conversations[39].reply(to: "more", generationOptions: options).completion
        #expect(log.entries.withLock { $0.summaries } == written)
        _ = try await conversations[0].reply(to: "more", generationOptions: options).completion
        #expect(log.entries.withLock { $0.summaries } > written)
    }

    @Test("What fits needs no summary")
    func fits() async throws {
        let log = Log()
        let conversation = try runner(summary: "no", log).createConversation()
        conversation.contextPolicy = .summarise
        let completion = try await conversation.reply(to: "hello", generationOptions: options).completion
        #expect(completion.info.prompt.summarisedTurns == 0 && completion.info.prompt.droppedTurns == 0)
        #expect(log.entries.withLock { $0.summaries } == 0)
    }
}
