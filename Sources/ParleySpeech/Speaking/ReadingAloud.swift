// SPDX-License-Identifier: Apache-2.0

/// Reads a reply aloud while it is written, until it ends or is stopped.
public final class ReadingAloud: Sendable {
    private let pieces: AsyncThrowingStream<String, any Error>.Continuation
    private let start: AsyncStream<Void>
    private let task: Task<Void, any Error>

    /// Begins with an empty text.
    ///
    /// - Parameters:
    ///   - voice: who reads it.
    ///   - language: the language of the text, as an ISO code; nil for the voice's usual one.
    public init(_ voice: any SpeechVoice, language: String? = nil) {
        let (stream, pieces) = AsyncThrowingStream.makeStream(of: String.self)
        let (start, began) = AsyncStream.makeStream(of: Void.self)
        (self.pieces, self.start) = (pieces, start)
        task = Task {
            defer { began.finish() }
            try await AnnouncedVoice(voice: voice, began: began).speak(stream, language: language)
        }
    }

    deinit { task.cancel() }

    /// Adds a piece of the text, of any length.
    public func append(_ piece: String) { pieces.yield(piece) }

    /// The text is whole.
    public func finish() { pieces.finish() }

    /// Falls silent at once.
    public func stop() {
        task.cancel()
        pieces.finish()
    }

    /// Waits for the first sentence; one task may.
    ///
    /// - Returns: whether there is one.
    public func begins() async -> Bool {
        var iterator = start.makeAsyncIterator()
        return await iterator.next() != nil
    }

    /// Waits until all is said, or until it was stopped.
    ///
    /// - Throws: `SpeechError` with code `voiceUnavailable`.
    public func ended() async throws {
        do {
            try await task.value
        } catch is CancellationError {}
    }
}

/// A voice that says when it speaks for the first time.
private struct AnnouncedVoice: SpeechVoice {
    let voice: any SpeechVoice
    let began: AsyncStream<Void>.Continuation

    func speak(_ text: String, language: String?) async throws {
        began.yield()
        try await voice.speak(text, language: language)
    }
}
