// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON

/// A chat that lives in the server: its view model, and what publishes it.
///
/// It goes on whether or not somebody looks at it.
@MainActor
final class OpenChat {
    /// How much time lies at least between two pieces of a reply.
    static let pace = Duration.milliseconds(33)

    let model: ChatViewModel
    /// What the page shows of things that were attached in this run.
    private var described: [ChatAttachment: JSONValue] = [:]
    private weak var hub: EventHub?
    private(set) var form: ChatForm
    /// Replies that are generated again.
    let replays: Replays
    private var publishing: Task<Void, Never>?
    private var counting: Task<Void, Never>?
    /// When somebody last did something with it.
    var used = ContinuousClock.now

    init(_ model: ChatViewModel, replays: Replays) {
        (self.model, self.replays) = (model, replays)
        form = ChatForm(model.viewState)
    }

    var id: UUID { model.chatID }

    /// The chat with its last messages, as the page has it.
    var snapshot: JSONObject {
        var chat = form.snapshot
        chat["messages"] = chat["messages"].map(withReplays)
        return chat
    }

    /// The messages before one that the page has; nil if there is none such.
    func messages(before id: UUID) -> JSONObject? {
        guard var earlier = form.messages(before: id) else { return nil }
        earlier["messages"] = earlier["messages"].map(withReplays)
        return earlier
    }

    private func withReplays(_ messages: JSONValue) -> JSONValue {
        .array(
            (messages.array ?? []).map { message in
                guard let id = message["id"]?.string.flatMap(UUID.init(uuidString:)),
                    case let replay = replays.json(of: id), !replay.isNull, var members = message.object
                else { return message }
                members["replay"] = replay
                return .object(members)
            })
    }

    /// Publishes what changes from now on.
    ///
    /// - Parameters:
    ///   - hub: where it is published.
    ///   - clock: measures the time between two pieces.
    ///   - onChange: called after all changes but more text.
    func publish(to hub: EventHub, clock: any Clock<Duration>, onChange: @escaping @MainActor () -> Void) {
        self.hub = hub
        publishing = Task { [weak self, model] in
            for await change in model.changes() {
                guard let self else { return }
                let before = form.state.status
                hub.publish(form.take(change) + form.take(attached: attached), chat: model.chatID)
                let now = form.state.status
                // What the context holds changes with turns and models.
                let isTurnOver = before.isGenerating && !now.isGenerating
                if isTurnOver || before.isModelLoaded != now.isModelLoaded || before.model != now.model {
                    count(hub)
                }
                if case .appended = change {
                    // What comes meanwhile is one change with the next.
                    try? await clock.sleep(for: Self.pace)
                } else {
                    onChange()
                }
            }
        }
    }

    // MARK: What the page does not have

    /// The most deleted messages that are told, and the longest beginning of one.
    private static let mostDeleted = (messages: 200, characters: 400)

    /// The messages that were deleted and can be brought back, the latest first, and how many more there are.
    var deletedMessages: JSONObject {
        let deleted = model.chat.nodes.filter { node in
            // What is kept no longer on the disk may still be in memory.
            node.canBeRestored
                && node.deletionDate.map { -$0.timeIntervalSinceNow <= ChatStore.undoPeriod / .seconds(1) } ?? true
        }
        let messages = deleted.suffix(Self.mostDeleted.messages).reversed().map { node -> JSONValue in
            let item = ChatItem(node)
            return [
                "id": .string(item.id.uuidString), "author": .string(item.author.rawValue),
                "date": .number(item.date.timeIntervalSince1970),
                "text": .string(String(item.text.prefix(Self.mostDeleted.characters))),
            ]
        }
        return ["messages": .array(messages), "more": .integer(deleted.count - messages.count)]
    }

    /// How often words occur in each message that is shown, in any case and with or without accents, those without them left
    /// out.
    func find(_ words: String) -> JSONValue {
        let words = SearchText.plain(words.trimmingCharacters(in: .whitespacesAndNewlines))
        guard !words.isEmpty else { return [] }
        return .array(
            form.state.messages.compactMap { message in
                let count = [message.text, message.thinking].reduce(0) { $0 + $1.occurrences(of: words) }
                return count == 0 ? nil : ["message": .string(message.id.uuidString), "count": .integer(count)]
            })
    }

    // MARK: What is attached to the next message

    /// What the page shows of what is attached.
    private var attached: [JSONValue] { model.attachments.compactMap { described[$0] } }

    /// Attaches something to the next message.
    func attach(_ content: ChatAttachment, _ json: JSONValue) {
        described[content] = json
        if !model.attachments.contains(content) { model.attachments.append(content) }
        tellAttached()
    }

    /// Takes something away from the next message.
    func detach(_ id: String) {
        model.attachments.removeAll { described[$0]?["id"]?.string == id }
        tellAttached()
    }

    private func tellAttached() {
        guard let hub else { return }
        hub.publish(form.take(attached: attached), chat: id)
        count(hub)
    }

    /// Finds out how much of the context is taken, which may take a while.
    private func count(_ hub: EventHub) {
        counting?.cancel()
        counting = Task { [weak self, model] in
            let use = await model.contextUse()
            guard let self, !Task.isCancelled else { return }
            hub.publish(form.take(use), chat: model.chatID)
        }
    }

    /// Ends the publishing.
    func close() {
        publishing?.cancel()
        counting?.cancel()
        replays.close()
        model.stop()
    }
}

extension String {
    /// How often words that are plain already occur in the text as searches compare it.
    fileprivate func occurrences(of words: String) -> Int {
        let text = SearchText.plain(self)
        var (count, start) = (0, text.startIndex)
        while let found = text.range(of: words, options: .literal, range: start..<text.endIndex) {
            (count, start) = (count + 1, found.upperBound)
        }
        return count
    }
}
