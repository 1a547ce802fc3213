// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// Follows the sound of one spoken message, and says when it is over.
///
/// A pure value: what it says depends on the samples alone.
package struct DictationWatch: Sendable {
    private let rules: DictationRules
    private var activity: any VoiceActivity
    private var planner: StretchPlanner
    /// The speech of stretches that are over, in samples.
    private var spoken = 0
    private var count = 0
    private var isOver = false

    /// Begins with a sound of which nothing is known.
    package init(_ rules: DictationRules, activity: any VoiceActivity) {
        (self.rules, self.activity) = (rules, activity)
        planner = StretchPlanner(StretchRules(rules.endpointing))
    }

    /// How much speech there was so far.
    package var speech: Duration {
        .seconds(samples: spoken + (planner.current?.spokenCount ?? 0), rate: AudioSamples.speechRate)
    }

    /// How long the sound is so far.
    package var duration: Duration { .seconds(samples: count, rate: AudioSamples.speechRate) }

    /// Takes samples of 16 kHz.
    ///
    /// - Returns: how many of them belong to the message; fewer than there are if it ends among them.
    package mutating func append(_ samples: [Float]) -> Int {
        let room = rules.longest.samples(at: AudioSamples.speechRate) - count
        let kept = samples.prefix(max(0, room))
        count += kept.count
        for probability in activity.append(kept) { follow(probability) }
        isOver = isOver || kept.count == room
        return kept.count
    }

    /// Whether nobody has spoken for so long after speech, or the sound is as long as it may be.
    package var hasEnded: Bool { isOver }

    /// Decides what is left when there is no more sound.
    ///
    /// - Throws: `SpeechError` with code `nothingHeard` or `tooShort`, if it is not to be written down.
    package mutating func finish() throws {
        for probability in activity.finish() { follow(probability) }
        isOver = true
        if speech == .zero, duration >= rules.shortestSpeech {
            throw SpeechError.nothingHeard
        }
        if speech < rules.shortestSpeech {
            throw SpeechError(.tooShort, "That was too short. Speak for half a second or more.")
        }
    }

    private mutating func follow(_ probability: Float) {
        guard let stretch = planner.append(probability) else { return }
        spoken += stretch.spokenCount
        // Long speech is divided into full stretches, which is not its end.
        if !stretch.isFull { isOver = true }
    }
}

extension DictationRules {
    /// Where utterances end within the message: it is recognised whole where it can be.
    var endpointing: Endpointing { Endpointing(pause: pause) }
}
