// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// Limits for what is read of messages, requests and responses, all of which come from untrusted sources.
public struct WireLimits: Hashable, Sendable {
    /// The maximum size and depth of the JSON text. The values are enough for ``embeddings`` of 2,000 tokens each, the
    /// marks for any language.
    public var json = JSONLimits(depth: 64, bytes: 32 << 20, values: 4 << 20, marks: MarkRuns.longest)
    /// The maximum number of messages in a request.
    public var messages = 4_096
    /// The maximum number of parts in a message, and of calls in a message.
    public var parts = 1_024
    /// The maximum length of the arguments of all calls in a request, in bytes: they are JSON inside the JSON.
    public var callBytes = 8 << 20
    /// The maximum number of tools in a request.
    public var tools = 128
    /// The maximum size of a tool's or response format's schema, in bytes of JSON.
    public var schemaBytes = 256 << 10
    /// The maximum number of images in a request.
    public var images = 16
    /// The maximum number of pixels in an image, as its header states them.
    public var imagePixels = 16 << 20
    /// The maximum number of stop strings in a request.
    public var stops = 16
    /// The maximum number of replies to a request (`n`).
    public var choices = 8
    /// The maximum number of texts to continue in a request.
    public var prompts = 16
    /// The maximum number of texts to make vectors of in a request.
    public var embeddings = 2_048
    /// The maximum number of calls in a streamed reply.
    public var calls = 128
    /// The maximum length of the arguments of a streamed call, in bytes.
    public var argumentBytes = 1 << 20

    /// Limits that suit a server on the user's own machine.
    public static let standard = WireLimits()

    /// No limits except the standard ``JSONLimits``, for the user's own files.
    static let files: WireLimits = {
        var limits = WireLimits()
        (limits.json, limits.messages, limits.parts, limits.images) = (.standard, .max, .max, .max)
        limits.imagePixels = .max
        return limits
    }()

    /// Creates the standard limits.
    public init() {}

    /// Parses JSON text within the limits.
    ///
    /// - Throws: ``OpenAIError`` with code `invalid_json`.
    package func parse(_ bytes: some Sequence<UInt8>) throws(OpenAIError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes, limits: json)
        } catch {
            throw OpenAIError(.invalidJSON, "The text is not the JSON that is expected: \(error)", cause: error)
        }
    }
}
