// SPDX-License-Identifier: Apache-2.0

/// What each key has in use, as a pure state machine: how many of its requests run or wait, and how many tokens it may
/// still use.
///
/// The tokens of a minute are a bucket that fills evenly. A request is admitted while the bucket is not empty, and its
/// tokens are taken when it has ended, so that no count is needed before.
package struct KeyLimits: Sendable {
    private struct Usage {
        var requests = 0
        var tokens: Double
        var filledAt: ContinuousClock.Instant
    }

    private var usages: [String: Usage] = [:]

    /// Creates limits of which nothing is in use.
    package init() {}

    /// A request of a key arrives.
    ///
    /// - Throws: ``ServerError`` with code `rate_limit_exceeded` if a limit of the key is reached.
    package mutating func begin(_ key: AccessKey, now: ContinuousClock.Instant) throws(ServerError) {
        var usage = filled(key, now)
        if let limit = key.concurrent, usage.requests >= limit {
            throw ServerError(
                429, .rateLimitExceeded,
                "\(limit) requests of this key run or wait already. Send the request when one has ended.", retryAfter: 1
            )
        }
        if let limit = key.tokensPerMinute, usage.tokens <= 0 {
            let seconds = (1 - usage.tokens) * 60 / Double(max(limit, 1))
            throw ServerError(
                429, .rateLimitExceeded,
                "The key has used its \(limit) tokens of a minute. Send the request again later.",
                retryAfter: Int(min(seconds.rounded(.up), 60)))
        }
        usage.requests += 1
        usages[key.name] = usage
    }

    /// A request of a key has ended, for which so many tokens were read and generated.
    package mutating func end(_ key: AccessKey, tokens: Int, now: ContinuousClock.Instant) {
        var usage = filled(key, now)
        usage.requests = max(usage.requests - 1, 0)
        usage.tokens -= Double(tokens)
        usages[key.name] = usage
    }

    private func filled(_ key: AccessKey, _ now: ContinuousClock.Instant) -> Usage {
        let most = Double(key.tokensPerMinute ?? 0)
        guard var usage = usages[key.name] else { return Usage(tokens: most, filledAt: now) }
        let seconds = usage.filledAt.duration(to: now) / .seconds(1)
        usage.tokens = min(usage.tokens + most * seconds / 60, most)
        usage.filledAt = now
        return usage
    }
}
