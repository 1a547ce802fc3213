// SPDX-License-Identifier: Apache-2.0

extension EventBuffer<MessageResponse> {
    /// A buffer for a stream, which may be read after the reply has ended. At most the whole reply waits in it.
    static func forStream() -> EventBuffer {
        EventBuffer { $0.join($1) }
    }

    /// A buffer for callbacks, which are called from now on, on a ``CallbackQueue``, and released after the last.
    ///
    /// A generation that asks for room is at most three events ahead of the one being delivered. That is enough for an
    /// engine not to wait for a thread to wake, and few enough that stopping from a callback stops soon.
    static func forCallbacks(
        onResponse: @escaping @Sendable (MessageResponse) -> Void, onError: (@Sendable (ConversationError) -> Void)?
    ) -> EventBuffer {
        let events = EventBuffer(limit: 3) { $0.join($1) }
        Task(executorPreference: CallbackQueue()) {
            do {
                while let response = try await events.next() { onResponse(response) }
            } catch let error as ConversationError {
                onError?(error)
            }
        }
        return events
    }
}

extension MessageResponse {
    /// Appends the next response to this one if both are pieces of the same text or sound.
    mutating func join(_ next: MessageResponse) -> Bool {
        // Each is emptied while its piece grows, as a second reference would cause a copy.
        switch next {
        case .chunk(let piece):
            guard case .chunk(var text) = self else { return false }
            self = .chunk("")
            text += piece
            self = .chunk(text)
        case .reasoningChunk(let piece):
            guard case .reasoningChunk(var text) = self else { return false }
            self = .reasoningChunk("")
            text += piece
            self = .reasoningChunk(text)
        case .audioSample(let piece, let rate):
            guard case .audioSample(var samples, rate) = self else { return false }
            self = .audioSample(samples: [], sampleRate: rate)
            samples += piece
            self = .audioSample(samples: samples, sampleRate: rate)
        case .functionCall, .complete: return false
        }
        return true
    }
}
