// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// How speech is divided into stretches.
package struct StretchRules: Hashable, Sendable {
    /// A stretch ends after so many samples without speech.
    package var pause: Int
    /// A stretch has at most so many samples.
    package var maximumLength: Int
    /// Whether longer speech is divided at any pause. If not, a full stretch ends in a pause of its last third, else where
    /// it is full, and whoever writes it down says where the next one begins.
    package var dividesAtPauses: Bool

    /// Speech is at least so long, in samples: 250 ms.
    package static let shortestSpeech = 4000
    /// What is shorter may belong to speech that begins at most so much later: 1 s.
    package static let longestDoubt = 16_000
    /// So much is kept before speech and after it: 300 ms and 200 ms.
    package static let before = 4800
    package static let after = 3200

    /// The rules for utterances.
    package init(_ endpointing: Endpointing) {
        // Its values may have been changed after they were bounded.
        let endpointing = Endpointing(pause: endpointing.pause, maximumDuration: endpointing.maximumDuration)
        pause = endpointing.pause.samples(at: AudioSamples.speechRate)
        maximumLength = endpointing.maximumDuration.samples(at: AudioSamples.speechRate)
        dividesAtPauses = true
    }

    private init(pause: Int, maximumLength: Int) {
        (self.pause, self.maximumLength, dividesAtPauses) = (pause, maximumLength, false)
    }

    /// The rules for recordings: 30 seconds, unless nobody speaks for two.
    package static let windows = StretchRules(pause: 32_000, maximumLength: 480_000)
}
