// SPDX-License-Identifier: Apache-2.0

/// What the recognition of sound cost.
public struct RecognitionStats: Hashable, Sendable {
    /// How often the encoder ran.
    public var encodings = 0
    /// How often a stretch was decoded; more than once if a result did not pass the thresholds.
    public var decodings = 0
    /// How many tokens were decoded.
    public var tokens = 0
    /// The time for the spectrum and the encoder.
    public var encodingTime: Duration = .zero
    /// The time for the decoder.
    public var decodingTime: Duration = .zero

    /// Creates a sum of nothing.
    public init() {}

    /// Adds what something else cost.
    public static func += (left: inout Self, right: Self) {
        left.encodings += right.encodings
        left.decodings += right.decodings
        left.tokens += right.tokens
        left.encodingTime += right.encodingTime
        left.decodingTime += right.decodingTime
    }
}
