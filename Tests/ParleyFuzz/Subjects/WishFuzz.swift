// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleyRuntime
import ParleyServer
import ParleyTesting
import ParleyWeb

/// Wishes of the page, damaged and in any order. Each is fulfilled or refused with a reason, and what the page is told
/// afterwards is whole.
struct WishFuzz: FuzzSubject {
    static let name = "wish"

    private static let seeds = [
        #"{"id":"ID","type":"newChat"}"#, #"{"id":"ID","type":"send","chat":"CHAT","text":"Hi","attachments":[]}"#,
        #"{"id":"ID","type":"stop","chat":"CHAT"}"#, #"{"id":"ID","type":"queue","chat":"CHAT","text":"More"}"#,
        #"{"id":"ID","type":"recall","chat":"CHAT"}"#, #"{"id":"ID","type":"rename","chat":"CHAT","title":"T"}"#,
        #"{"id":"ID","type":"regenerate","chat":"CHAT","message":"MESSAGE","model":null}"#,
        #"{"id":"ID","type":"edit","chat":"CHAT","message":"MESSAGE","text":"Else"}"#,
        #"{"id":"ID","type":"replay","chat":"CHAT","message":"MESSAGE","on":true}"#,
        #"{"id":"ID","type":"delete","chat":"CHAT","message":"MESSAGE"}"#,
        #"{"id":"ID","type":"restore","chat":"CHAT","message":"MESSAGE"}"#,
        #"{"id":"ID","type":"deletedMessages","chat":"CHAT"}"#, #"{"id":"ID","type":"deletedChats"}"#,
        #"{"id":"ID","type":"findInChat","chat":"CHAT","query":"i"}"#, #"{"id":"ID","type":"search","query":"hi"}"#,
        #"{"id":"ID","type":"set","name":"answer_tokens","value":77}"#,
        #"{"id":"ID","type":"set","name":"policies","value":[{"tag":"calendar","effects":{"create":"deny"}}]}"#,
        #"{"id":"ID","type":"card","chat":"CHAT","card":"x#0","event":"confirm","value":null}"#,
        #"{"id":"ID","type":"detach","chat":"CHAT","attachment":"CHAT-0123456789abcdef"}"#,
        #"{"id":"ID","type":"benchmark","models":["scripted"],"prompt_tokens":[8],"on":false}"#,
        #"{"id":"ID","type":"newKey","name":"phone","scopes":["data"]}"#,
        #"{"id":"ID","type":"deleteKey","name":"phone","even_if_used":false}"#,
        #"{"id":"ID","type":"pin","chat":"CHAT","is_pinned":true}"#, #"{"id":"ID","type":"watchMetrics","on":true}"#,
    ]
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "-1", "1e999", "9223372036854775808", "\"type\"",
        "\"chat\"", "\"id\"", "\u{0}", "\\ud800", "../../settings.json", "[[[[[[[[[[[[[[[[[[[[", "\"value\":", "é",
    ].map { Array($0.utf8) }

    /// The page, which all cases share.
    private struct Bench: Sendable {
        let page: WebPage
        let key = AccessKey.make(name: "own", scopes: Set(KeyScope.allCases)).key

        init() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "parley-fuzz-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var model = ServedModel(id: "scripted", created: 1)
            model.capabilities = .chat
            let loaded = LoadedRunner(model, runner: ScriptedRunner(replies: ["Hello *there*."]))
            let pool = ModelPool([model], pinned: ["scripted"], preferred: "scripted", library: nil) { _, _ in loaded }
            var configuration = ServerConfiguration(version: "0")
            configuration.keyFile = folder.appending(path: "keys.json")
            let server = APIServer(configuration, models: pool)
            let context: @Sendable () -> DateContext = {
                DateContext(
                    now: Date(timeIntervalSince1970: 1_800_000_000), timeZone: .gmt, locale: Locale(identifier: "en"))
            }
            let settings = try SettingsBoard(in: folder)
            let log = try ActionLog(at: folder.appending(path: "actions.jsonl"))
            let actions = await ActionRunner(stores: AssistantStores(), log: log, context: context)
            let dependencies = ChatDependencies(
                models: server.admitted.chatModels, actions: actions,
                systemPrompt: AssistantPrompt(tags: [], context: context), settings: { settings.chat }, context: context
            )
            page = await WebPage(
                server.admitted, history: ChatStore(directory: folder.appending(path: "sessions")), settings: settings,
                keys: server.keys, attachments: AttachmentStore(folder.appending(path: "attachments")), files: .builtIn,
                version: "0", dependencies: dependencies)
        }

        func ask(_ kind: PageRequest.Kind, _ path: String, _ bytes: [UInt8] = []) async throws -> JSONValue {
            let answer = try await page.answer(PageRequest(kind: kind, path: path, key: key, body: { bytes }))
            guard case .bytes(let bytes, _, _) = answer else { throw FuzzFailure("\(path) is answered otherwise.") }
            return try JSONValue(parsing: Data(bytes))
        }
    }

    private let bench = Task { try await Bench() }

    func run(_ random: inout SplitMix64) async throws {
        let bench = try await bench.value
        for _ in 0..<random.int(1...3) {
            let state = try await bench.ask(.read, "state")
            let chat = state["chat"]?["id"]?.string ?? ""
            let messages = state["chat"]?["messages"]?.array ?? []
            let message = messages.isEmpty ? chat : random.pick(messages)["id"]?.string ?? ""
            let wish = random.pick(Self.seeds).replacing("\"ID\"", with: "\"\(random.next())\"")
                .replacing("CHAT", with: chat).replacing("MESSAGE", with: message)
            var bytes = Array(wish.utf8)
            if random.oneIn(2) { bytes = random.mutated(bytes, changes: 6, with: Self.pieces) }
            do {
                guard try await bench.ask(.write, "intents", bytes)["ok"] == true else {
                    throw FuzzFailure("\(String(decoding: bytes, as: UTF8.self)) is answered without ok.")
                }
            } catch let error as ServerError {
                guard (400..<600).contains(error.status), !error.error.message.isEmpty else {
                    throw FuzzFailure("\(String(decoding: bytes, as: UTF8.self)) is refused without a reason.")
                }
            }
        }
    }
}
