// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// Tells where somebody speaks, in sound that arrives in pieces.
///
/// The probabilities depend on the samples alone, and not on how they were cut into pieces.
package protocol VoiceActivity: Sendable {
    /// What finds the speech, for users.
    var name: String { get }

    /// Takes samples of 16 kHz.
    ///
    /// - Returns: the probability of speech in each further stretch of ``VoiceActivityFrame/length`` samples that is
    ///   decided; they follow one another from the beginning, and may lag behind the samples.
    mutating func append(_ samples: some Collection<Float>) -> [Float]

    /// Decides what is left when there is no more sound; a last stretch that is not whole counts as one.
    mutating func finish() -> [Float]
}

/// The stretches for which voice activity is told.
package enum VoiceActivityFrame {
    /// Samples of 16 kHz: 32 ms.
    package static let length = 512

    /// How many stretches a time has, rounded up.
    package static func count(in duration: Duration) -> Int {
        (duration.samples(at: AudioSamples.speechRate) + length - 1) / length
    }
}
