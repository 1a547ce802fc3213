// SPDX-License-Identifier: Apache-2.0

/// Divides a sound into stretches of speech, by the probabilities of speech.
///
/// A pure value: what it says depends on the probabilities alone. Speech begins at 0.5 and ends below 0.35; runs shorter
/// than 250 ms that stand alone are no speech.
package struct StretchPlanner: Sendable {
    /// Speech that is not over yet.
    private struct Open {
        /// Where its sound begins, with what is kept before the speech.
        var start: Int
        /// The speech in it, in order and apart by more than ``joined`` stretches.
        var runs: [Range<Int>]
        /// Whether it contains speech that is long enough to be some.
        var isSpeech = false
        var continues = false
        /// Where in its second half speech is least likely, to divide it there if it has no pause.
        var weakest: (place: Int, probability: Float)?
    }

    private let rules: StretchRules
    private var open: Open?
    private var isSpeaking = false
    /// The end of the last stretch; the next one does not begin before.
    private var lastEnd = 0
    /// A full stretch was handed out, and nobody has said yet where the next one begins.
    private var awaitsResumption = false
    /// The last stretch was full, so that speech right behind it continues it.
    private var wasFull = false
    /// How many samples have been decided.
    package private(set) var decided = 0

    private static let length = VoiceActivityFrame.length
    /// Shorter gaps, in samples, are within a word.
    private static let joined = 3 * length
    /// What may be speech and is not after so many samples was a noise.
    private static let patience = 10 * length

    /// Creates a planner.
    package init(_ rules: StretchRules) {
        self.rules = rules
    }

    /// The sound from which on samples may still be needed.
    package var neededFrom: Int { open?.start ?? max(lastEnd, decided - StretchRules.before) }

    /// The speech that goes on, as a stretch that ends with what has been decided; `nil` while nobody speaks.
    package var current: SpeechStretch? {
        guard let open, open.isSpeech, let speech = Self.hull(open.runs), decided > open.start else { return nil }
        return SpeechStretch(
            range: open.start..<decided, speech: speech, spokenCount: Self.sum(open.runs), continues: open.continues,
            isFull: false)
    }

    /// The stretch that there will be if nobody speaks on, as soon as all of its sound is there; `nil` before.
    package var anticipated: SpeechStretch? {
        guard let open, open.isSpeech, let last = open.runs.last, decided >= last.upperBound + StretchRules.after
        else { return nil }
        return Self.stretch(open, endingBy: decided)
    }

    /// The middle of the longest pause inside of the speech that goes on, between two places.
    package func longestPause(in range: Range<Int>) -> Int? {
        guard let open else { return nil }
        let pauses = zip(open.runs, open.runs.dropFirst()).map { $0.upperBound..<$1.lowerBound }
        let inside = pauses.filter { range.contains($0.lowerBound) && $0.upperBound <= range.upperBound }
        return inside.max { $0.count < $1.count }.map { ($0.lowerBound + $0.upperBound) / 2 }
    }

    /// Takes the probability of speech in the next 32 ms.
    ///
    /// - Returns: a stretch that ends with them. One that is full must be followed by ``resume(at:)`` before the next
    ///   probability, where the rules do not divide at pauses.
    package mutating func append(_ probability: Float) -> SpeechStretch? {
        let frame = decided..<(decided + Self.length)
        decided = frame.upperBound
        isSpeaking = probability >= (isSpeaking ? 0.35 : 0.5)
        if isSpeaking { extend(by: frame) }
        guard var open, let last = open.runs.last else { return nil }
        let silence = decided - last.upperBound
        if !open.isSpeech {
            if silence > Self.patience { self.open = nil }
            return nil
        }
        if silence >= rules.pause { return close(at: decided) }
        if open.weakest.map({ probability < $0.probability }) ?? true, decided - open.start > rules.maximumLength / 2 {
            open.weakest = (frame.lowerBound, probability)
            self.open = open
        }
        if decided - open.start + Self.length <= rules.maximumLength { return nil }
        return rules.dividesAtPauses ? divide(open) : fill(open)
    }

    /// Ends the sound.
    ///
    /// - Parameter count: how many samples it has.
    /// - Returns: the last stretch, if somebody was speaking.
    package mutating func finish(at count: Int) -> SpeechStretch? {
        guard let open, open.isSpeech else { return nil }
        return close(at: count)
    }

    /// Says from where on a full stretch is to be continued, in samples from the beginning of the session.
    package mutating func resume(at place: Int) {
        awaitsResumption = false
        wasFull = true
        guard var open else { return }
        open.start = min(max(place, open.start), decided)
        open.runs = open.runs.compactMap { run in
            run.upperBound <= open.start ? nil : max(run.lowerBound, open.start)..<run.upperBound
        }
        open.continues = true
        open.weakest = nil
        lastEnd = open.start
        self.open = open.runs.isEmpty ? nil : open
    }

    /// Counts a frame as speech.
    private mutating func extend(by frame: Range<Int>) {
        guard var open, let last = open.runs.last else {
            let start = max(lastEnd, frame.lowerBound - StretchRules.before)
            let continues = wasFull && frame.lowerBound - lastEnd < rules.pause
            open = Open(start: max(0, start), runs: [frame], continues: continues)
            return
        }
        if frame.lowerBound - last.upperBound <= Self.joined {
            open.runs[open.runs.count - 1] = last.lowerBound..<frame.upperBound
        } else {
            open.runs.append(frame)
            if !open.isSpeech { forgetNoises(of: &open, before: frame.lowerBound - StretchRules.longestDoubt) }
        }
        if let run = open.runs.last, run.count >= StretchRules.shortestSpeech { open.isSpeech = true }
        self.open = open
    }

    /// Leaves out what was too short to be speech and lies before a place; otherwise noises that go on, such as the ticking
    /// of a clock, would make what follows them as long as they are.
    private func forgetNoises(of open: inout Open, before place: Int) {
        open.runs.removeAll { $0.upperBound <= place }
        guard let first = open.runs.first else { return }
        open.start = max(open.start, first.lowerBound - StretchRules.before)
        open.continues = open.continues && first.lowerBound - lastEnd < rules.pause
    }

    /// Ends the stretch behind its last speech.
    private mutating func close(at count: Int) -> SpeechStretch? {
        defer { open = nil }
        guard let open, let stretch = Self.stretch(open, endingBy: count) else { return nil }
        lastEnd = stretch.range.upperBound
        wasFull = false
        return stretch
    }

    /// The stretch of speech that is over, with what is kept behind it as far as there is sound; nil if there is none.
    private static func stretch(_ open: Open, endingBy count: Int) -> SpeechStretch? {
        guard let speech = hull(open.runs) else { return nil }
        let range = open.start..<max(open.start, min(count, speech.upperBound + StretchRules.after))
        // Of the last stretch of a sound that is not whole, a window may have had all that there is.
        if range.isEmpty { return nil }
        return SpeechStretch(
            range: range, speech: speech.clamped(to: range), spokenCount: sum(open.runs), continues: open.continues,
            isFull: false)
    }

    /// Hands out what is as long as it may be; where it goes on is said later.
    private mutating func fill(_ open: Open) -> SpeechStretch? {
        if awaitsResumption { return nil }
        awaitsResumption = true
        // In a pause of the last third no word is cut in two.
        let end = longestPause(in: (decided - rules.maximumLength / 3)..<decided) ?? decided
        let runs = open.runs.filter { $0.lowerBound < end }
        guard let speech = Self.hull(runs) else { return nil }
        return SpeechStretch(
            range: open.start..<end, speech: speech.clamped(to: open.start..<end), spokenCount: Self.sum(runs),
            continues: open.continues, isFull: true)
    }

    /// Divides speech that is as long as it may be at its longest pause; without a pause, where speech is least likely.
    private mutating func divide(_ open: Open) -> SpeechStretch? {
        let runs = open.runs
        var (first, second) = (runs, [Range<Int>]())
        var pause = 0
        for index in runs.indices {
            let next = index + 1 < runs.count ? runs[index + 1].lowerBound : decided
            if next - runs[index].upperBound > pause {
                pause = next - runs[index].upperBound
                (first, second) = (Array(runs[...index]), Array(runs[(index + 1)...]))
            }
        }
        var end = decided
        if pause > 0, let last = first.last {
            end = last.upperBound + min(StretchRules.after, pause / 2)
        } else if let run = runs.last, let weakest = open.weakest, weakest.place > run.lowerBound {
            end = weakest.place
            first[first.count - 1] = run.lowerBound..<end
            second = [end..<run.upperBound]
        }
        guard let speech = Self.hull(first) else { return nil }
        lastEnd = end
        wasFull = true
        self.open = second.first.map { next in
            let start = max(end, next.lowerBound - StretchRules.before)
            return Open(start: start, runs: second, isSpeech: true, continues: true)
        }
        return SpeechStretch(
            range: open.start..<end, speech: speech, spokenCount: Self.sum(first), continues: open.continues,
            isFull: true)
    }

    private static func hull(_ runs: [Range<Int>]) -> Range<Int>? {
        guard let first = runs.first, let last = runs.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    private static func sum(_ runs: [Range<Int>]) -> Int { runs.reduce(0) { $0 + $1.count } }
}
