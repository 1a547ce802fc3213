// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
public import ParleyJSON
public import ParleyOpenAI

/// An error that the server answers with: the HTTP status, OpenAI's form of the error, and what the headers say.
///
/// The message says the remedy, and contains no text of a prompt or reply, no path and no key.
public struct ServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The HTTP status.
    public var status: Int
    /// The error in OpenAI's form.
    public var error: OpenAIError
    /// After how many seconds a client may try again; nil where that does not help.
    public var retryAfter: Int?
    /// The methods that the path has, for status 405.
    public var allowed: [String] = []
    /// Further members of the error object, such as `n_ctx`.
    public var details: JSONObject = [:]
    /// The underlying error, if any; it is not sent and is ignored in comparisons.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - code: the kind of failure.
    ///   - message: what happened and what to do.
    ///   - type: who caused it; nil for what the status says.
    ///   - param: the path of the field that caused it.
    ///   - retryAfter: after how many seconds a client may try again.
    ///   - cause: the underlying error, if any.
    public init(
        _ status: Int, _ code: OpenAIError.Code, _ message: String, type: OpenAIError.Kind? = nil,
        param: String? = nil, retryAfter: Int? = nil, cause: (any Error)? = nil
    ) {
        let usual: OpenAIError.Kind = status == 429 ? .rateLimit : status < 500 ? .invalidRequest : .server
        self.status = status
        error = OpenAIError(code, message, type: type ?? usual, param: param)
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// The answer to an invalid request.
    public init(_ error: OpenAIError) {
        status = 400
        self.error = error
    }

    /// The body of the answer, or the data of the event that ends a stream.
    public var json: JSONValue {
        var json = error.json
        guard !details.isEmpty, var members = json["error"]?.object else { return json }
        members.merge(details) { own, _ in own }
        json = ["error": .object(members)]
        return json
    }

    /// The message.
    public var description: String { error.message }

    /// Whether two errors give the same answer.
    public static func == (one: ServerError, other: ServerError) -> Bool {
        one.status == other.status && one.json == other.json && one.retryAfter == other.retryAfter
            && one.allowed == other.allowed
    }

    /// Hashes the answer.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(json)
    }
}

extension OpenAIError.Code {
    /// There is no such path.
    public static let notFound = Self(rawValue: "not_found")
    /// The path has no such method.
    public static let methodNotAllowed = Self(rawValue: "method_not_allowed")
    /// The body is larger than the server takes.
    public static let tooLarge = Self(rawValue: "request_too_large")
    /// The head of the request is larger than the server takes.
    public static let headTooLarge = Self(rawValue: "request_head_too_large")
    /// The request is not HTTP.
    public static let invalidHTTP = Self(rawValue: "invalid_http")
    /// The body came too slowly.
    public static let requestTimeout = Self(rawValue: "request_timeout")
    /// The body is not JSON by its type.
    public static let unsupportedMediaType = Self(rawValue: "unsupported_media_type")
    /// The key is missing or not known.
    public static let invalidAPIKey = Self(rawValue: "invalid_api_key")
    /// The key may not do this.
    public static let insufficientScope = Self(rawValue: "insufficient_scope")
    /// The request comes from a page of another site.
    public static let forbiddenOrigin = Self(rawValue: "forbidden_origin")
    /// The request names a host that the server does not answer for.
    public static let forbiddenHost = Self(rawValue: "forbidden_host")
    /// There is no such model.
    public static let modelNotFound = Self(rawValue: "model_not_found")
    /// The model cannot do what is asked.
    public static let modelNotCapable = Self(rawValue: "model_not_capable")
    /// The prompt does not fit into the context.
    public static let contextLengthExceeded = Self(rawValue: "context_length_exceeded")
    /// A key's own limit is reached.
    public static let rateLimitExceeded = Self(rawValue: "rate_limit_exceeded")
    /// Too many requests wait.
    public static let queueFull = Self(rawValue: "queue_full")
    /// The request has waited for too long.
    public static let queueTimeout = Self(rawValue: "queue_timeout")
    /// The work on the request has taken too long.
    public static let timeLimitReached = Self(rawValue: "time_limit_reached")
    /// The model is being loaded or unloaded.
    public static let modelLoading = Self(rawValue: "model_loading")
    /// The model is in use.
    public static let modelInUse = Self(rawValue: "model_in_use")
    /// The model could not be loaded.
    public static let modelFailed = Self(rawValue: "model_failed")
    /// There is not enough memory.
    public static let insufficientMemory = Self(rawValue: "insufficient_memory")
    /// The server is about to end.
    public static let draining = Self(rawValue: "draining")
    /// The engine failed.
    public static let engineFailed = Self(rawValue: "engine_failed")
}

extension ServerError {
    /// The end of a request whose client has gone; nobody reads it.
    static let disconnected = ServerError(499, .requestTimeout, "The client has closed the connection.")

    /// The answer to what a runner or a reader of requests has thrown.
    ///
    /// A message of an error that is not Parley's own is not sent, since nobody has checked what it contains.
    init(answering error: any Error) {
        switch error {
        case let error as ServerError: self = error
        case let error as OpenAIError: self.init(error)
        case let error as ConversationError: self.init(error)
        default: self = .failed(error)
        }
    }

    /// The answer to a failure of the engine.
    static let failed = failed(nil)

    /// The same, with what it failed with, for the log.
    static func failed(_ cause: (any Error)?) -> ServerError {
        ServerError(500, .engineFailed, "The engine failed. Look at the server's log.", cause: cause)
    }

    /// The error with what is known of the model and the request, where a prompt does not fit into the context.
    ///
    /// - Parameters:
    ///   - context: the context of the model, in tokens.
    ///   - mayTruncate: whether the request can ask for whole turns to be left out, and does not.
    /// - Returns: the error; the same one if it is another.
    func ofPrompt(context: Int?, mayTruncate: Bool) -> ServerError {
        guard error.code == .contextLengthExceeded else { return self }
        var answer = self
        answer.details["n_ctx"] = context.map(JSONValue.integer)
        if mayTruncate {
            answer.error.message = error.message.replacing(
                Self.shortening(mayTruncate: false), with: Self.shortening(mayTruncate: true))
        }
        return answer
    }

    /// What to do about a prompt that does not fit.
    private static func shortening(mayTruncate: Bool) -> String {
        mayTruncate
            ? "Shorten it, ask for fewer new tokens, or set truncation to auto."
            : "Shorten it, or ask for fewer new tokens."
    }

    private init(_ error: ConversationError) {
        switch error.code {
        case .promptExceedsContext:
            let (prompt, room) = (error.promptTokens ?? 0, error.contextTokens ?? 0)
            self.init(
                400, .contextLengthExceeded,
                "The prompt has \(prompt) tokens and only \(room) fit. \(Self.shortening(mayTruncate: false))",
                param: "messages", cause: error)
            details = ["n_prompt_tokens": .integer(prompt), "n_fit": .integer(room)]
        case .invalidInput:
            let isSchema = error.message.hasPrefix("The schema")
            self.init(400, .invalidValue, error.message, param: isSchema ? "response_format" : nil, cause: error)
        case .insufficientMemory:
            self.init(503, .insufficientMemory, error.message, cause: error)
        case .modelNotLoaded:
            self.init(
                503, .modelLoading, "The model is being unloaded. Send the request again.", retryAfter: 1,
                cause: error)
        case .modelLoadingFailed, .downloadFailed:
            self.init(500, .modelFailed, "The model could not be loaded. Look at the server's log.", cause: error)
        default: self = .failed(error)
        }
    }
}
