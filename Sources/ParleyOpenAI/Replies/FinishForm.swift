// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Why a reply ended, in OpenAI's form: `finish_reason`, which knows few reasons, and beside it Parley's `stop_reason`.
enum FinishForm {
    /// The members that say why a reply ended; both are null while it has not.
    static func json(_ reason: FinishReason?) -> JSONObject {
        let (finish, stop): (String?, String?) =
            switch reason {
            case nil: (nil, nil)
            case .stop?: ("stop", nil)
            case .length?: ("length", nil)
            case .contextFull?: ("length", "context_full")
            case .timeout?: ("length", "timeout")
            case .cancelled?: ("stop", "cancelled")
            case .constraint?: ("stop", "constraint")
            case .functionCall?: ("tool_calls", nil)
            }
        return [
            "finish_reason": finish.map(JSONValue.string) ?? .null, "stop_reason": stop.map(JSONValue.string) ?? .null,
        ]
    }

    /// Why a reply ended; nil while it has not. Reasons that are not known count as `stop`.
    ///
    /// - Throws: ``OpenAIError`` where the reason is no text.
    static func reason(_ choice: Field) throws(OpenAIError) -> FinishReason? {
        guard let finish = try choice["finish_reason"].string() else { return nil }
        // Other servers put the stop string there, or its token.
        switch choice["stop_reason"].value.string {
        case "context_full"?: return .contextFull
        case "timeout"?: return .timeout
        case "cancelled"?: return .cancelled
        case "constraint"?: return .constraint
        default: break
        }
        return switch finish {
        case "length": .length
        case "tool_calls", "function_call": .functionCall
        default: .stop
        }
    }
}
