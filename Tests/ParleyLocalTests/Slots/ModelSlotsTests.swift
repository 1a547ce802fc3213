// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("Slots by role")
struct ModelSlotsTests {
    /// What happened, in order.
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let gibibyte = 1 << 30

    /// Slots that load tiny models of the native engine.
    private func slots(memory: Int, journal: Journal = Journal()) -> ModelSlots {
        ModelSlots(memory: memory) { name, role, _, _ in
            journal.note("\(name) as \(role.rawValue)")
            guard name != "broken" else { throw RuntimeError(.unsupported, "broken") }
            let url = URL.temporary(".gguf")
            try TinyModel().write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let model = try await NativeModel.load(url, configuration: .init(context: 512, threads: 1))
            return try LocalModelRunner(model, id: name, contextSize: 512)
        }
    }

    private func replies(_ runner: LocalModelRunner) async throws -> Bool {
        let options = GenerationOptions(temperature: 0, maxTokens: 4)
        let completion = try await runner.createConversation().reply(to: "Hello", generationOptions: options).completion
        return completion.stats != nil
    }

    @Test("Roles are loaded, swapped and unloaded without touching each other")
    func independent() async throws {
        let slots = slots(memory: 8 * gibibyte)
        let text = try await slots.load("a", for: .text)
        let vision = try await slots.load("b", for: .vision)
        #expect(await slots.runner(for: .text) === text)
        #expect(await slots.runner(for: .vision) === vision)
        let swapped = try await slots.load("c", for: .text)
        #expect(await slots.runner(for: .text) === swapped)
        #expect(try await replies(vision))
        await #expect(throws: ConversationError.self) { _ = try await replies(text) }
        await slots.unload(.vision)
        #expect(await slots.runner(for: .vision) == nil)
        #expect(try await replies(swapped))
        await slots.unloadAll()
        #expect(await slots.runner(for: .text) == nil)
    }

    @Test("With less than 6 GiB a model for images replaces the one for text, but not the other way round")
    func lowMemory() async throws {
        let slots = slots(memory: 6 * gibibyte - 1)
        let text = try await slots.load("a", for: .text)
        let vision = try await slots.load("b", for: .vision)
        #expect(await slots.runner(for: .text) == nil)
        await #expect(throws: ConversationError.self) { _ = try await replies(text) }
        try await slots.load("c", for: .text)
        #expect(try await replies(vision))
    }

    @Test("With 6 GiB both are kept")
    func enoughMemory() async throws {
        let slots = slots(memory: 6 * gibibyte)
        let text = try await slots.load("a", for: .text)
        try await slots.load("b", for: .vision)
        #expect(try await replies(text))
    }

    @Test("A load that fails leaves its slot empty and the other alone")
    func failure() async throws {
        let slots = slots(memory: 8 * gibibyte)
        let vision = try await slots.load("b", for: .vision)
        try await slots.load("a", for: .text)
        await #expect(throws: RuntimeError.self) { try await slots.load("broken", for: .text) }
        #expect(await slots.runner(for: .text) == nil)
        #expect(try await replies(vision))
    }

    @Test("The latest of several loads for a role wins, and the others are freed")
    func latestWins() async throws {
        let slots = slots(memory: 8 * gibibyte)
        let tasks = (0..<6).map { number in Task { try await slots.load("\(number)", for: .text) } }
        var loaded: [LocalModelRunner] = []
        for task in tasks { if let runner = try? await task.value { loaded.append(runner) } }
        let current = try #require(await slots.runner(for: .text))
        #expect(try await replies(current))
        for runner in loaded where runner !== current {
            await #expect(throws: ConversationError.self) { _ = try await replies(runner) }
        }
    }

    @Test("A text model without image support is not used for images")
    func blindText() async throws {
        let slots = slots(memory: 8 * gibibyte)
        try await slots.load("a", for: .text)
        #expect(await slots.runner(for: .vision) == nil)
    }
}
