// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyJSON
import ParleyOpenAI
import ParleyServer

/// What each wish does.
@MainActor
struct Wishes {
    let chats: ChatDesk
    let models: ModelBoard
    let figures: FigureBoard
    let settings: SettingsBoard
    let keys: KeyDesk
    let attachments: AttachmentDrawer
    let actions: ActionRunner
    let hub: EventHub
    let version: String

    /// Fulfils a wish.
    ///
    /// - Returns: what the page is told besides that it is done.
    /// - Throws: ``/ParleyServer/ServerError``; errors of stores.
    func fulfil(_ wish: Wish) async throws -> JSONObject {
        switch wish.type {
        case "newChat": return ["chat": .string(chats.newChat().id.uuidString)]
        case "search": return ["hits": try await chats.search(try wish.text("query"))]
        case "deleteChat": try await chats.delete(try wish.uuid("chat"))
        case "restoreChat": try await chats.restore(try wish.uuid("chat"))
        case "deleteAll": return ["chats": .array(try await chats.deleteAll().map { .string($0.uuidString) })]
        case "deletedChats": return await chats.deleted()
        case "restoreAll": try await chats.restoreAll(try wish.uuids("chats"))
        case "forgetChats": try await chats.forgetDeleted(try wish.uuids("chats"))
        case "loadModel": try await models.load(try wish.text("model"))
        case "unloadModel": try await models.unload(try wish.text("model"))
        case "fetchModel": return ["job": try await models.fetch(try wish.text("model"))]
        case "pauseFetch": try await models.pause(try wish.text("job"))
        case "cancelFetch": try await models.cancel(try wish.text("job"))
        case "removeModel": try await models.remove(try wish.text("model"))
        case "watchMetrics": figures.watch()
        case "set" where try wish.optionalText("chat") == nil:
            try settings.set(try wish.text("name"), to: wish.members["value"] ?? .null)
            await actions.use(settings.limits)
            tellSettings()
        case "benchmark" where try !wish.flag("on"): await figures.benchmark.cancel()
        case "benchmark":
            let engines = wish.members["engines"] == nil ? nil : try wish.texts("engines")
            try await figures.benchmark.begin(
                try wish.texts("models"), engines: engines, prompts: try wish.numbers("prompt_tokens"))
        case "newKey":
            defer { tellSettings() }
            let (name, scopes) = (try wish.text("name"), try wish.texts("scopes"))
            return ["key": .string(try await keys.add(name, for: scopes, by: wish.key))]
        case "deleteKey":
            let isSure = wish.members["even_if_used"]?.bool == true
            try await keys.remove(try wish.text("name"), evenIfUsed: isSure, by: wish.key)
            tellSettings()
        default:
            guard Self.ofChats.contains(wish.type) else { throw Self.unknown }
            let chat = try await chats.chat(try wish.uuid("chat"))
            return try await fulfil(wish, in: chat)
        }
        return [:]
    }

    private func tellSettings() {
        let json = settings.json(version: version, keys: keys.json)
        hub.publish([PageEvent(type: "settings.updated", data: ["settings": json])])
    }

    /// The wishes about a chat, which have its id.
    private static let ofChats: Set = [
        "send", "stop", "regenerate", "replay", "continue", "queue", "recall", "selectVersion", "rename", "pin",
        "chooseModel", "edit", "branch", "delete", "deletedMessages", "forgetMessages", "findInChat", "restore",
        "replyTo", "detach", "pinPrompt", "card", "dismiss", "holdNotices", "set",
    ]

    /// The wishes that cannot be fulfilled while a reply is in progress.
    private static let later: Set = ["send", "regenerate", "continue", "edit", "selectVersion", "chooseModel"]

    private func fulfil(_ wish: Wish, in chat: OpenChat) async throws -> JSONObject {
        let model = chat.model
        chat.used = .now
        if Self.later.contains(wish.type) { await model.concluded() }
        switch wish.type {
        case "send":
            try requireModel(chat)
            await model.catchUp()
            let text = try wish.text("text")
            let original = try wish.optionalUUID("replying_to")
            let attached = try await attachments.contents(try wish.optionalTexts("attachments"))
            guard !model.isGenerating else { throw Self.busy }
            (model.inputText, model.attachments) = (text, attached)
            model.replyingTo = original
            guard model.send() else {
                model.inputText = ""
                throw model.isGenerating ? Self.busy : ServerError(400, .invalidValue, "There is nothing to send.")
            }
        case "stop": model.stop()
        case "regenerate":
            try requireModel(chat)
            guard model.regenerate(try wish.uuid("message"), with: try wish.optionalText("model")) else {
                throw Self.unfit(model)
            }
        case "replay":
            let id = try wish.uuid("message")
            guard let node = model.chat[id] else { throw Self.unfit(model) }
            if wish.members["on"]?.bool == false { chat.replays.cancel(id) } else { try chat.replays.begin(node) }
        case "continue":
            try requireModel(chat)
            let id = try wish.uuid("message")
            guard model.continueReply(id) else {
                // Where it is the model that cannot, the chat has said so.
                guard !model.isGenerating, model.messages.last?.id == id, model.messages.last?.canBeContinued == true
                else {
                    throw model.isGenerating
                        ? Self.busy
                        : ServerError(409, .invalidValue, "Only the last reply can be continued, if it was cut off.")
                }
                return [:]
            }
        case "queue":
            guard model.queue(try wish.text("text")) else {
                throw ServerError(409, .invalidValue, "Nothing is being written, or a message waits already.")
            }
        case "recall":
            if let queued = model.recall() { return ["text": .string(queued)] }
            // A message that could not be sent came back.
            defer { model.inputText = "" }
            return ["text": model.inputText.isEmpty ? .null : .string(model.inputText)]
        case "selectVersion":
            guard await model.show(version: try wish.uuid("version")) else { throw Self.unfit(model) }
        case "rename": await model.rename(try wish.text("title"))
        case "pin": await model.pin(try wish.flag("is_pinned"))
        case "chooseModel":
            guard await model.chooseModel(try wish.optionalText("model")) else {
                throw ServerError(409, .invalidValue, "The model cannot be chosen now; see the notices.")
            }
        case "edit":
            try requireModel(chat)
            guard model.edit(try wish.uuid("message"), to: try wish.text("text")) else { throw Self.unfit(model) }
        case "branch":
            let branch = try await chats.branch(chat.id, upTo: try wish.uuid("message"))
            return ["chat": .string(branch.uuidString)]
        case "delete": await model.delete(try wish.uuid("message"))
        case "deletedMessages": return chat.deletedMessages
        case "forgetMessages": await model.forgetDeleted(try wish.uuids("messages"))
        case "findInChat": return ["hits": chat.find(try wish.text("query"))]
        case "restore": await model.restore(try wish.uuid("message"))
        case "replyTo": model.replyingTo = try wish.optionalUUID("message")
        case "detach": await attachments.remove(try wish.text("attachment"), from: chat)
        case "pinPrompt":
            model.togglePin(try wish.text("text"))
            for other in chats.chats where other.id != chat.id { other.model.takePinnedPrompts(of: model) }
        case "card":
            let value = wish.members["value"] ?? .null
            guard let event = ActionCard.Event(name: try wish.text("event"), value: value) else {
                throw ServerError(400, .invalidValue, "A card has no such event.", param: "event")
            }
            await model.decide(event, on: try wish.text("card"))
        case "dismiss": model.dismissError()
        case "holdNotices": model.holdsNotices = try wish.flag("on")
        case "set" where try wish.text("name") == "thinking_enabled":
            model.thinkingEnabled = try wish.flag("value")
        default: throw Self.unknown
        }
        return [:]
    }

    /// Throws if no model is in memory, and loads it for the next time.
    private func requireModel(_ chat: OpenChat) throws(ServerError) {
        guard !chat.model.isModelLoaded else { return }
        let model = chat.model
        Task { await model.load() }
        throw ServerError(503, .modelLoading, "The model is not loaded yet. Choose one, or wait.", retryAfter: 2)
    }

    private static let busy = ServerError(
        409, .invalidValue, "A reply is being written. Stop it first, or wait for its end.")

    private static let unknown = ServerError(400, .invalidValue, "There is no wish of this type.", param: "type")

    private static func unfit(_ model: ChatViewModel) -> ServerError {
        model.isGenerating ? busy : ServerError(404, .notFound, "There is no such message any more.")
    }
}
