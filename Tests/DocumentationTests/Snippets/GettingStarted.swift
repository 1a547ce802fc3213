// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Parley

/// The examples of GettingStarted.md and of the landing page, to be compiled.
enum GettingStarted {
    protocol Button {
        func onTap(_ action: @escaping @Sendable () -> Void)
    }

    @Sendable static func show(_ text: String) {}
    @Sendable static func showThought(_ text: String) {}

    static func landing() async throws {
        let runner = try await LocalModelRunner.load("smollm2-135m")
        let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
        for try await response in conversation.reply(to: "Write a haiku about the sea.") {
            if case .chunk(let text) = response { print(text, terminator: "") }
        }
    }

    static func program() async throws {
        let runner = try await LocalModelRunner.load("smollm2-135m")
        let conversation = runner.createConversation(systemPrompt: "Answer in one sentence.")
        let options = GenerationOptions(temperature: 0, maxTokens: 100)
        let question = "What is the capital of France?"
        for try await response in conversation.reply(to: question, generationOptions: options) {
            if case .chunk(let text) = response { print(text, terminator: "") }
        }
        print()
    }

    static func choosing() -> [String] {
        let store = ModelStore.standard()
        for entry in store.catalog.entries where entry.capabilities.contains(.functions) {
            let size = entry.byteCount?.description ?? "?"
            show("\(entry.name): \(entry.title), \(size), in memory about \(entry.minimumMemory)")
        }
        let installed = store.list().map(\.name)
        return installed
    }

    static func fetching(_ store: ModelStore) async throws {
        let model = try await store.install("qwen3-0.6b") { manifest in
            show("Fetching \(manifest.name)")
        } report: { event in
            if let fraction = event.fraction { show("\(Int(fraction * 100)) %") }
        }
        try await store.remove(model.name)
    }

    static func loading() async throws -> LocalModelRunner {
        let runner = try await LocalModelRunner.load("smollm2-135m") { progress in
            let part = progress.fraction.map { "\(Int($0 * 100)) %" } ?? "…"
            switch progress {
            case .missing, .chosen: break
            case .fetching: show("Fetching \(part)")
            case .loading: show("Loading \(part)")
            }
        }
        return runner
    }

    static func following(_ conversation: Conversation, question: String, options: GenerationOptions) async throws {
        for try await response in conversation.reply(to: question, generationOptions: options) {
            switch response {
            case .chunk(let text): show(text)
            case .reasoningChunk(let thought): showThought(thought)
            case .complete(let completion):
                if completion.finishReason == .length { show("…") }
                if let stats = completion.stats { show("\n\(stats.completionTokens) tokens") }
            default: break
            }
        }
    }

    static func waiting(_ conversation: Conversation, question: String) async throws {
        let options = GenerationOptions(temperature: 0, maxTokens: 60)
        let answer = try await conversation.reply(to: question, generationOptions: options).completion
        show(answer.message.text)
    }

    static func reasoning(_ conversation: Conversation, question: String) async throws {
        let options = GenerationOptions(maxReasoningTokens: 400, reasoning: .on)
        let answer = try await conversation.reply(to: question, generationOptions: options).completion
        show("\(answer.message.reasoningContent ?? "") → \(answer.message.text)")
    }

    static func stopping(_ conversation: Conversation, stopButton: some Button) async throws {
        let reply = conversation.reply(to: "Count to a thousand.")
        stopButton.onTap { reply.stop() }
        for try await response in reply {
            if case .chunk(let text) = response { show(text) }
        }
    }

    @MainActor
    @Observable
    final class ReplyModel {
        private(set) var text = ""
        private(set) var failure: String?
        private var task: Task<Void, Never>?
        private let conversation: Conversation

        init(_ conversation: Conversation) { self.conversation = conversation }

        var isReplying: Bool { task != nil }

        func send(_ question: String) {
            guard task == nil else { return }
            text = ""
            failure = nil
            task = Task {
                defer { task = nil }
                do {
                    for try await response in conversation.reply(to: question) {
                        if case .chunk(let piece) = response { text += piece }
                    }
                } catch {
                    failure = "\(error)"
                }
            }
        }

        func stop() { task?.cancel() }
    }

    static func keeping(_ conversation: Conversation, _ runner: LocalModelRunner, file: URL) throws -> Conversation {
        try JSONEncoder().encode(conversation.record).write(to: file)
        let record = try JSONDecoder().decode(ConversationRecord.self, from: Data(contentsOf: file))
        let resumed = Conversation(resuming: record, modelRunner: runner)
        return resumed
    }

    static func fitting(_ conversation: Conversation) {
        conversation.contextPolicy = .dropOldestTurns
    }

    static func failing(_ conversation: Conversation, question: String) async throws {
        do {
            show(try await conversation.reply(to: question).completion.message.text)
        } catch let error as ConversationError where error.code == .promptExceedsContext {
            show("That is too long: \(error.promptTokens ?? 0) tokens, and \(error.contextTokens ?? 0) fit.")
        }
    }
}
