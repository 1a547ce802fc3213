// SPDX-License-Identifier: Apache-2.0

/// What reads texts aloud.
public protocol SpeechVoice: Sendable {
    /// Speaks a text. Cancelling the task ends it at once.
    ///
    /// - Parameters:
    ///   - text: what is said.
    ///   - language: the language of the text, as an ISO code; nil for the voice's usual one.
    /// - Throws: `SpeechError` with code `voiceUnavailable`; `CancellationError`.
    func speak(_ text: String, language: String?) async throws
}

extension SpeechVoice {
    /// Speaks a text that is still being written, sentence by sentence. Cancelling the task ends it at once.
    ///
    /// - Parameters:
    ///   - pieces: the text, in pieces of any length.
    ///   - language: the language of the text, as an ISO code; nil for the voice's usual one.
    /// - Throws: what the sequence and the voice throw.
    public func speak(
        _ pieces: AsyncThrowingStream<String, any Error>, language: String? = nil
    ) async throws {
        var sentences = SentenceCutter()
        for try await piece in pieces {
            for sentence in sentences.append(piece) { try await speak(sentence, language: language) }
        }
        try Task.checkCancellation()
        if let last = sentences.finish() { try await speak(last, language: language) }
    }
}
