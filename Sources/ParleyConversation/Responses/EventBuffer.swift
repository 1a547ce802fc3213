// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Carries events in order from whoever makes them to whoever hears them, each at its own pace.
///
/// Adding an event never waits. Whoever makes events may ask for ``room()`` after each, and then is never far ahead;
/// whoever does not is no danger either, for what many events say is joined while they wait.
final class EventBuffer<Event: Sendable>: Sendable {
    /// From so many waiting events on, more are joined to the last where they can be.
    static var longest: Int { 256 }

    private enum End {
        /// More may come.
        case open
        case finished
        /// The error has still to be heard.
        case failed(any Error)
    }

    private struct State {
        var events: [Event] = []
        var end = End.open
        /// Waiting for an event, in order. Where there are any, no event waits.
        var readers: [CheckedContinuation<Event?, any Error>] = []
        /// Waiting for room.
        var writers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextTicket = 0
    }

    /// A leaf lock: continuations are resumed after it is released.
    private let state = Mutex(State())
    private let limit: Int
    private let join: @Sendable (inout Event, Event) -> Bool

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - limit: with so many waiting events there is no room.
    ///   - join: adds an event to the one before it, or says that it cannot be.
    init(limit: Int = .max, join: @escaping @Sendable (inout Event, Event) -> Bool = { _, _ in false }) {
        self.limit = limit
        self.join = join
    }

    /// Adds an event, unless the end was told.
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

    /// Tells the end; the first call counts. What waits is still heard before it.
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

    /// Nobody hears any more: what waits, and what still comes, is forgotten.
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

    /// The next event, when there is one; nil after the last.
    ///
    /// Cancelling the task does not end the wait; ``abandon()`` does.
    ///
    /// - Throws: the error with which the events end, once.
    func next() async throws -> Event? {
        try await withCheckedThrowingContinuation { reader in
            let (result, writers) = state.withLock { state in Self.take(&state, reader, limit) }
            if let result { reader.resume(with: result) }
            for writer in writers { writer.resume() }
        }
    }

    /// Waits until there is room; returns at once where the task is cancelled, or nobody hears.
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

    /// Everybody who waits.
    private static func released(_ state: inout State) -> Waiting {
        defer { (state.readers, state.writers) = ([], [:]) }
        return (state.readers, Array(state.writers.values))
    }

    /// What a reader gets; nil where it has to wait. The writers are those for whom there is room now.
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
