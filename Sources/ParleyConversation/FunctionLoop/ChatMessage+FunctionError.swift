// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension ChatMessage {
    /// The answer to a call without a result, for the model to read: `{"error": "…"}`.
    public static func functionError(_ text: String, for call: FunctionCall) -> ChatMessage {
        let value: JSONValue = ["error": .string(text)]
        return .functionResult(value.text(.python), for: call)
    }
}
