// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyOpenAI

/// Turns the bytes of a server's answer into the parts of a reply; the time is handed in.
///
/// Both forms are read: a stream of events, and the whole reply as one JSON object, with which some servers answer
/// whatever is asked for.
struct RemoteReply {
    /// What bytes have brought.
    struct News {
        var parts: [ResponsePart] = []
        var probabilities: [TokenProbability] = []
        /// Whether the server has begun with the reply.
        var hasBegun = false
        /// Whether nothing more is to come.
        var isOver = false
    }

    private let isStream: Bool
    private let limits: WireLimits
    private var parser = ServerSentEventParser()
    private var reader: ChatCompletionStreamReader
    /// The body so far, of an answer that is no stream.
    private var body = Data()
    private var isOver = false
    private let start: ContinuousClock.Instant
    private var first: ContinuousClock.Instant?
    private var last: ContinuousClock.Instant?
    /// What the server itself states of the speed.
    private var timings: JSONValue?

    /// Whether the server has said why the reply ended, after which only the numbers of tokens come.
    var hasEnded: Bool { reader.hasEnded }

    init(
        mediaType: String?, usedCallIDs: Set<String>, start: ContinuousClock.Instant, limits: WireLimits = .standard
    ) {
        isStream = mediaType != "application/json"
        reader = ChatCompletionStreamReader(usedCallIDs: usedCallIDs, limits: limits)
        self.limits = limits
        self.start = start
    }

    /// Reads the next bytes.
    ///
    /// - Throws: `OpenAIError`, either the server's or one that says what is wrong with the answer; `HTTPError`.
    mutating func read(_ bytes: Data, at now: ContinuousClock.Instant) throws -> News {
        guard isStream else {
            body += bytes
            return News()
        }
        var events: [ServerSentEvent] = []
        try parser.read(bytes, into: &events)
        return try read(events, at: now)
    }

    private mutating func read(_ events: [ServerSentEvent], at now: ContinuousClock.Instant) throws -> News {
        var news = News()
        for event in events where !isOver {
            let data = event.data.drop(while: \.isWhitespace)
            if data.isEmpty { continue }
            if data.hasPrefix(ChatCompletionChunk.end) {
                isOver = true
            } else {
                try read(ChatCompletionChunk(reading: data.utf8, limits: limits), into: &news, at: now)
            }
        }
        news.isOver = isOver
        return news
    }

    private mutating func read(
        _ chunk: ChatCompletionChunk, into news: inout News, at now: ContinuousClock.Instant
    ) throws {
        news.hasBegun = true
        timings = chunk.others["timings"] ?? timings
        let parts = try reader.read(chunk)
        let brings = !parts.isEmpty || chunk.deltas.contains { !$0.calls.isEmpty }
        if brings {
            first = first ?? now
            last = now
        }
        news.parts += parts
        for delta in chunk.deltas where delta.index == 0 { news.probabilities += delta.probabilities }
    }

    /// Ends the reply after the last byte, or after the end of the stream.
    ///
    /// - Returns: what is left, and how the reply ended; nil for the outcome if the answer ended within the reply.
    /// - Throws: as ``read(_:at:)``.
    mutating func finish(at now: ContinuousClock.Instant) throws -> (news: News, outcome: GenerationOutcome?) {
        var news = News()
        if isStream {
            if !isOver {
                // Some servers leave out the empty line that ends the last event.
                var events: [ServerSentEvent] = []
                try parser.read([0x0A, 0x0A], into: &events)
                do {
                    news = try read(events, at: now)
                } catch {
                    // What is cut off after the end of the reply does not matter.
                    if !reader.hasEnded { throw error }
                }
            }
        } else {
            try read(ChatCompletionChunk(reading: body, limits: limits), into: &news, at: now)
        }
        guard reader.hasEnded || isOver else { return (news, nil) }
        let hasReason = reader.hasEnded
        var (parts, outcome) = reader.finish()
        // A server that says `[DONE]` without a reason has still come to the end.
        if !hasReason { outcome.finishReason = .stop }
        news.parts += parts
        outcome.stats = outcome.stats.map(timed)
        return (news, outcome)
    }

    /// Adds the times: the server's own where it states them, else as they are seen from here.
    private func timed(_ stats: GenerationStats) -> GenerationStats {
        var stats = stats
        if let speed = timings?["predicted_per_second"]?.number, speed.isFinite, speed > 0 {
            stats.tokensPerSecond = speed
        } else if let first, let last, stats.completionTokens > 1, last > first {
            stats.tokensPerSecond = Double(stats.completionTokens - 1) / ((last - first) / .seconds(1))
        }
        stats.timeToFirstToken = first.map { $0 - start }
        return stats
    }
}
