// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyRuntime
import ParleyTesting

/// Six seconds of sound in which nobody speaks, made by code.
enum SoundsOfNobody {
    private static let rate = 16_000.0
    private static let count = 96_000

    static let all: [(name: String, samples: [Float])] = [
        ("silence", [Float](repeating: 0, count: count)), ("noise", noise(0.2) { _ in 1 }),
        ("noise that comes and goes", noise(0.4) { sin(2 * .pi * 0.7 * $0) > 0 ? 1 : 0 }),
        ("hum", sound { 0.2 * tone(50, $0) + 0.1 * tone(150, $0) + 0.05 * tone(250, $0) }),
        (
            "hum that is switched on",
            sound { $0.truncatingRemainder(dividingBy: 4) > 2 ? 0.2 * tone(100, $0) + 0.1 * tone(200, $0) : 0 }
        ),
        ("beeps", sound { $0.truncatingRemainder(dividingBy: 1) < 0.3 ? 0.3 * tone(1_000, $0) : 0 }),
        ("a melody", melody), ("chords", chords), ("drums", drums),
        ("a band", zip(zip(melody, chords), drums).map { 0.6 * $0.0 + 0.6 * $0.1 + 0.4 * $1 }),
    ]

    private static func sound(_ value: (Double) -> Double) -> [Float] {
        (0..<count).map { Float(value(Double($0) / rate)) }
    }

    private static func tone(_ frequency: Double, _ time: Double) -> Double { sin(2 * .pi * frequency * time) }

    private static func noise(_ level: Float, _ envelope: (Double) -> Float) -> [Float] {
        var random = SplitMix64(seed: 11)
        return (0..<count).map { level * random.nextFloat() * envelope(Double($0) / rate) }
    }

    /// A plucked note with five partials.
    private static func note(_ semitones: Int, above base: Double, decay: Double, _ time: Double) -> Double {
        guard time >= 0 else { return 0 }
        let frequency = base * pow(2, Double(semitones) / 12)
        let partials = (1...5).reduce(0.0) { $0 + tone(frequency * Double($1), time) / Double($1) }
        return partials * exp(-decay * time) * min(1, time * 100)
    }

    private static let melody = sound { time in
        let notes = [0, 4, 7, 12, 7, 4, 0, 5, 9, 12, 9, 5]
        return notes.enumerated().reduce(0) { total, entry in
            let since = time - 0.5 * Double(entry.offset)
            return since < 0.6 ? total + 0.2 * note(entry.element, above: 220, decay: 3, since) : total
        }
    }

    private static let chords = sound { time in
        let chords = [[0, 4, 7], [5, 9, 12], [7, 11, 14], [0, 4, 7], [9, 12, 16], [5, 9, 12]]
        return chords.enumerated().reduce(0) { total, entry in
            let since = time - Double(entry.offset)
            guard since < 1.2 else { return total }
            return total + entry.element.reduce(0) { $0 + 0.12 * note($1, above: 130, decay: 1.5, since) }
        }
    }

    /// A snare on each quarter of a second, and a bass drum on every other.
    private static let drums: [Float] = zip(
        noise(0.5) { time in
            Float(exp(-40 * time.truncatingRemainder(dividingBy: 0.25)))
        },
        sound { time in
            let since = time.truncatingRemainder(dividingBy: 0.5)
            return 0.6 * tone(60, since * exp(-5 * since)) * exp(-15 * since)
        }
    ).map { $0 + $1 }
}
