// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// How much of a message, a request or an answer is read; all of it comes from strangers.
public struct WireLimits: Hashable, Sendable {
    /// The size and depth of the JSON text.
    public var json = JSONLimits(depth: 64, bytes: 32 << 20)
    /// The most messages of a request.
    public var messages = 4_096
    /// The most parts of a message, and the most calls in one.
    public var parts = 1_024
    /// The most tools of a request.
    public var tools = 128
    /// The largest schema of a tool or a response format, in bytes of JSON.
    public var schemaBytes = 256 << 10
    /// The most images of a request.
    public var images = 16
    /// The most stop strings of a request.
    public var stops = 16
    /// The most choices of a request (`n`).
    public var choices = 8
    /// The most calls of a streamed reply.
    public var calls = 128
    /// The longest arguments of a streamed call, in bytes.
    public var argumentBytes = 1 << 20

    /// What suits a server on a machine of one's own.
    public static let standard = WireLimits()

    /// No bounds but those of ``JSONLimits``, for files of the user's own.
    static let files: WireLimits = {
        var limits = WireLimits()
        (limits.json, limits.messages, limits.parts, limits.images) = (.standard, .max, .max, .max)
        return limits
    }()

    /// Creates the standard limits.
    public init() {}

    /// Reads a JSON text within the limits.
    ///
    /// - Throws: ``OpenAIError`` with code `invalid_json`.
    func parse(_ bytes: some Sequence<UInt8>) throws(OpenAIError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes, limits: json)
        } catch {
            throw OpenAIError(.invalidJSON, "The text is not the JSON that is expected: \(error)", cause: error)
        }
    }
}
