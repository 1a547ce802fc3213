// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Carries events in order from a producer to its consumers, each at its own pace.
///
/// Adding an event never waits. A producer that waits for ``room()`` after each event stays close to its consumers. If
/// it does not, memory is bounded as well, because events are merged when many are waiting.
final class EventBuffer<Event: Sendable>: Sendable {
    /// When more than this number of events are waiting, new ones are merged with the last one where possible.
    static var longest: Int { 256 }

    private enum End {
        /// Events may still be added.
        case open
        case finished
        /// The events have ended with an error, which has not been delivered yet.
        case failed(any Error)
    }

    private struct State {
        var events: [Event] = []
        var end = End.open
        /// The readers that wait for an event, in order. If there are any, no event is waiting.
        var readers: [CheckedContinuation<Event?, any Error>] = []
        /// The producers that wait for room.
        var writers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextTicket = 0
    }

    /// No other lock is taken inside this one: continuations are resumed after it is released.
    private let state = Mutex(State())
    private let limit: Int
    private let join: @Sendable (inout Event, Event) -> Bool

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - limit: the number of waiting events from which on ``room()`` waits.
    ///   - join: merges the second event into the first one; returns false where that is not possible.
    init(limit: Int = .max, join: @escaping @Sendable (inout Event, Event) -> Bool = { _, _ in false }) {
        self.limit = limit
        self.join = join
    }

    /// Adds an event; ignored after ``finish(throwing:)``.
    func append(_ event: Event) {
        let reader = state.withLock { state -> CheckedContinuation<Event?, any Error>? in
            guard case .open = state.end else { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            if state.events.count >= Self.longest {
                var last = state.events.removeLast()
                let isJoined = join(&last, event)
                state.events.append(last)
                if isJoined { return nil }
            }
            state.events.append(event)
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Ends the events; only the first call has an effect. Waiting events are still delivered.
    func finish(throwing error: (any Error)? = nil) {
        let (readers, writers) = state.withLock { state in
            guard case .open = state.end else { return Self.nobody }
            state.end = error.map { state.readers.isEmpty ? .failed($0) : .finished } ?? .finished
            return Self.released(&state)
        }
        for (index, reader) in readers.enumerated() {
            if index == 0, let error { reader.resume(throwing: error) } else { reader.resume(returning: nil) }
        }
        for writer in writers { writer.resume() }
    }

    /// Discards waiting and later events, because there is no consumer any more.
    func abandon() {
        let (events, (readers, writers)) = state.withLock { state in
            let events = state.events
            state.events = []
            state.end = .finished
            return (events, Self.released(&state))
        }
        for reader in readers { reader.resume(returning: nil) }
        for writer in writers { writer.resume() }
        withExtendedLifetime(events) {}
    }

    /// Waits for the next event; nil after the last one.
    ///
    /// Cancelling the task does not end the wait; ``abandon()`` does.
    ///
    /// - Throws: the error that the events ended with, once.
    func next() async throws -> Event? {
        try await withCheckedThrowingContinuation { reader in
            let (result, writers) = state.withLock { state in Self.take(&state, reader, limit) }
            if let result { reader.resume(with: result) }
            for writer in writers { writer.resume() }
        }
    }

    /// Waits until there is room. Returns immediately if the task is cancelled or there is no consumer any more.
    nonisolated(nonsending) func room() async {
        let ticket = state.withLock { state -> Int? in
            guard !hasRoom(state) else { return nil }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { writer in
                let waits = state.withLock { state in
                    guard !hasRoom(state), !Task.isCancelled else { return false }
                    state.writers[ticket] = writer
                    return true
                }
                if !waits { writer.resume() }
            }
        } onCancel: {
            state.withLock { $0.writers.removeValue(forKey: ticket) }?.resume()
        }
    }

    private func hasRoom(_ state: borrowing State) -> Bool {
        if case .open = state.end { state.events.count < limit } else { true }
    }

    private typealias Waiting = (
        readers: [CheckedContinuation<Event?, any Error>], writers: [CheckedContinuation<Void, Never>]
    )
    private static var nobody: Waiting { ([], []) }

    /// Removes and returns all waiting readers and producers.
    private static func released(_ state: inout State) -> Waiting {
        defer { (state.readers, state.writers) = ([], [:]) }
        return (state.readers, Array(state.writers.values))
    }

    /// The event for a reader, nil where it has to wait, and the producers that now have room.
    private static func take(
        _ state: inout State, _ reader: CheckedContinuation<Event?, any Error>, _ limit: Int
    ) -> (Result<Event?, any Error>?, [CheckedContinuation<Void, Never>]) {
        guard state.events.isEmpty else {
            let event = state.events.removeFirst()
            guard state.events.count < limit else { return (.success(event), []) }
            defer { state.writers = [:] }
            return (.success(event), Array(state.writers.values))
        }
        switch state.end {
        case .open:
            state.readers.append(reader)
            return (nil, [])
        case .finished: return (.success(nil), [])
        case .failed(let error):
            state.end = .finished
            return (.failure(error), [])
        }
    }
}
