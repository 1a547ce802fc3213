// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Stretches of speech")
struct StretchPlannerTests {
    private static let frame = VoiceActivityFrame.length

    /// Stretches of a script of speech (positive) and pauses (negative), in frames of 32 ms.
    private static func stretches(
        _ script: [Int], rules: StretchRules = StretchRules(Endpointing()), consumed: Int? = nil
    ) -> [SpeechStretch] {
        var planner = StretchPlanner(rules)
        var result: [SpeechStretch] = []
        for length in script {
            for _ in 0..<abs(length) {
                if let stretch = planner.append(length > 0 ? 0.9 : 0.1) {
                    result.append(stretch)
                    if stretch.isFull, !rules.dividesAtPauses {
                        planner.resume(at: stretch.range.lowerBound + (consumed ?? stretch.range.count))
                    }
                }
            }
        }
        if let last = planner.finish(at: planner.decided) { result.append(last) }
        return result
    }

    @Test("speech has 300 ms before and 200 ms after it, and ends after the pause")
    func padsSpeech() {
        let found = Self.stretches([-50, 20, -50])
        #expect(found.count == 1)
        #expect(found.first?.range == (50 * 512 - 4800)..<(70 * 512 + 3200))
        #expect(found.first?.speech == (50 * 512)..<(70 * 512))
    }

    @Test("what is shorter than 250 ms is no speech, alone or often")
    func ignoresClicks() {
        #expect(Self.stretches([-20, 7, -40]).isEmpty)
        #expect(Self.stretches([-20, 3, -12, 3, -12, 3, -12, 7, -40]).isEmpty)
        #expect(Self.stretches([-20, 8, -40]).count == 1)
        #expect(Self.stretches([-20, 4, -2, 4, -40]).count == 1)
    }

    @Test("noises that go on for long are no part of the speech that follows them")
    func forgetsNoises() {
        let ticks = Array(repeating: [1, -6], count: 300).flatMap(\.self)
        for rules in [StretchRules(Endpointing()), .windows] {
            let found = Self.stretches([-20] + ticks + [30, -80], rules: rules)
            #expect(found.count == 1)
            #expect(found.first?.speech.upperBound == 2150 * Self.frame)
            #expect(found.allSatisfy { $0.range.count < 3 * 16_000 && !$0.isFull })
        }
        var planner = StretchPlanner(.windows)
        for index in 0..<2_000 { _ = planner.append(index.isMultiple(of: 7) ? 0.9 : 0.1) }
        #expect(planner.decided - planner.neededFrom < 2 * 16_000)
    }

    @Test("rules that were changed out of their bounds are bounded")
    func boundsRules() {
        var endpointing = Endpointing()
        (endpointing.pause, endpointing.maximumDuration) = (.zero, .seconds(100))
        let rules = StretchRules(endpointing)
        #expect(rules.pause == 1_600 && rules.maximumLength == 28 * 16_000)
    }

    @Test("a pause of less than 0.7 s is within an utterance")
    func joinsAcrossShortPauses() {
        #expect(Self.stretches([-20, 20, -21, 20, -40]).count == 1)
        #expect(Self.stretches([-20, 20, -22, 20, -40]).count == 2)
    }

    @Test("a longer utterance is divided at its longest pause, and no speech is lost")
    func dividesLongUtterances() {
        let found = Self.stretches([-20, 300, -10, 200, -18, 250, -10, 300, -40])
        #expect(found.map(\.continues) == [false, true])
        #expect(found.first?.speech == (20 * 512)..<(530 * 512))
        #expect(found.last?.speech.lowerBound == 548 * 512)
        #expect(found.allSatisfy { $0.range.count <= 28 * 16_000 })
    }

    @Test("an utterance without a pause is divided too")
    func dividesSteadySpeech() {
        let found = Self.stretches([-20, 3000, -40])
        #expect(found.count >= 4)
        #expect(found.allSatisfy { $0.range.count <= 28 * 16_000 })
        for (one, next) in zip(found, found.dropFirst()) {
            #expect(one.range.upperBound == next.range.lowerBound)
            #expect(next.continues)
        }
        #expect(found.last?.speech.upperBound == 3020 * 512)
    }

    @Test("stretches are disjoint and ascend, and cover the speech, for any script")
    func holdsForAnyScript() {
        var random = SplitMix64(seed: 7)
        for round in 0..<300 {
            let script = (0..<Int.random(in: 1...40, using: &random)).map { index in
                Int.random(in: 1...(index % 7 == 6 ? 400 : 40), using: &random) * (index % 2 == 0 ? -1 : 1)
            }
            for rules in [StretchRules(Endpointing()), .windows] {
                let consumed = round % 2 == 0 ? nil : 300_000
                let found = Self.stretches(script, rules: rules, consumed: consumed)
                for stretch in found {
                    #expect(stretch.range.count <= rules.maximumLength)
                    #expect(stretch.range.lowerBound <= stretch.speech.lowerBound)
                    #expect(stretch.speech.upperBound <= stretch.range.upperBound)
                }
                if consumed == nil {
                    for (one, next) in zip(found, found.dropFirst()) {
                        #expect(one.range.upperBound <= next.range.lowerBound)
                    }
                }
                var place = 0
                for length in script {
                    let run = place..<(place + abs(length) * 512)
                    place = run.upperBound
                    // A run of its own is speech from 250 ms on.
                    guard length >= 8 else { continue }
                    for frame in stride(from: run.lowerBound, to: run.upperBound, by: 512) {
                        #expect(found.contains { $0.range.contains(frame) }, "\(script) at \(frame / 512)")
                    }
                }
            }
        }
    }

    @Test("a window of 30 s ends in the longest pause of its last third, if there is one")
    func dividesWindows() {
        let found = Self.stretches([-20, 400, -40, 260, -10, 100, -20, 60, -10, 300, -80], rules: .windows)
        #expect(found.map(\.isFull) == [true, false] && found.map(\.continues) == [false, true])
        #expect(found.first?.range.upperBound == 840 * Self.frame && found.last?.range.lowerBound == 840 * Self.frame)
        #expect(found.first?.speech.upperBound == 830 * Self.frame)
    }

    @Test("where a window has had all of the sound, nothing is left to recognise")
    func endsWithWindow() {
        var planner = StretchPlanner(.windows)
        let found = (0..<937).compactMap { _ in planner.append(0.9) }
        #expect(found.map(\.isFull) == [true] && found.first?.range == 0..<(937 * Self.frame))
        // The last 32 ms were not whole.
        let count = 937 * Self.frame - 400
        planner.resume(at: count)
        #expect(planner.finish(at: count) == nil)
    }

    @Test("a window of 30 s goes on where its text ended")
    func continuesWindows() {
        let found = Self.stretches([-20, 2500, -80], rules: .windows, consumed: 25 * 16_000)
        #expect(found.map(\.isFull) == [true, true, true, false])
        #expect(found.map(\.continues) == [false, true, true, true])
        let start = 20 * 512 - 4800
        #expect(found.map(\.range.lowerBound) == [0, 1, 2, 3].map { start + $0 * 400_000 })
        #expect(found[0].range.count > 479_000)
    }
}
