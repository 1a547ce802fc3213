// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// An error in the form of OpenAI's API: what is wrong with a request, or what a server says about one.
///
/// ```json
/// {"error": {"message": "…", "type": "invalid_request_error", "param": "messages[2].content",
///            "code": "invalid_type"}}
/// ```
public struct OpenAIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is, such as `invalid_type`. More kinds may be added, and servers have their own.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code in JSON.
        public let rawValue: String

        /// A code by its name in JSON.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The text is not JSON, or beyond the limits of size and depth.
        public static let invalidJSON = Code(rawValue: "invalid_json")
        /// A value is of the wrong kind.
        public static let invalidType = Code(rawValue: "invalid_type")
        /// A value is out of range, or does not go with others.
        public static let invalidValue = Code(rawValue: "invalid_value")
        /// Something that is required is missing.
        public static let missingParameter = Code(rawValue: "missing_parameter")
        /// A parameter that would change the reply, and cannot be obeyed.
        public static let unsupportedParameter = Code(rawValue: "unsupported_parameter")
        /// A value that would change the reply, and cannot be obeyed.
        public static let unsupportedValue = Code(rawValue: "unsupported_value")
        /// An image is at an address; only data URLs are taken.
        public static let remoteImageNotAllowed = Code(rawValue: "remote_image_not_allowed")
    }

    /// Who is at fault.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The kind in JSON.
        public let rawValue: String

        /// A kind by its name in JSON.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The request.
        public static let invalidRequest = Kind(rawValue: "invalid_request_error")
        /// The client has asked for too much in too short a time.
        public static let rateLimit = Kind(rawValue: "rate_limit_error")
        /// The server.
        public static let server = Kind(rawValue: "server_error")
    }

    /// What happened and what to do. No text of a message or a reply is in it.
    public var message: String
    /// Who is at fault.
    public var type: Kind
    /// The path of the field that is at fault, such as `messages[2].content`; nil where it is none.
    public var param: String?
    /// What kind of failure it is; nil where the server does not say.
    public var code: Code?
    /// The underlying error, if any; it is neither written nor compared.
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

    /// The error as the body of an answer, or as the data of a stream's last event.
    public var json: JSONValue {
        [
            "error": [
                "message": .string(message), "type": .string(type.rawValue),
                "param": param.map(JSONValue.string) ?? .null, "code": (code?.rawValue).map(JSONValue.string) ?? .null,
            ]
        ]
    }

    /// Reads what a server answered; nil where it is no error. Servers that say only a text, or a number as the code,
    /// are understood.
    public init?(_ json: JSONValue) {
        guard let error = json["error"], !error.isNull else { return nil }
        let code = error["code"]?.string ?? error["code"]?.integer.map { "\($0)" }
        self.init(
            code.map(Code.init(rawValue:)), error["message"]?.string ?? error.string ?? "The server tells no reason.",
            type: error["type"]?.string.map(Kind.init(rawValue:)) ?? .server, param: error["param"]?.string)
    }

    /// The message, with the field that is at fault.
    public var description: String { param.map { "\($0): \(message)" } ?? message }

    /// Whether two errors are written alike.
    public static func == (one: OpenAIError, other: OpenAIError) -> Bool { one.json == other.json }

    /// Hashes what is written.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }
}
