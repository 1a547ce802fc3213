// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// The speech of a session: takes its sound, and hands out stretches in order, each with its sound until it is written
/// down.
struct SpokenStretches: Sendable {
    private var activity: any VoiceActivity
    private var planner: StretchPlanner
    private var sound = SoundBuffer()
    /// Probabilities that the planner has not seen, because a full stretch waits for its recognition.
    private var probabilities: [Float] = []
    /// Stretches that are over and wait for their recognition.
    private var waiting: [SpeechStretch] = []
    /// Whether a full stretch is continued where its recognition says.
    private let waitsForResumption: Bool
    private var isPlanned = false

    /// Whether there is no more sound.
    private(set) var hasEnded = false

    init(_ rules: StretchRules, activity: any VoiceActivity) {
        (self.activity, planner, waitsForResumption) = (activity, StretchPlanner(rules), !rules.dividesAtPauses)
    }

    /// How many samples there have been, and how many are held.
    var count: Int { sound.count }
    var heldCount: Int { sound.heldCount }

    /// The next stretch to be written down.
    var first: SpeechStretch? { waiting.first }
    /// Whether all has been written down, and nothing follows.
    var isOver: Bool { isPlanned && waiting.isEmpty }
    /// The speech that goes on, as a stretch that ends with what has been decided; nil while nobody speaks.
    var current: SpeechStretch? { planner.current }
    /// The stretch that ends here if nobody speaks on; nil before all of its sound is there.
    var anticipated: SpeechStretch? { planner.anticipated }

    /// The middle of the longest pause inside of the speech that goes on, between two places.
    func longestPause(in range: Range<Int>) -> Int? { planner.longestPause(in: range) }

    /// The sound of a range, as far as there is any.
    subscript(_ range: Range<Int>) -> AudioSamples { sound[range] }

    /// Takes the next samples.
    mutating func append(_ samples: [Float]) {
        sound.append(samples)
        probabilities += activity.append(samples)
        plan()
    }

    /// Takes the end of the sound.
    mutating func finish() {
        hasEnded = true
        probabilities += activity.finish()
        plan()
    }

    /// Up to where a stretch has been written down, of which a recogniser says that it has consumed so much. One that does
    /// not get on is not asked again.
    func end(of stretch: SpeechStretch, consumed: Duration) -> Int {
        let samples = consumed.samples(at: AudioSamples.speechRate)
        let end = stretch.range.lowerBound + min(max(0, samples), stretch.range.count)
        let isStuck = consumed < Recognition.shortestProgress
        let restIsPause = end + StretchRules.shortestSpeech > stretch.speech.upperBound
        return isStuck || restIsPause && !(stretch.isFull && waitsForResumption) ? stretch.range.upperBound : end
    }

    /// Takes that the first stretch has been written down up to a place, from which on there is more of it.
    mutating func advance(to place: Int) {
        guard let stretch = waiting.first else { return }
        waiting.removeFirst()
        if stretch.isFull, waitsForResumption {
            planner.resume(at: place)
        } else if place < stretch.range.upperBound {
            var rest = stretch
            rest.range = place..<stretch.range.upperBound
            rest.speech = max(place, stretch.speech.lowerBound)..<stretch.speech.upperBound
            rest.spokenCount = min(stretch.spokenCount, rest.speech.count)
            rest.continues = true
            waiting.insert(rest, at: 0)
        }
        plan()
    }

    /// Gives the planner what it has not seen, up to a stretch of which it must be told where the next one begins.
    private mutating func plan() {
        var index = 0
        while index < probabilities.count, !awaitsResumption {
            if let stretch = planner.append(probabilities[index]) { waiting.append(stretch) }
            index += 1
        }
        probabilities.removeFirst(index)
        if hasEnded, probabilities.isEmpty, !isPlanned, !awaitsResumption {
            if let stretch = planner.finish(at: sound.count) { waiting.append(stretch) }
            isPlanned = true
        }
        sound.drop(before: min(planner.neededFrom, waiting.first?.range.lowerBound ?? .max))
    }

    /// Whether the last stretch has yet to say where the next one begins.
    private var awaitsResumption: Bool { waitsForResumption && waiting.last?.isFull == true }
}
