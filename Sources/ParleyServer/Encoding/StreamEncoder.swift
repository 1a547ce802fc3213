// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
package import ParleyOpenAI

/// Writes the events of a request as the server-sent events of a streamed answer, as a pure state machine.
///
/// The joined deltas do not depend on how replies are cut into pieces. A comment line breaks every silence.
package struct StreamEncoder: Sendable {
    private var form: any StreamForm
    private let silence: Duration
    private var lastWritten: ContinuousClock.Instant
    package private(set) var hasEnded = false

    package init(_ form: any StreamForm, silence: Duration, now: ContinuousClock.Instant) {
        self.form = form
        self.silence = silence
        lastWritten = now
    }

    package init(_ writer: ChatCompletionStreamWriter, silence: Duration, now: ContinuousClock.Instant) {
        self.init(ChatStreamForm(writer), silence: silence, now: now)
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
        case .accepted(let choice): return Self.text(form.begin(choice: choice))
        case .prompt(let tokens, let choice):
            form.note(promptTokens: tokens, choice: choice)
            return ""
        case .echo(let prompt, let probabilities, let choice):
            if let probabilities { form.add(probabilities, choice: choice) }
            return Self.text(form.part(for: .chunk(prompt), choice: choice))
        case .probabilities(let probabilities, let choice):
            form.add(probabilities, choice: choice)
            return ""
        case .response(let response, let choice): return Self.text(form.part(for: response, choice: choice))
        case .complete(let completion, let choice): return Self.text(form.end(completion, choice: choice))
        case .failed(let error):
            hasEnded = true
            return Self.text(form.fail(error))
        case .end:
            hasEnded = true
            return Self.text(form.finish())
        case .tick(let now):
            return lastWritten.duration(to: now) >= silence ? ": still at work\n\n" : ""
        }
    }

    private static func text(_ events: [StreamEvent]) -> String { events.map(\.text).joined() }
}
