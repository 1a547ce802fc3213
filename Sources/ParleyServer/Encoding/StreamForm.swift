// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// A server-sent event.
package struct StreamEvent: Hashable, Sendable {
    /// The event's name; nil where the form has none.
    package var name: String?
    /// The data, which is one line.
    package var data: String
    /// What a client that comes back names as the last that it has; nil where streams are not taken up again.
    package var id: String?

    /// Creates an event.
    package init(_ name: String? = nil, data: String, id: String? = nil) {
        self.name = name
        self.data = data
        self.id = id
    }

    /// An event with JSON.
    init(_ json: JSONValue, name: String? = nil) {
        self.init(name, data: json.text())
    }

    /// The event as it is sent.
    package var text: String {
        (id.map { "id: \($0)\n" } ?? "") + (name.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n"
    }
}

/// Writes the events of a streamed answer in an endpoint's form.
package protocol StreamForm: Sendable {
    /// The first events of a reply.
    mutating func begin(choice: Int) -> [StreamEvent]

    /// Notes how many tokens a prompt has, before its reply begins.
    mutating func note(promptTokens: Int, choice: Int)

    /// Adds probabilities of tokens, which a later event tells.
    mutating func add(_ probabilities: [TokenProbability], choice: Int)

    /// The events for a piece of a reply.
    mutating func part(for response: MessageResponse, choice: Int) -> [StreamEvent]

    /// The last events of a reply.
    mutating func end(_ completion: MessageCompletion, choice: Int) -> [StreamEvent]

    /// The last events of the answer.
    mutating func finish() -> [StreamEvent]

    /// The last events of an answer that fails.
    mutating func fail(_ error: ServerError) -> [StreamEvent]
}

extension StreamForm {
    /// Most forms tell it at the end.
    package mutating func note(promptTokens: Int, choice: Int) {}

    /// Where the last reply ends the answer, nothing follows it.
    package mutating func finish() -> [StreamEvent] { [] }

    /// The failure as OpenAI's completions tell it.
    package mutating func fail(_ error: ServerError) -> [StreamEvent] { [StreamEvent(error.json)] }

    /// Events that are named after their types.
    static func events(_ list: [JSONValue]) -> [StreamEvent] {
        list.map { StreamEvent($0, name: $0["type"]?.string) }
    }
}
