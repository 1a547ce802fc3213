// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySpeech

/// The text of a decoded window: parts between time stamps, and up to where it is complete.
package struct WindowText {
    /// A part with its tokens.
    package struct Part {
        package var tokens: [Int32]
        package var range: Range<Duration>
        /// Where each token stands in the window.
        package var places: [Int] = []
    }

    package private(set) var parts: [Part] = []
    /// Up to where the window was written down completely.
    package private(set) var consumed: Duration

    /// Divides the tokens of a window.
    ///
    /// - Parameters:
    ///   - window: the tokens with their time stamps.
    ///   - special: the control tokens.
    ///   - duration: how long the sound is.
    ///   - hasEnded: whether the model ended the text itself, and not the limit of its length.
    package init(_ window: [Int32], special: WhisperTokens, duration: Duration, hasEnded: Bool) {
        func isTime(_ token: Int32) -> Bool { token >= special.firstTimestamp }
        func time(_ token: Int32) -> Duration { min(.milliseconds(20 * Int(token - special.firstTimestamp)), duration) }
        consumed = duration
        var begin = Duration.zero
        var text: [Int32] = []
        var places: [Int] = []
        var lastPair: Duration?
        // Whether the window ends with the time at which a sentence begins that goes on behind it.
        var endsWithPair = false
        for (index, token) in window.enumerated() {
            guard isTime(token) else {
                if token < special.endOfText {
                    endsWithPair = false
                    text.append(token)
                    places.append(index)
                }
                continue
            }
            if !text.isEmpty { append(text, places, from: begin, to: time(token)) }
            text.removeAll()
            places.removeAll()
            endsWithPair = index > 0 && isTime(window[index - 1])
            if endsWithPair { lastPair = time(window[index - 1]) }
            begin = time(token)
        }
        if text.isEmpty {
            // A model that stops early has not heard the rest, whether it says so or not.
            if begin > .zero, endsWithPair || duration - begin >= Self.unheard { consumed = begin }
        } else if !hasEnded || duration > Self.fullWindow, let lastPair, lastPair >= Recognition.shortestProgress {
            // The last sentence goes on behind the sound, or behind what may be written of it.
            consumed = lastPair
        } else {
            append(text, places, from: begin, to: duration)
        }
    }

    /// Longer sound fills the model's window.
    private static let fullWindow = Duration.seconds(29)
    /// A rest of so much sound behind the last time is left to another window, where somebody speaks in it.
    private static let unheard = Duration.seconds(2)

    private mutating func append(_ tokens: [Int32], _ places: [Int], from begin: Duration, to end: Duration) {
        parts.append(Part(tokens: tokens, range: begin..<max(begin, end), places: places))
    }
}
