// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation

/// The messages of a request as a session with a model of Apple's takes them: instructions, earlier turns, a prompt.
package struct ConversationTurns: Hashable, Sendable {
    /// A prompt and what the model answered.
    package struct Turn: Hashable, Sendable {
        /// What the user wrote.
        package var prompt: String
        /// What the model wrote.
        package var response: String
    }

    /// The texts of all system messages.
    package private(set) var instructions: String
    /// The earlier turns, oldest first.
    package private(set) var turns: [Turn] = []
    /// What the model is to answer.
    package private(set) var prompt = ""
    /// The number of images that the model is not given.
    package private(set) var droppedImages = 0
    /// The number of turns that were left out.
    package private(set) var droppedTurns = 0

    /// Reads the messages of a request.
    ///
    /// - Throws: ``ConversationError`` with code `invalidInput` if there is nothing to answer, or for what such a model
    ///   cannot do here: function calls and schemas.
    package init(_ request: GenerationRequest) throws(ConversationError) {
        guard request.functions.isEmpty || request.options.functionCalling == .none else {
            throw ConversationError(
                .invalidInput, "This runner of Apple's model calls no functions; leave them out, or use another model.")
        }
        guard request.options.jsonSchemaConstraint == nil else {
            throw ConversationError(
                .invalidInput, "This runner of Apple's model holds no answer to a schema; use another model for it.")
        }
        let system = request.messages.filter { [.system, .developer].contains($0.role) }
        instructions = system.map(\.text).joined(separator: "\n\n")
        for message in request.messages where ![.system, .developer].contains(message.role) {
            droppedImages += message.content.count { if case .image = $0 { true } else { false } }
            switch message.role {
            case .assistant:
                // Two replies in a row are one, and one before all prompts answers an empty prompt.
                if prompt.isEmpty, let last = turns.last {
                    turns[turns.count - 1].response = Self.joined(last.response, message.text)
                } else {
                    turns.append(Turn(prompt: prompt, response: message.text))
                    prompt = ""
                }
            case .tool: prompt = Self.joined(prompt, "Result of \(message.name ?? "the function"): \(message.text)")
            case .user, .system, .developer: prompt = Self.joined(prompt, message.text)
            }
        }
        guard !prompt.isEmpty else {
            throw ConversationError(.invalidInput, "There is no text of the user's to answer.")
        }
    }

    private static func joined(_ one: String, _ two: String) -> String {
        one.isEmpty || two.isEmpty ? one + two : one + "\n\n" + two
    }

    /// Leaves out the oldest turn.
    ///
    /// - Returns: Whether there was one.
    package mutating func dropOldestTurn() -> Bool {
        guard !turns.isEmpty else { return false }
        turns.removeFirst()
        droppedTurns += 1
        return true
    }

    /// How the prompt was made.
    package var report: PromptReport { PromptReport(droppedTurns: droppedTurns, droppedImages: droppedImages) }
}
