// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyRuntime
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Unloading")
struct UnloadingTests {
    /// A model whose engine frees only when it is told to.
    private struct SlowModel: TokenModel {
        /// An object that is released with the last reference to the model.
        final class Weights: Sendable {
            let lifetime: ModelLifetime

            init(_ lifetime: ModelLifetime) {
                self.lifetime = lifetime
            }

            deinit {
                lifetime.begin()
            }
        }

        let base: TemplatedModel
        let weights: Weights
        var info: ModelDescription { base.info }
        var tokenizer: Tokenizer { base.tokenizer }
        var lifetime: ModelLifetime? { weights.lifetime }

        func makeTimeline(capacity: Int) throws -> any TokenTimeline { try base.makeTimeline(capacity: capacity) }
    }

    /// What happened, in order.
    private final class Steps: Sendable {
        private let steps = Mutex<[String]>([])

        var all: [String] { steps.withLock { $0 } }

        func add(_ step: String) { steps.withLock { $0.append(step) } }
    }

    @Test("unloading returns when the engine has freed the model, and not before")
    func waits() async throws {
        let lifetime = ModelLifetime()
        let runner = try LocalModelRunner(
            SlowModel(base: ScriptedRunners.model(saying: "one"), weights: .init(lifetime)), contextSize: 256)
        let steps = Mutex<[String]>([])
        let unloading = Task {
            await runner.unload()
            steps.withLock { $0.append("unloaded") }
        }
        // The engine frees once the model is gone.
        while !lifetime.isEnding { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        steps.withLock { $0.append("freed") }
        lifetime.end()
        await unloading.value
        #expect(steps.withLock { $0 } == ["freed", "unloaded"])
    }

    @Test("a second caller of unload also waits for it, on a runner and on a slot", arguments: [true, false])
    func waitsTwice(isSlot: Bool) async throws {
        let lifetime = ModelLifetime()
        let runner = try LocalModelRunner(
            SlowModel(base: ScriptedRunners.model(saying: "one"), weights: .init(lifetime)), contextSize: 256)
        let slots = ModelSlots { _, _, _, _ in runner }
        if isSlot { try await slots.load("one", for: .text) }
        let steps = Steps()
        let unloading = (0..<2).map { _ in
            Task {
                if isSlot { await slots.unload(.text) } else { await runner.unload() }
                steps.add("unloaded")
            }
        }
        while !lifetime.isEnding { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        steps.add("freed")
        lifetime.end()
        for task in unloading { await task.value }
        #expect(steps.all == ["freed", "unloaded", "unloaded"])
    }

    @Test("unloading does not wait for a model that the app holds")
    func doesNotWaitForHeldModels() async throws {
        let model = SlowModel(base: try ScriptedRunners.model(saying: "one"), weights: .init(ModelLifetime()))
        let runner = try LocalModelRunner(model, contextSize: 256)
        await runner.unload()
        #expect(throws: Never.self) { try model.makeTimeline(capacity: 8) }
    }

    @Test("when unloading returns, nothing of the model is in memory, also after replies and with several threads")
    func freesEverything() async {
        await #expect(processExitsWith: .success) {
            let url = URL.temporary(".gguf")
            try TinyModel().write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let before = AlignedBuffer.liveByteCount
            for threads in [1, 2, 3, 4, 1, 2, 3, 4] {
                let runner = try await LocalModelRunner.load(
                    url.path, store: ModelStore(directory: url.appendingPathExtension("store")),
                    configuration: .init(contextSize: 128, threads: threads, timelines: 2))
                let conversations = (0..<3).map { _ in runner.createConversation() }
                for conversation in conversations {
                    _ = try await conversation.reply(
                        to: "hello", generationOptions: GenerationOptions(seed: 1, maxTokens: 3)
                    ).completion
                }
                #expect(AlignedBuffer.liveByteCount > before)
                let generating = Task {
                    try await conversations[0].reply(to: "more", generationOptions: GenerationOptions(maxTokens: 60))
                        .completion
                }
                await runner.unload()
                #expect(AlignedBuffer.liveByteCount == before, "\(threads) threads")
                _ = try? await generating.value
            }
        }
    }
}
