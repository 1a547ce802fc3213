// SPDX-License-Identifier: Apache-2.0

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
    /// Creates a stream of a buffer's events. Several tasks may iterate it; each event goes to one of them.
    /// `onLettingGo` is called when an iterating task is cancelled and when the stream is released, even after its end,
    /// and possibly more than once.
    init(_ events: EventBuffer<Element>, onLettingGo: @escaping @Sendable () -> Void) {
        let reader = StreamReader(events: events, onLettingGo: onLettingGo)
        self.init(unfolding: { try await reader.next() })
    }
}

/// Reads the events for a stream, and abandons them when the stream is released or a reading task is cancelled.
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
