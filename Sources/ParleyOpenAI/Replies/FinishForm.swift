// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Writes and reads why a reply ended: as OpenAI's `finish_reason`, which has few values, and as Parley's own
/// `stop_reason`.
enum FinishForm {
    /// The two members for a reason; both are null if the reply has not ended.
    ///
    /// - Parameters:
    ///   - reason: why the reply ended; nil if it has not.
    ///   - stopString: the stop string that ended it, if any.
    /// - Returns: the members.
    static func json(_ reason: FinishReason?, stopString: String? = nil) -> JSONObject {
        let (finish, stop): (String?, String?) =
            switch reason {
            case nil: (nil, nil)
            case .stop?: ("stop", stopString)
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

    /// Reads the stop string that ended a reply; nil if none did.
    static func stopString(_ choice: Field) -> String? {
        guard choice["finish_reason"].value.string == "stop", let stop = choice["stop_reason"].value.string,
            !["cancelled", "constraint"].contains(stop)
        else { return nil }
        return stop
    }

    /// Reads why a reply ended; nil if it has not, and `stop` if the reason is unknown.
    ///
    /// - Throws: ``OpenAIError`` if the reason is not a string.
    static func reason(_ choice: Field) throws(OpenAIError) -> FinishReason? {
        guard let finish = try choice["finish_reason"].string() else { return nil }
        // Otherwise it is the stop string, or on other servers its token.
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
