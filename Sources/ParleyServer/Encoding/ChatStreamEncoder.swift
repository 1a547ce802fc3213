// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
package import ParleyOpenAI

/// Writes the events of a request as the server-sent events of a streamed answer, as a pure state machine.
///
/// The joined deltas do not depend on how replies are cut into pieces. A comment line breaks every silence.
package struct ChatStreamEncoder: Sendable {
    private var writer: ChatCompletionStreamWriter
    private let silence: Duration
    private var lastWritten: ContinuousClock.Instant
    package private(set) var hasEnded = false

    package init(_ writer: ChatCompletionStreamWriter, silence: Duration, now: ContinuousClock.Instant) {
        self.writer = writer
        self.silence = silence
        lastWritten = now
    }

    /// Creates the text for an event.
    ///
    /// - Parameters:
    ///   - event: what happens; nothing is written after the last event.
    ///   - now: the time.
    /// - Returns: the text; empty if there is nothing to write.
    package mutating func text(for event: ReplyEvent, now: ContinuousClock.Instant) -> String {
        guard !hasEnded else { return "" }
        let text = text(event)
        if !text.isEmpty { lastWritten = now }
        return text
    }

    private mutating func text(_ event: ReplyEvent) -> String {
        switch event {
        case .accepted(let choice): return Self.data(writer.begin(choice: choice))
        case .response(let response, let choice):
            return writer.chunk(for: response, choice: choice).map(Self.data) ?? ""
        case .complete(let completion, let choice):
            var chunk = writer.chunk(for: .complete(completion), choice: choice)
            chunk?.others = ReplyFacts.members([completion])
            return chunk.map(Self.data) ?? ""
        case .failed(let error):
            hasEnded = true
            return "data: \(error.json.text())\n\n"
        case .end:
            hasEnded = true
            return (writer.finish().map(Self.data) ?? "") + "data: \(ChatCompletionChunk.end)\n\n"
        case .tick(let now):
            return lastWritten.duration(to: now) >= silence ? ": still at work\n\n" : ""
        }
    }

    private static func data(_ chunk: ChatCompletionChunk) -> String { "data: \(chunk.json.text())\n\n" }
}
