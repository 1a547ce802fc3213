// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyConversation
import ParleyJSON

/// Functions, calls and results as text, for templates without tools.
extension FunctionCallFormat {
    /// Calls with their tags.
    private func spell(_ calls: [FunctionCall]) -> String {
        dialect?.spell(calls) ?? JSONCalls.spell(calls, for: parser)
    }

    /// An example of a call.
    private var example: String {
        let allowsAnyName = dialect?.canCall("any name") ?? true
        return spell([FunctionCall(id: "", name: allowsAnyName ? "…" : "name", arguments: ["parameter": "value"])])
    }

    /// The instructions for the model: the functions and how to call them.
    func instructions(for functions: [Function], mode: FunctionCallingMode) -> String {
        let list = functions.map { $0.json.text(.python) }.joined(separator: "\n")
        let duty =
            switch mode {
            case .required: "Call at least one of them before you answer."
            case .named(let name): "Call \(name) before you answer."
            case .automatic, .none: "Call one only where it helps; otherwise just answer."
            }
        return """
            You can call functions. These are given as JSON, one a line:
            <tools>
            \(list)
            </tools>
            \(duty) To call a function, write its name and arguments like this, once for each call:
            \(example)
            The results come back between <tool_response> and </tool_response>.
            """
    }

    /// The messages with calls in the assistant's text and results in user messages, with roles still alternating.
    package func spellingOutCalls(in messages: [ChatMessage]) -> [ChatMessage] {
        var spelled: [ChatMessage] = []
        var results: [String] = []
        for (index, message) in messages.enumerated() {
            if message.role == .tool {
                results.append("<tool_response>\n\(message.text)\n</tool_response>")
                guard index == messages.count - 1 || messages[index + 1].role != .tool else { continue }
                spelled.append(.user(results.joined(separator: "\n")))
                results = []
            } else if let calls = message.functionCalls, !calls.isEmpty {
                var plain = message
                plain.functionCalls = nil
                let written = spell(calls)
                plain.content = [.text(message.text.isEmpty ? written : "\(message.text)\n\(written)")]
                spelled.append(plain)
            } else {
                spelled.append(message)
            }
        }
        return spelled
    }
}
