// SPDX-License-Identifier: Apache-2.0

/// A stretch of sound that contains speech, in samples from the beginning of the session.
package struct SpeechStretch: Hashable, Sendable {
    /// Where it lies, with what is kept before and after the speech.
    package var range: Range<Int>
    /// From the first speech to the last.
    package var speech: Range<Int>
    /// How many samples of it are speech.
    package var spokenCount: Int
    /// Whether no pause separates it from what precedes: longer speech was divided there.
    package var continues: Bool
    /// Whether it ends because it is as long as it may be, and the speech may go on behind it.
    package var isFull: Bool
}
