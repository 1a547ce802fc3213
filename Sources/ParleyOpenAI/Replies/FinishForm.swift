// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Writes and reads why a reply ended: as OpenAI's `finish_reason`, which has few values, and as Parley's own
/// `stop_reason`.
enum FinishForm {
    /// The two members for a reason; both are null if the reply has not ended.
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

    /// Reads why a reply ended; nil if it has not, and `stop` if the reason is unknown.
    ///
    /// - Throws: ``OpenAIError`` if the reason is not a string.
    static func reason(_ choice: Field) throws(OpenAIError) -> FinishReason? {
        guard let finish = try choice["finish_reason"].string() else { return nil }
        // Other servers use `stop_reason` for the stop string or its token; those values are ignored.
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
