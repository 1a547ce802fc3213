// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import Synchronization
import Testing

@Suite("Conversations with images")
struct ImageConversationTests {
    private let red = SeeingModel.image("red")
    private let blue = SeeingModel.image("blue")
    private let greedy = GenerationOptions(temperature: 0, repetitionPenalty: 1)

    /// The images that a model has run.
    private final class Seen: Sendable {
        private let images = Mutex<[Data]>([])

        func add(_ image: Data) { images.withLock { $0.append(image) } }

        /// The images since the last call.
        func take() -> [Data] {
            images.withLock { images in
                defer { images = [] }
                return images
            }
        }
    }

    private func conversation(
        _ seen: Seen, contextSize: Int = 8_192, policy: ContextPolicy = .error
    ) throws -> Conversation {
        let model = SeeingModel(
            base: try ScriptedRunners.model(saying: "I see.") { embedding in
                if let image = embedding.payload as? Data { seen.add(image) }
            })
        let conversation = try LocalModelRunner(model, contextSize: contextSize).createConversation()
        conversation.contextPolicy = policy
        return conversation
    }

    private func message(_ text: String, _ image: Data) -> ChatMessage {
        ChatMessage(role: .user, content: [.text(text), .image(image)])
    }

    @Test("each of two images is run once, in the turn that brings it; with one exchanged, it and what follows is run")
    func twoImages() async throws {
        let seen = Seen()
        let conversation = try conversation(seen)
        let first = message("What is this?", red)
        _ = try await conversation.reply(to: first, generationOptions: greedy).completion
        #expect(seen.take() == [red])
        let second = try await conversation.reply(to: message("And this?", blue), generationOptions: greedy).completion
        #expect(seen.take() == [blue])
        let stats = try #require(second.info.stats)
        #expect(stats.cachedPromptTokens > 10, "the first turn's text and image")
        #expect(second.info.prompt.droppedImages == 0)
        _ = try await conversation.reply(to: "Thank you.", generationOptions: greedy).completion
        #expect(seen.take() == [])
        var exchanged = first
        exchanged.content = [.text("What is this?"), .image(blue)]
        try conversation.replaceMessage(exchanged)
        _ = try await conversation.reply(to: "Once more.", generationOptions: greedy).completion
        #expect(seen.take() == [blue, blue])
    }

    @Test("turns with images are dropped whole when the context is full, and the images that stay are run again")
    func trimming() async throws {
        let seen = Seen()
        let whole = try conversation(seen)
        _ = try await whole.reply(to: message("What is this?", red), generationOptions: greedy).completion
        let turn = try await whole.reply(to: message("And this?", blue), generationOptions: greedy).completion
        let size = try #require(turn.info.stats).promptTokens
        _ = seen.take()
        // Room for the second turn, but not for both; an image has ten positions.
        var options = greedy
        options.maxTokens = 10
        let conversation = try conversation(seen, contextSize: size + 9, policy: .dropOldestTurns)
        _ = try await conversation.reply(to: message("What is this?", red), generationOptions: options).completion
        #expect(seen.take() == [red])
        let last = try await conversation.reply(to: message("And this?", blue), generationOptions: options).completion
        #expect(seen.take() == [blue])
        #expect(last.info.prompt.droppedTurns == 1)
        #expect(last.info.prompt.droppedImages == 0)
        #expect(try #require(last.info.stats).promptTokens < size - 10)
        #expect(last.message.text == "I see.")
    }

    @Test("a model that takes no embeddings, but says that it sees, fails with a reason")
    func refusal() async throws {
        let model = SeeingModel(base: try ScriptedRunners.model(saying: "never"), timelines: BlindTimeline.init)
        let conversation = try LocalModelRunner(model, contextSize: 1_024).createConversation()
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: message("What is this?", red), generationOptions: greedy).completion
        }
        #expect(error?.code == .generationFailed)
        #expect(error?.message.contains("only text") == true)
    }

    /// Takes only tokens.
    private final class BlindTimeline: TokenTimeline {
        private let base: any TokenTimeline

        init(_ base: any TokenTimeline) {
            self.base = base
        }

        var capacity: Int { base.capacity }
        var contents: ModelInput { base.contents }
        var rewindsExactly: Bool { true }
        func rewind(to position: Int) -> Int { base.rewind(to: position) }
        func step(_ step: TimelineStep, into output: LogitRows) async throws { try await base.step(step, into: output) }
    }
}
