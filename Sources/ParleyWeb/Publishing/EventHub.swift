// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyServer
import Synchronization

/// Publishes what happens to the page's readers: a journal for each chat that is open, and one for all else.
///
/// Readers take events at their own pace and hold none back; who falls too far behind, or comes back from another run of
/// the server, is told to begin anew.
final class EventHub: Sendable {
    /// A place in the stream of events, as readers send it back.
    struct Place: Hashable, Sendable {
        var epoch: String
        var revision: Int

        /// Reads a place; nil for one that no server has told.
        init?(_ text: String) {
            guard let dot = text.lastIndex(of: "."), let number = Int(text[text.index(after: dot)...]), number >= 0
            else { return nil }
            self.init(epoch: String(text[..<dot]), revision: number)
        }

        init(epoch: String, revision: Int) { (self.epoch, self.revision) = (epoch, revision) }

        var text: String { "\(epoch).\(revision)" }
    }

    private struct State {
        var revision = 0
        var common = EventJournal(since: 0)
        var chats: [UUID: EventJournal] = [:]
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
        var nextReader = 0
        var readers: [UUID: Int] = [:]
        /// The chats that are forgotten when their last reader leaves.
        var leaving: Set<UUID> = []
    }

    /// Tells this run of the server from others.
    let epoch = String(UInt64.random(in: .min ... .max), radix: 36)
    /// No other lock is taken while this one is held: continuations are resumed after its release.
    private let state = Mutex(State())

    /// The number of the latest event.
    var revision: Int { state.withLock { $0.revision } }

    /// Publishes events about a chat, or about what all share.
    func publish(_ events: [PageEvent], chat: UUID? = nil) {
        guard !events.isEmpty else { return }
        let waiting = state.withLock { state in
            for event in events {
                state.revision += 1
                let entry = EventJournal.Entry(
                    revision: state.revision, text: event.text(Place(epoch: epoch, revision: state.revision)))
                if let chat {
                    state.chats[chat, default: EventJournal(since: 0)].append(entry)
                } else {
                    state.common.append(entry)
                }
            }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Forgets the events of a chat, once nobody reads them; who comes back begins anew.
    ///
    /// Those who read now are still told what is published, such as that the chat is gone.
    func forget(_ chat: UUID) {
        state.withLock { state in
            if state.readers[chat] == nil {
                state.chats[chat] = EventJournal(since: state.revision)
            } else {
                state.leaving.insert(chat)
            }
        }
    }

    /// Whether somebody reads the events of a chat.
    func hasReaders(_ chat: UUID) -> Bool { state.withLock { $0.readers[chat] ?? 0 } > 0 }

    /// The events after a place, of one chat and of what all share, until the reader's task is cancelled.
    func events(since place: Place?, chat: UUID?) -> AsyncStream<String> {
        let reader = EventReader(hub: self, chat: chat, place: place)
        return AsyncStream { await reader.next() }
    }

    fileprivate func enter(_ chat: UUID?) {
        guard let chat else { return }
        state.withLock { $0.readers[chat, default: 0] += 1 }
    }

    fileprivate func leave(_ chat: UUID?) {
        guard let chat else { return }
        state.withLock { state in
            let left = (state.readers[chat] ?? 1) - 1
            state.readers[chat] = left > 0 ? left : nil
            guard left <= 0, state.leaving.remove(chat) != nil else { return }
            state.chats[chat] = EventJournal(since: state.revision)
        }
    }

    /// The events after a number, nil for a reader that has to begin anew; and the number up to which they go.
    fileprivate func entries(after revision: Int, chat: UUID?) -> (entries: [EventJournal.Entry]?, latest: Int) {
        state.withLock { state in
            let own = chat.flatMap { state.chats[$0] } ?? EventJournal(since: 0)
            guard let common = state.common.entries(after: revision), let own = own.entries(after: revision) else {
                return (nil, state.revision)
            }
            return ((common + own).sorted { $0.revision < $1.revision }, state.revision)
        }
    }

    /// Waits until there is an event after a number, or the task is cancelled.
    fileprivate func wait(after revision: Int) async {
        let number = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.revision > revision || state.cancelled.remove(number) != nil { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waiting.removeValue(forKey: number)
                if continuation == nil { state.cancelled.insert(number) }
                return continuation
            }
            continuation?.resume()
        }
        // A cancellation that came after the end has left a mark.
        state.withLock { _ = $0.cancelled.remove(number) }
    }
}

/// One reader of events.
private final class EventReader: Sendable {
    private struct State {
        var revision: Int
        var isLost: Bool
    }

    private let hub: EventHub
    private let chat: UUID?
    private let state: Mutex<State>

    init(hub: EventHub, chat: UUID?, place: EventHub.Place?) {
        (self.hub, self.chat) = (hub, chat)
        let latest = hub.revision
        let isKnown = place.map { $0.epoch == hub.epoch && $0.revision <= latest } ?? true
        state = Mutex(State(revision: isKnown ? place?.revision ?? latest : latest, isLost: !isKnown))
        hub.enter(chat)
    }

    deinit { hub.leave(chat) }

    /// The next events as one text; nil when the task is cancelled.
    func next() async -> String? {
        while !Task.isCancelled {
            let (revision, isLost) = state.withLock { ($0.revision, $0.isLost) }
            let (entries, latest) = hub.entries(after: revision, chat: chat)
            state.withLock { $0 = State(revision: latest, isLost: false) }
            guard let entries, !isLost else {
                return PageEvent(type: "reset", data: [:]).text(.init(epoch: hub.epoch, revision: latest))
            }
            if !entries.isEmpty { return entries.map(\.text).joined() }
            await hub.wait(after: latest)
        }
        return nil
    }
}

/// An event as the page reads it.
struct PageEvent: Sendable {
    /// What happened, such as `message.delta`.
    var type: String
    /// The values that belong to it.
    var data: JSONObject

    /// The event as lines of a stream.
    func text(_ place: EventHub.Place) -> String {
        var data = data
        data["revision"] = .integer(place.revision)
        return StreamEvent(type, data: JSONValue.object(data).text(), id: place.text).text
    }
}
