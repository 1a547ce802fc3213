// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// Writes errors in the form of Anthropic's API.
package enum AnthropicErrorForm {
    /// The body of an answer, or the data of a stream's last event.
    ///
    /// - Parameters:
    ///   - message: what happened and what to do.
    ///   - status: the HTTP status, which says what kind of error it is.
    ///   - requestID: the request's id; nil in an event of a stream.
    /// - Returns: the error.
    package static func json(_ message: String, status: Int, requestID: String? = nil) -> JSONValue {
        var members: JSONObject = [
            "type": "error", "error": ["type": .string(type(status)), "message": .string(message)],
        ]
        members["request_id"] = requestID.map(JSONValue.string)
        return .object(members)
    }

    private static func type(_ status: Int) -> String {
        switch status {
        case 401: "authentication_error"
        case 403: "permission_error"
        case 404: "not_found_error"
        case 413: "request_too_large"
        case 429: "rate_limit_error"
        case 503: "overloaded_error"
        case 500...: "api_error"
        default: "invalid_request_error"
        }
    }
}
