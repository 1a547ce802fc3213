// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

extension [ChatMessage] {
    /// The messages with a result right after each call of a function: that of the history, wherever it stands there, or
    /// else an error.
    ///
    /// OpenAI's API refuses all other histories. A conversation may have one where a reply was stopped after a call, or
    /// where it was saved while a function ran.
    var withAnsweredCalls: [ChatMessage] {
        var answered: [ChatMessage] = []
        var taken: Set<Int> = []
        for (index, message) in enumerated() where !taken.contains(index) {
            answered.append(message)
            for call in message.functionCalls ?? [] {
                let result = indices.dropFirst(index + 1).first {
                    !taken.contains($0) && self[$0].role == .tool && self[$0].functionCallID == call.id
                }
                if let result { taken.insert(result) }
                answered.append(
                    result.map { self[$0] } ?? .functionError("The function did not come to a result.", for: call))
            }
        }
        return answered
    }
}
