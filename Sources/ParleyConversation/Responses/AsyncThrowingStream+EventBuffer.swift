// SPDX-License-Identifier: Apache-2.0

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
    /// A stream of the events of a buffer. It may be iterated by several tasks; each event goes to one of them.
    /// `onLettingGo` is called when a task that iterates it is cancelled, and when the stream is released, also after
    /// its end; perhaps more than once.
    init(_ events: EventBuffer<Element>, onLettingGo: @escaping @Sendable () -> Void) {
        let reader = StreamReader(events: events, onLettingGo: onLettingGo)
        self.init(unfolding: { try await reader.next() })
    }
}

/// A stream's reference to its events.
private final class StreamReader<Event: Sendable>: Sendable {
    private let events: EventBuffer<Event>
    private let onLettingGo: @Sendable () -> Void

    init(events: EventBuffer<Event>, onLettingGo: @escaping @Sendable () -> Void) {
        self.events = events
        self.onLettingGo = onLettingGo
    }

    deinit { letGo() }

    func next() async throws -> Event? {
        try await withTaskCancellationHandler {
            try await events.next()
        } onCancel: {
            letGo()
        }
    }

    private func letGo() {
        events.abandon()
        onLettingGo()
    }
}
