// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import Synchronization

/// Items in memory that stores for tests share: with a record of every change that was made, and failures on demand.
final class MemoryItems: Sendable {
    struct State {
        var items: [StoreItem.ID: Data] = [:]
        /// Every change that was made, in order.
        var made: [Change<StoreItem>] = []
        /// How often a change was asked for.
        var attempts = 0
        /// Decides which changes fail.
        var fault: (@Sendable (Change<StoreItem>) -> AssistantError?)?
        /// Is called before a change is made.
        var onApply: (@Sendable (Change<StoreItem>) -> Void)?
        /// Is waited for before a change is made.
        var hold: (@Sendable () async -> Void)?
        var names = 0
    }

    let state = Mutex(State())

    var contents: [StoreItem.ID: Data] { state.withLock { $0.items } }
    var made: [Change<StoreItem>] { state.withLock { $0.made } }
    var attempts: Int { state.withLock { $0.attempts } }

    func item(_ id: StoreItem.ID) -> StoreItem? {
        state.withLock { $0.items[id] }.map { StoreItem(id: id, content: $0) }
    }

    func set(_ id: StoreItem.ID, _ content: Data?) { state.withLock { $0.items[id] = content } }

    func fail(_ fault: (@Sendable (Change<StoreItem>) -> AssistantError?)?) { state.withLock { $0.fault = fault } }

    /// A path that no item has.
    func newPath() -> String {
        state.withLock {
            $0.names += 1
            return "item-\($0.names)"
        }
    }

    func apply(_ change: Change<StoreItem>) throws {
        state.withLock { $0.onApply }?(change)
        try state.withLock { state in
            state.attempts += 1
            if let error = state.fault?(change) { throw error }
            guard let id = change.itemID else { throw AssistantError(.invalidInput, "An empty change.") }
            let now = state.items[id]
            if change.before != nil, now == nil {
                throw AssistantError(.itemNotFound, "The item is no longer there.")
            }
            guard now == change.before?.content else {
                throw AssistantError(.itemChanged, "The item was changed elsewhere.")
            }
            state.items[id] = change.after?.content
            state.made.append(change)
        }
    }
}

/// A store whose items are in memory.
protocol MemoryStore: ItemStore {
    var items: MemoryItems { get }
}

extension MemoryStore {
    func item(_ id: StoreItem.ID) async throws -> StoreItem? { items.item(id) }
    func apply(_ change: Change<StoreItem>) async throws {
        if let hold = items.state.withLock({ $0.hold }) { await hold() }
        try items.apply(change)
    }

    func creation(_ value: some Encodable) throws -> Change<StoreItem> {
        let id = StoreItem.ID(store: name, path: items.newPath())
        return Change(before: nil, after: StoreItem(id: id, content: try Self.data(value)))
    }

    func all<Value: Decodable>(_ type: Value.Type) -> [(id: StoreItem.ID, value: Value)] {
        items.contents.filter { $0.key.store == name }.sorted { $0.key.path < $1.key.path }.compactMap { id, data in
            (try? JSONDecoder().decode(type, from: data)).map { (id, $0) }
        }
    }

    func value<Value: Decodable>(_ id: StoreItem.ID, _ type: Value.Type) throws -> (item: StoreItem, value: Value) {
        guard let item = items.item(id) else { throw AssistantError(.itemNotFound, "The item is not there.") }
        return (item, try JSONDecoder().decode(type, from: item.content))
    }

    static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }
}
