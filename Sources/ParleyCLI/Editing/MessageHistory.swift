// SPDX-License-Identifier: Apache-2.0

/// The submitted messages, and the one of them that is being shown in place of an unfinished message.
struct MessageHistory: Sendable {
    /// The submitted messages, oldest first.
    private var messages: [String] = []
    /// The index of the message being shown; the number of messages while the unfinished message is.
    private var position = 0
    /// The unfinished message, while another message is shown.
    private var draft = ""

    /// Adds a submitted message, unless it is blank or equal to the last one, and shows none.
    mutating func append(_ message: String) {
        if !message.allSatisfy(\.isWhitespace), messages.last != message { messages.append(message) }
        leave()
    }

    /// Returns to an unfinished message.
    mutating func leave() {
        position = messages.count
    }

    /// Moves by one message; nil where there is none.
    ///
    /// - Parameters:
    ///   - step: -1 for the previous message, 1 for the next one.
    ///   - text: the text being edited, which is kept as the unfinished message when the history is entered.
    /// - Returns: the text to show.
    mutating func move(_ step: Int, from text: String) -> String? {
        let next = position + step
        guard (0...messages.count).contains(next) else { return nil }
        if position == messages.count { draft = text }
        position = next
        return next == messages.count ? draft : messages[next]
    }
}
