// SPDX-License-Identifier: Apache-2.0

/// How often and after what delays a failed operation is repeated.
package struct RetryPolicy: Sendable {
    /// The maximum number of consecutive attempts without progress.
    package var attempts = 6
    /// The delay after the first failure; it doubles with each further failure.
    package var firstDelay = Duration.seconds(1)
    /// The maximum delay that results from doubling.
    package var longestDelay = Duration.seconds(60)
    /// The maximum delay that a server may request; if it requests more, the operation is given up.
    package var longestRequestedDelay = Duration.seconds(300)
    /// The clock used for delays; tests use their own.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// A random number from 0 to 1, which prevents many clients from retrying at the same moment.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// Creates a policy.
    package init() {}

    /// The delay after a number of consecutive failures; nil to give up.
    package func delay(failures: Int, requested: Duration?) -> Duration? {
        guard failures < attempts else { return nil }
        if let requested { return requested <= longestRequestedDelay ? requested : nil }
        let doubled = firstDelay * (1 << min(max(failures - 1, 0), 20))
        return min(doubled, longestDelay) * (0.5 + 0.5 * jitter())
    }
}
