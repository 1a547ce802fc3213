// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds speech where the sound is well above its noise floor.
///
/// The floor is the lowest level of the last four seconds: between words, speech falls to the level of the room, while
/// noise and hum stay where they are, so that they are never above their own floor.
/// See R. Martin, [Noise power spectral density estimation based on optimal smoothing and minimum statistics](
/// https://doi.org/10.1109/89.928915), 2001.
package struct EnergyVoiceActivity: VoiceActivity {
    package let name = "energy over the noise floor"

    /// Samples that do not fill a stretch yet.
    private var rest: [Float] = []
    /// The filter that removes rumble: its last input and output.
    private var lastInput: Float = 0
    private var lastOutput: Float = 0
    /// The levels of the first stretches, which are decided together.
    private var opening: [Float] = []
    private var hasOpened = false
    /// The lowest levels of the last blocks of stretches; the last of them grows.
    private var minima: [Float] = []
    private var blockLength = 0

    /// The first half second has one floor, so that who speaks at once is heard.
    private static let openingLength = 16
    private static let blockStretches = 16
    private static let blockCount = 8
    /// Quieter than this, in decibels of full scale, the floor is not taken to be.
    private static let lowestFloor: Float = -65
    /// So many decibels above the floor, speech is as likely as not.
    private static let threshold: Float = 9
    private static let slope: Float = 2
    /// Keeps three quarters of the level at 150 Hz, and a third at 50 Hz.
    private static let feedback: Float = 0.95

    /// Begins with a sound of which nothing is known.
    package init() {}

    package mutating func append(_ samples: some Collection<Float>) -> [Float] {
        rest += samples
        let length = VoiceActivityFrame.length
        let whole = rest.count / length
        if whole == 0 { return [] }
        var result: [Float] = []
        for index in 0..<whole {
            let level = level(of: rest[(index * length)..<((index + 1) * length)])
            if hasOpened {
                result.append(probability(of: level))
            } else {
                opening.append(level)
                if opening.count == Self.openingLength { result += open() }
            }
        }
        rest.removeFirst(whole * length)
        return result
    }

    package mutating func finish() -> [Float] {
        var result: [Float] = []
        if !rest.isEmpty {
            let level = level(of: rest[...])
            rest = []
            if hasOpened { result.append(probability(of: level)) } else { opening.append(level) }
        }
        return hasOpened ? result : open()
    }

    /// Decides the first stretches, all with the lowest level among them as the floor.
    private mutating func open() -> [Float] {
        hasOpened = true
        minima = [opening.min() ?? 0]
        blockLength = 0
        defer { opening = [] }
        return opening.map { probability(of: $0) }
    }

    /// The level without rumble in decibels of full scale.
    private mutating func level(of samples: ArraySlice<Float>) -> Float {
        var total: Float = 0
        for sample in samples {
            lastOutput = sample - lastInput + Self.feedback * lastOutput
            lastInput = sample
            total += lastOutput * lastOutput
        }
        return 10 * log10(total / Float(max(1, samples.count)) + 1e-12)
    }

    private mutating func probability(of level: Float) -> Float {
        if blockLength == Self.blockStretches {
            minima.append(level)
            if minima.count > Self.blockCount { minima.removeFirst() }
            blockLength = 0
        }
        blockLength += 1
        minima[minima.count - 1] = min(minima[minima.count - 1], level)
        let floor = max(Self.lowestFloor, minima.min() ?? level)
        return 1 / (1 + exp((Self.threshold - (level - floor)) / Self.slope))
    }
}
