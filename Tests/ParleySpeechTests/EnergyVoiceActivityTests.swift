// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import Testing

@Suite("Energy voice activity")
struct EnergyVoiceActivityTests {
    private static func probabilities(_ sound: [Float]) -> [Float] {
        var activity = EnergyVoiceActivity()
        let first = activity.append(sound)
        return first + activity.finish()
    }

    @Test(
        "silence, noise and hum are no speech",
        arguments: [
            Sounds.pause(8, level: 0), Sounds.pause(8), Sounds.pause(8, level: 0.1), Sounds.pause(8, level: 0.8),
            Sounds.tone(50, seconds: 8, level: 0.5), Sounds.tone(100, seconds: 8, level: 0.2),
            Sounds.tone(440, seconds: 8, level: 0.3),
        ])
    func ignoresSteadySounds(sound: [Float]) {
        let probabilities = Self.probabilities(sound)
        #expect(probabilities.count == 250)
        #expect(probabilities.allSatisfy { $0 < 0.35 })
    }

    @Test("speech is found where it is, also in noise", arguments: [0, 0.001, 0.01])
    func findsSpeech(noise: Float) {
        let quiet = Sounds.pause(2)
        let sound = zip(quiet + Sounds.speech(3) + quiet, Sounds.pause(7, level: noise, seed: 5)).map { $0 + $1 }
        let found = Self.probabilities(sound).map { $0 >= 0.5 }
        #expect(!found[..<61].contains(true))
        #expect(found[63..<155].count { $0 } > 65)
        #expect(!found[159...].contains(true))
    }

    @Test("who speaks at once is heard, and speech of half a minute does not become the floor")
    func findsSpeechAtOnce() {
        let found = Self.probabilities(Sounds.speech(40)).map { $0 >= 0.5 }
        #expect(found[..<30].count { $0 } > 18)
        #expect(found[(found.count - 100)...].count { $0 } > 60)
    }

    @Test("no cutting into pieces changes a probability")
    func ignoresPieces() {
        let sound = Sounds.pause(1) + Sounds.speech(2) + [0.1, 0.2]
        let whole = Self.probabilities(sound)
        for step in [1, 100, 511, 512, 513, 7000] {
            var activity = EnergyVoiceActivity()
            var result: [Float] = []
            for start in stride(from: 0, to: sound.count, by: step) {
                result += activity.append(sound[start..<min(start + step, sound.count)])
            }
            #expect(result + activity.finish() == whole)
        }
        #expect(Self.probabilities([]).isEmpty)
        #expect(Self.probabilities([0.5]).count == 1)
    }
}
