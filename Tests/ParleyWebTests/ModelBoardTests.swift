// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModels
import ParleyServer
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

/// A library of one model, which comes when its gate opens.
struct OneModel: ModelLibrary {
    let gate = Gate()

    func catalog() async -> [FetchableModel] {
        var model = FetchableModel(
            name: "scripted", title: "Scripted", size: ByteSize(exactly: 5), memory: ByteSize(clamping: 7),
            capabilities: .chat, isInstalled: false)
        (model.license, model.largestContext) = ("MIT", 4_096)
        return [model]
    }

    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel {
        report(.received(bytes: 2, of: 5))
        try await gate.wait()
        var model = ServedModel(id: "scripted", created: 1)
        (model.title, model.license, model.capabilities) = ("Scripted", "MIT", .chat)
        (model.memory, model.largestContext) = (ByteSize(clamping: 7), 4_096)
        return model
    }

    func remove(_ id: String) async throws {}
}

/// A library that does something when its catalog is asked for.
final class BusyLibrary: ModelLibrary {
    let act = Mutex<(@Sendable () async throws -> Void)?>(nil)  // once

    func catalog() async -> [FetchableModel] {
        let act = act.withLock { $0.take() }
        try? await act?()
        return []
    }

    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel { throw CancellationError() }

    func remove(_ id: String) async throws {}
}

@Suite("The models of the web chat", .timeLimit(.minutes(15)))
struct ModelBoardTests {
    @Test("The first run: nothing is here, a model is fetched, paused, fetched on, and the open chat has it.")
    func firstRun() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.url
        let library = OneModel()
        let trial = try await PageTrial(ScriptedRunner(replies: ["Hi!"]), folder: folder, library: library)
        let chat = try await trial.wish("newChat")["chat"]?.string ?? ""
        let state = try await trial.read("state", ["chat": chat])
        let before = state["models"]
        #expect(state["notices"] == [], "a first start is no failure")
        #expect(before?["installed"] == [] && before?["default"] == .null)
        #expect(before?["catalog"]?[0]?["licence"] == "MIT")
        #expect(before?["catalog"]?[0]?["largest_context"] == 4_096)
        let events = try await trial.events(chat, since: try await trial.place(chat))
        let job = try #require(try await trial.wish("fetchModel", ["model": "scripted"])["job"]?["id"])
        await library.gate.arrival()
        try await trial.wish("pauseFetch", ["job": job])
        let told = try await events.until { $0.type == "fetch.progress" && $0.data["job"]?["status"] == "paused" }
        #expect(told.last?.data["job"]?["received"] == 2)
        library.gate.open()
        #expect(try await trial.wish("fetchModel", ["model": "scripted"])["job"]?["id"] == job)
        // The chat that was open all the time gets its model by itself.
        _ = try await events.until {
            $0.type == "chat.updated" && $0.data["status"]?["is_model_loaded"] == true
        }
        let models = try await trial.read("state", ["chat": chat])["models"]
        #expect(models?["default"] == "scripted")
        #expect(models?["jobs"]?[0]?["status"] == "done")
        try await trial.wish("send", ["chat": .string(chat), "text": "Hello"])
    }

    @Test("What happens while a state is put together is in it, or among the events after it.")
    func nothingIsLost() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.url
        let library = BusyLibrary()
        let trial = try await PageTrial(ScriptedRunner(replies: []), folder: folder, library: library)
        let chat = try await trial.wish("newChat")["chat"]?.string ?? ""
        let renamed: @Sendable (String) async throws -> Void = { title in
            let events = try await trial.events(chat)
            try await trial.wish("rename", ["chat": .string(chat), "title": .string(title)])
            _ = try await events.until { $0.type == "chats.changed" && $0.data["chats"]?[0]?["title"]?.string == title }
        }
        try await renamed("Before")
        library.act.withLock { $0 = { try await renamed("Meanwhile") } }
        let state = try await trial.read("state", ["chat": chat])
        #expect(library.act.withLock { $0 == nil }, "the catalog was asked for")
        if state["chats"]?[0]?["title"] == "Meanwhile" { return }
        let events = try await trial.events(
            chat, since: "\(state["epoch"]?.string ?? "").\(state["revision"]?.integer ?? -1)")
        _ = try await events.until { $0.type == "chats.changed" && $0.data["chats"]?[0]?["title"] == "Meanwhile" }
    }
}
