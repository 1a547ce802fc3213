// SPDX-License-Identifier: Apache-2.0

/// How often and when what failed is tried again.
package struct RetryPolicy: Sendable {
    /// The attempts in a row that may bring nothing.
    package var attempts = 6
    /// The wait after the first failure; it doubles with each further one.
    package var firstDelay = Duration.seconds(1)
    /// The longest wait that the back-off leads to.
    package var longestDelay = Duration.seconds(60)
    /// The longest wait that a server may ask for.
    package var longestRequestedDelay = Duration.seconds(300)
    /// Waits; tests put a clock of their own in.
    package var clock: any Clock<Duration> = ContinuousClock()
    /// A number from 0 to 1 that keeps many clients from coming back at the same moment.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }

    /// Creates a policy.
    package init() {}

    /// How long to wait after so many failures in a row; nil to give up.
    package func delay(failures: Int, requested: Duration?) -> Duration? {
        guard failures < attempts else { return nil }
        if let requested { return requested <= longestRequestedDelay ? requested : nil }
        let doubled = firstDelay * (1 << min(max(failures - 1, 0), 20))
        return min(doubled, longestDelay) * (0.5 + 0.5 * jitter())
    }
}
