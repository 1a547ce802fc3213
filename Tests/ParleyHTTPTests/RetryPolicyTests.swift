// SPDX-License-Identifier: Apache-2.0

import ParleyHTTP
import Testing

@Suite("RetryPolicy")
struct RetryPolicyTests {
    private func policy(jitter: Double) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.jitter = { jitter }
        policy.attempts = 100
        return policy
    }

    @Test("waits double up to the longest one")
    func doubling() {
        let policy = policy(jitter: 1)
        let waits = [1, 2, 3, 7, 99].map { policy.delay(failures: $0, requested: nil) }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(60), .seconds(60)])
    }

    @Test("the random part reduces a wait by at most half")
    func jitter() {
        #expect(policy(jitter: 0).delay(failures: 2, requested: nil) == .seconds(1))
    }

    @Test("the wait that a server asks for is observed, unless it is too long")
    func requested() {
        #expect(policy(jitter: 0).delay(failures: 1, requested: .seconds(120)) == .seconds(120))
        #expect(policy(jitter: 0).delay(failures: 1, requested: .seconds(86_400)) == nil)
    }

    @Test("after the maximum number of failures there is no further attempt")
    func end() {
        #expect(RetryPolicy().delay(failures: 6, requested: nil) == nil)
        #expect(RetryPolicy().delay(failures: 5, requested: nil) != nil)
    }
}
