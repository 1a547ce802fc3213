// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
package import ParleyActions
package import ParleyAssistant
import ParleyJSON
import ParleyOpenAI
package import ParleyServer

/// The web chat: the page, and what it asks of the server.
///
/// The page holds no truth: chats live here, and go on without it. It is told what they show, and sends wishes.
package final class WebPage: ServedPage {
    private let files: PageFiles
    private let history: ChatStore
    private let hub: EventHub
    private let chats: ChatDesk
    private let models: ModelBoard
    private let figures: FigureBoard
    private let settings: SettingsBoard
    private let keys: KeyDesk
    private let attachments: AttachmentDrawer
    private let speech: ServedSpeech?
    private let version: String
    private let engines: [PageEngine]
    private let wishes: Wishes
    private let list: WishList

    /// Creates the page of a server.
    ///
    /// - Parameters:
    ///   - admitted: the models.
    ///   - history: keeps the chats.
    ///   - settings: the settings.
    ///   - keys: the keys of the server; nil where the page may not know them.
    ///   - attachments: keeps what is uploaded.
    ///   - speech: writes down what is said; nil for none.
    ///   - files: the page's files, such as ``PageFiles/builtIn``.
    ///   - version: the version of the program.
    ///   - engines: the engines that run models.
    ///   - clock: measures the time between two pieces of a reply.
    ///   - dependencies: what a chat depends on; each has models of its own.
    @MainActor
    package init(
        _ admitted: AdmittedModels, history: ChatStore, settings: SettingsBoard,
        keys: KeyStore? = nil, attachments: AttachmentStore, speech: ServedSpeech? = nil,
        files: PageFiles, version: String, engines: [PageEngine] = [],
        clock: any Clock<Duration> = ContinuousClock(), dependencies: ChatDependencies
    ) {
        let hub = EventHub()
        (self.files, self.history, self.hub) = (files, history, hub)
        (self.settings, self.version, self.engines, self.speech) = (settings, version, engines, speech)
        models = ModelBoard(admitted, hub: hub)
        self.keys = KeyDesk(store: keys)
        let drawer = AttachmentDrawer(store: attachments, documents: dependencies.documents)
        self.attachments = drawer
        let usable = engines.filter { $0.problem == nil }.map(\.name)
        figures = FigureBoard(admitted, hub: hub, engines: usable, clock: clock)
        chats = ChatDesk(admitted, history: history, hub: hub, clock: clock) { _ in
            var own = dependencies
            (own.models, own.history) = (admitted.chatModels, history)
            return own
        }
        wishes = Wishes(
            chats: chats, models: models, figures: figures, settings: settings, keys: self.keys,
            attachments: drawer,
            actions: dependencies.actions, hub: hub, version: version)
        list = WishList()
        models.watch { [chats] in chats.loadModels() }
    }

    package func answer(_ request: PageRequest) async throws -> PageAnswer {
        do {
            return try await answerPlainly(request)
        } catch let error as AssistantError {
            throw Self.answer(to: error)
        }
    }

    /// What a page is answered that met an error of the assistant or of a store.
    static func answer(to error: AssistantError) -> ServerError {
        switch error.code {
        case .itemNotFound: ServerError(404, .notFound, error.message, cause: error)
        case .tooLarge: ServerError(413, .tooLarge, error.message, cause: error)
        case .storeUnavailable: ServerError(503, .storeUnavailable, error.message, cause: error)
        case .refused: ServerError(403, .refused, error.message, cause: error)
        default: ServerError(400, .invalidValue, error.message, cause: error)
        }
    }

    private func answerPlainly(_ request: PageRequest) async throws -> PageAnswer {
        switch request.kind {
        case .file: return try files.answer(request)
        case .read: return try await read(request)
        case .write: return try await write(request)
        case .fill: return try await fill(request)
        }
    }

    @MainActor
    private func read(_ request: PageRequest) async throws -> PageAnswer {
        let id = try Self.chat(of: request)
        if let name = request.path.wholeMatch(of: /attachments\/([^\/]+)/)?.1 {
            return try await attachments.answer(String(name), history)
        }
        switch request.path {
        case "state":
            let chat = try await chats.chat(id)
            // Other programs write to the same folder.
            await chat.model.catchUp()
            return try await .json(state(of: chat, for: request.key))
        case "messages":
            guard let message = request.query["before"].flatMap(UUID.init(uuidString:)),
                let messages = try await chats.chat(id).messages(before: message)
            else { throw ServerError(404, .notFound, "There is no such message.", param: "before") }
            return .json(messages)
        case "events":
            // Who names no place begins here.
            let place = try request.query["since"].map { text in
                guard let place = EventHub.Place(text) else {
                    throw ServerError(400, .invalidValue, "since is the id of an event.", param: "since")
                }
                return place
            }
            return .events(hub.events(since: place, chat: id))
        case "export" where request.query["all"] != nil:
            return .download(try await chats.exportAll(), as: "parley-chats.json")
        case "export":
            guard let id, let format = Chat.ExportFormat(rawValue: request.query["format"] ?? "md") else {
                throw ServerError(400, .invalidValue, "format is md, json or txt.", param: "format")
            }
            let text = try await chats.export(id, as: format)
            return .download(Data(text.utf8), as: "chat.\(format.rawValue)")
        default: throw ServerError(404, .notFound, "There is no such path here.")
        }
    }

    private static func chat(of request: PageRequest) throws(ServerError) -> UUID? {
        guard let text = request.query["chat"] else { return nil }
        guard let id = UUID(uuidString: text) else {
            throw ServerError(400, .invalidValue, "A chat is named by its id.", param: "chat")
        }
        return id
    }

    @MainActor
    private func fill(_ request: PageRequest) async throws -> PageAnswer {
        guard request.path == "attachments" else {
            throw ServerError(404, .notFound, "There is no such path here.")
        }
        guard let chat = try Self.chat(of: request) else {
            throw ServerError(400, .missingParameter, "An attachment belongs to a chat.", param: "chat")
        }
        let open = try await chats.chat(chat)
        let bytes = try await request.body()
        return .json(["attachment": try await attachments.add(bytes, request.query["name"] ?? "file", to: open)])
    }

    @MainActor
    private func state(of chat: OpenChat, for key: AccessKey?) async throws -> JSONObject {
        // The chat and the number of the latest event are taken together: nothing happens to the chat between them. What has
        // to be waited for comes after them, or an event meanwhile would be lost; these lists are told whole each time.
        var state: JSONObject = [
            "epoch": .string(hub.epoch), "revision": .integer(hub.revision), "page": .string(files.version),
            "chat": .object(chat.snapshot), "notices": chat.form.notices,
            "settings": settings.json(version: version, keys: keys.json), "key": KeyDesk.json(key),
            "engines": .array(engines.map(\.json)), "performance": figures.json,
            "speech": speech.map { .string($0.id) } ?? .null,
        ]
        state["chats"] = try await chats.rows()
        state["models"] = await models.json()
        return state
    }

    @MainActor
    private func write(_ request: PageRequest) async throws -> PageAnswer {
        switch request.path {
        case "intents":
            var answer = try await list.fulfil(Wish(try await request.body(), key: request.key), wishes.fulfil)
            answer["ok"] = true
            return .json(answer)
        case "import":
            let chats = try ChatImport.chats(from: Data(try await request.body()))
            return .json(try await self.chats.add(chats))
        case "transcribe":
            guard let speech else { throw ServerError.hearsNothing }
            return .json(["text": .string(try await speech.transcript(of: Data(try await request.body())))])
        default: throw ServerError(404, .notFound, "There is no such path here.")
        }
    }
}

extension OpenAIError.Code {
    /// What keeps the user's data cannot be used: a folder, a disk, a permission.
    static let storeUnavailable = Self(rawValue: "store_unavailable")
    /// The assistant does not do this.
    static let refused = Self(rawValue: "refused")
}

extension PageAnswer {
    /// A file for the user's disk, of a type that no browser shows.
    fileprivate static func download(_ content: Data, as name: String) -> PageAnswer {
        .bytes(
            Array(content), type: "application/octet-stream",
            fields: [.contentDisposition: "attachment; filename=\"\(name)\""])
    }

    fileprivate static func json(_ object: JSONObject) -> PageAnswer {
        .bytes(Array(JSONValue.object(object).text().utf8), type: "application/json")
    }
}
