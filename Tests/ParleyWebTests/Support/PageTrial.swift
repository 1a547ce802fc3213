// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyServer
import ParleyTestSupport
import ParleyTesting
import ParleyWeb

/// The web chat over a scripted model and a folder of its own, for the time of a test.
struct PageTrial: Sendable {
    let page: WebPage
    let runner: ScriptedRunner
    let folder: URL
    /// The key of the page, which may do everything.
    let key = AccessKey.make(name: "own", scopes: Set(KeyScope.allCases)).key

    /// Runs a test with a page.
    static func with(
        _ replies: [ScriptedReply], speech: ServedSpeech? = nil, _ body: @Sendable (PageTrial) async throws -> Void
    ) async throws {
        try await with(ScriptedRunner(replies: replies), speech: speech, body)
    }

    /// Runs a test with a page.
    static func with(
        _ runner: ScriptedRunner, speech: ServedSpeech? = nil, engines: [String] = [],
        clock: any Clock<Duration> = ContinuousClock(), _ body: @Sendable (PageTrial) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.url
        try await body(PageTrial(runner, folder: folder, speech: speech, engines: engines, clock: clock))
    }

    /// A page over what a folder has. With a library no model is there until it is fetched.
    ///
    /// - Parameters:
    ///   - runner: what is scripted.
    ///   - folder: the data.
    ///   - library: what models are fetched from.
    ///   - serving: what replies in the place of the scripted runner, if anything does.
    ///   - speech: what writes down speech, if anything does.
    ///   - engines: the engines, of which the first one runs the model; `missing` fails to, and `unfit` does not read it.
    ///   - clock: measures the time between samples and between pieces of a reply.
    /// - Throws: an error of the stores.
    init(
        _ runner: ScriptedRunner, folder: URL, library: (any ModelLibrary)? = nil, serving: (any ModelRunner)? = nil,
        speech: ServedSpeech? = nil, engines: [String] = [], clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        var model = ServedModel(id: "scripted", created: 1)
        (model.capabilities, model.digest) = ([.chat], "sha256:scripted")
        (model.engine, model.engines) = (engines.first, engines.filter { $0 != "unfit" })
        let loaded = LoadedRunner(model, runner: serving ?? runner)
        let isHere = library == nil
        let pool = ModelPool(
            isHere ? [model] : [], pinned: isHere ? ["scripted"] : [], preferred: "scripted", library: library,
            engineLoader: { _, engine in
                guard engine != "missing" else { throw ServerError(503, .modelFailed, "Its library is missing.") }
                var model = loaded.model
                model.engine = engine
                let reply = ScriptedReply(Array(repeating: "word", count: 80).joined(separator: " "))
                return LoadedRunner(model, runner: ScriptedRunner(replies: [reply]))
            }, loader: { _, _ in loaded })
        var configuration = ServerConfiguration(version: "0")
        configuration.keyFile = folder.appending(path: "keys.json")
        let server = APIServer(configuration, models: pool)
        let context: @Sendable () -> DateContext = {
            DateContext(
                now: Date(timeIntervalSince1970: 1_800_000_000), timeZone: .gmt, locale: Locale(identifier: "en"))
        }
        let settings = try SettingsBoard(in: folder)
        let log = try ActionLog(at: folder.appending(path: "\(UUID().uuidString).jsonl"))
        let actions = await ActionRunner(stores: AssistantStores(), log: log, context: context)
        var dependencies = ChatDependencies(
            models: server.admitted.chatModels, actions: actions,
            systemPrompt: AssistantPrompt(tags: [], context: context), settings: { settings.chat },
            // No reply is late and no notice goes, however busy the machine is.
            clock: ManualClock(), context: context)
        dependencies.documents = AttachedDocuments(contextTokens: 8_192, readsWeb: false)
        page = await WebPage(
            server.admitted,
            history: ChatStore(directory: folder.appending(path: "sessions"), patience: .seconds(600)),
            settings: settings, keys: server.keys,
            attachments: AttachmentStore(folder.appending(path: "attachments")), speech: speech, files: .builtIn,
            version: "0", engines: engines.map { PageEngine($0) }, clock: clock,
            dependencies: dependencies)
        (self.runner, self.folder) = (runner, folder)
    }

    /// Asks for data.
    func read(_ path: String, _ query: [String: String] = [:]) async throws -> JSONValue {
        try await json(page.answer(PageRequest(kind: .read, path: path, query: query, key: key)))
    }

    /// Sends a wish.
    @discardableResult
    func wish(
        _ type: String, id: String = UUID().uuidString, _ members: JSONObject = [:], by key: AccessKey? = nil
    ) async throws -> JSONValue {
        var members = members
        (members["id"], members["type"]) = (.string(id), .string(type))
        let bytes = Array(JSONValue.object(members).text().utf8)
        return try await json(
            page.answer(PageRequest(kind: .write, path: "intents", key: key ?? self.key, body: { bytes })))
    }

    /// Uploads a file.
    func attach(_ bytes: [UInt8], _ name: String, _ chat: String) async throws -> JSONValue {
        try await json(
            page.answer(
                PageRequest(
                    kind: .fill, path: "attachments", query: ["chat": chat, "name": name], body: { bytes })))
    }

    /// Sends a recording to be written down.
    func transcribe(_ sound: [UInt8]) async throws -> JSONValue {
        try await json(page.answer(PageRequest(kind: .write, path: "transcribe", key: key, body: { sound })))
    }

    /// A new chat whose model is ready.
    func newChat() async throws -> String {
        let chat = try await wish("newChat")["chat"]?.string ?? ""
        while try await read("state", ["chat": chat])["chat"]?["status"]?["is_model_loaded"] != true {
            await Task.yield()
        }
        return chat
    }

    /// The events after a place, one after another.
    func events(_ chat: String, since place: String? = nil) async throws -> EventReader {
        var query = ["chat": chat]
        query["since"] = place
        guard case .events(let lines) = try await page.answer(PageRequest(kind: .read, path: "events", query: query))
        else { throw POSIXError(.EINVAL) }
        return EventReader(lines)
    }

    /// Waits until the last reply is whole and ends in a text: a short turn may begin and end between two events.
    func wait(for text: String, in chat: String) async throws {
        while true {
            let state = try await read("state", ["chat": chat])["chat"]
            let last = state?["messages"]?.array?.last
            let isOver = last?["is_streaming"] == false && state?["status"]?["is_generating"] == false
            if isOver, last?["text"]?.string?.hasSuffix(text) == true { return }
            await Task.yield()
        }
    }

    /// The place of the latest event.
    func place(_ chat: String) async throws -> String {
        let state = try await read("state", ["chat": chat])
        return "\(state["epoch"]?.string ?? "").\(state["revision"]?.integer ?? -1)"
    }

    private func json(_ answer: PageAnswer) throws -> JSONValue {
        guard case .bytes(let bytes, _, _) = answer else { throw POSIXError(.EINVAL) }
        return try JSONValue(parsing: Data(bytes))
    }
}

/// Reads events one after another.
final class EventReader {
    struct Event: Sendable {
        var id: String
        var type: String
        var data: JSONValue
    }

    private var lines: AsyncStream<String>.Iterator
    private var pending: [Event] = []

    init(_ lines: AsyncStream<String>) { self.lines = lines.makeAsyncIterator() }

    /// The next event.
    func next() async throws -> Event? {
        while pending.isEmpty {
            guard let text = await lines.next() else { return nil }
            for part in text.components(separatedBy: "\n\n") where !part.isEmpty {
                let fields = part.components(separatedBy: "\n").map { $0.drop { $0 != ":" }.dropFirst(2) }
                guard fields.count == 3 else { throw POSIXError(.EINVAL) }
                pending.append(
                    Event(
                        id: String(fields[0]), type: String(fields[1]),
                        data: try JSONValue(parsing: Data(fields[2].utf8))))
            }
        }
        return pending.removeFirst()
    }

    /// The events up to the first of which something holds.
    func until(_ isLast: (Event) -> Bool) async throws -> [Event] {
        var events: [Event] = []
        while let event = try await next() {
            events.append(event)
            if isLast(event) { break }
        }
        return events
    }

    /// The events up to the end of a turn whose chat has a title.
    func untilDone() async throws -> [Event] {
        try await until { event in
            event.type == "chat.updated" && event.data["status"]?["is_generating"] == false
                && event.data["title"] != ""
        }
    }
}
