// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI
import ParleyServer
import Testing

@Suite("A key's own limits")
struct KeyLimitsTests {
    private let start = ContinuousClock.now

    private func key(concurrent: Int? = nil, tokensPerMinute: Int? = nil) -> AccessKey {
        AccessKey.make(name: "a", scopes: [.api], concurrent: concurrent, tokensPerMinute: tokensPerMinute).key
    }

    @Test("As many requests of a key as it may have are admitted, and the next one when one has ended.")
    func concurrent() throws {
        var limits = KeyLimits()
        let key = key(concurrent: 2)
        try limits.begin(key, now: start)
        try limits.begin(key, now: start)
        let error = #expect(throws: ServerError.self) { try limits.begin(key, now: start) }
        #expect(error?.status == 429)
        #expect(error?.error.type == .rateLimit)
        #expect(error?.error.code == .rateLimitExceeded)
        limits.end(key, tokens: 10, now: start)
        try limits.begin(key, now: start)
    }

    @Test("A key that has used its tokens waits until as many have come as it has used too many.")
    func tokens() throws {
        var limits = KeyLimits()
        let key = key(tokensPerMinute: 60)
        try limits.begin(key, now: start)
        limits.end(key, tokens: 90, now: start)
        let error = #expect(throws: ServerError.self) { try limits.begin(key, now: start) }
        #expect(error?.retryAfter == 31)
        #expect(throws: ServerError.self) { try limits.begin(key, now: start + .seconds(30)) }
        try limits.begin(key, now: start + .seconds(31))
    }

    @Test("A minute's tokens are not saved up, and a key without limits has none.")
    func bounds() throws {
        var limits = KeyLimits()
        let key = key(tokensPerMinute: 60)
        try limits.begin(key, now: start)
        limits.end(key, tokens: 1, now: start)
        try limits.begin(key, now: start + .seconds(3_600))
        limits.end(key, tokens: 61, now: start + .seconds(3_600))
        #expect(throws: ServerError.self) { try limits.begin(key, now: start + .seconds(3_600)) }
        let free = AccessKey.make(name: "b", scopes: [.api]).key
        for _ in 0..<100 { try limits.begin(free, now: start) }
    }
}
