// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// An error in the form of OpenAI's API, for an invalid request or for an error that a server has reported.
///
/// ```json
/// {"error": {"message": "…", "type": "invalid_request_error", "param": "messages[2].content",
///            "code": "invalid_type"}}
/// ```
public struct OpenAIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, such as `invalid_type`; more kinds may be added, and servers have their own.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code in JSON.
        public let rawValue: String

        /// Creates a code from its name in JSON.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The text is not JSON, or is too large or nested too deeply.
        public static let invalidJSON = Code(rawValue: "invalid_json")
        /// A value is of the wrong type.
        public static let invalidType = Code(rawValue: "invalid_type")
        /// A value is out of range, or contradicts other values.
        public static let invalidValue = Code(rawValue: "invalid_value")
        /// A required parameter is missing.
        public static let missingParameter = Code(rawValue: "missing_parameter")
        /// A parameter that would affect the reply is not supported.
        public static let unsupportedParameter = Code(rawValue: "unsupported_parameter")
        /// A value that would affect the reply is not supported.
        public static let unsupportedValue = Code(rawValue: "unsupported_value")
        /// An image is given by a web address; only data URLs are accepted.
        public static let remoteImageNotAllowed = Code(rawValue: "remote_image_not_allowed")
    }

    /// Whether the request, the client or the server caused the error.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind in JSON.
        public let rawValue: String

        /// Creates a kind from its name in JSON.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request is invalid.
        public static let invalidRequest = Kind(rawValue: "invalid_request_error")
        /// The client has sent too many requests, or too large ones, in too short a time.
        public static let rateLimit = Kind(rawValue: "rate_limit_error")
        /// The server has failed.
        public static let server = Kind(rawValue: "server_error")
    }

    /// What happened and what to do; it never contains text of a message or a reply.
    public var message: String
    /// Whether the request, the client or the server caused the error.
    public var type: Kind
    /// The path of the field that caused the error, such as `messages[2].content`; nil if no field did.
    public var param: String?
    /// The kind of failure; nil if the server does not state it.
    public var code: Code?
    /// The underlying error, if any; it is not part of the JSON form and is ignored in comparisons.
    public var cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code?, _ message: String, type: Kind = .invalidRequest, param: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.message = message
        self.type = type
        self.param = param
        self.code = code
        self.cause = cause
    }

    /// The error as the body of a response, or as the data of a stream's last event.
    public var json: JSONValue {
        [
            "error": [
                "message": .string(message), "type": .string(type.rawValue),
                "param": param.map(JSONValue.string) ?? .null, "code": (code?.rawValue).map(JSONValue.string) ?? .null,
            ]
        ]
    }

    /// Reads the error in a server's response; nil if there is none. A plain string in place of the error object, and a
    /// number as the code, are accepted too.
    public init?(_ json: JSONValue) {
        guard let error = json["error"], !error.isNull else { return nil }
        let code = error["code"]?.string ?? error["code"]?.integer.map { "\($0)" }
        self.init(
            code.map(Code.init(rawValue:)), error["message"]?.string ?? error.string ?? "The server tells no reason.",
            type: error["type"]?.string.map(Kind.init(rawValue:)) ?? .server, param: error["param"]?.string)
    }

    /// The message, preceded by the path of the field that caused the error.
    public var description: String { param.map { "\($0): \(message)" } ?? message }

    /// Whether two errors have the same JSON form.
    public static func == (one: OpenAIError, other: OpenAIError) -> Bool { one.json == other.json }

    /// Hashes the JSON form.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }
}
