// SPDX-License-Identifier: Apache-2.0

/// When the recording of a spoken message ends.
public struct DictationRules: Hashable, Sendable {
    /// It ends after so long without speech, once somebody has spoken.
    public var pause: Duration
    /// It ends after so long in any case.
    public var longest: Duration
    /// Less speech is not written down.
    public var shortestSpeech: Duration

    /// Creates the rules, by default those for messages to an assistant.
    ///
    /// - Parameters:
    ///   - pause: a recording ends after so long without speech; at least 0.1 seconds.
    ///   - longest: a recording ends after so long; at most 30 seconds.
    ///   - shortestSpeech: less speech is not written down.
    public init(
        pause: Duration = .milliseconds(1500), longest: Duration = .seconds(30),
        shortestSpeech: Duration = .milliseconds(500)
    ) {
        self.pause = max(pause, .milliseconds(100))
        self.longest = min(max(longest, .seconds(1)), .seconds(30))
        self.shortestSpeech = shortestSpeech
    }
}
