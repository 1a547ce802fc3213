// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio

/// Tells whether somebody speaks while this machine reads aloud, of which the microphone may hear something.
///
/// The level of the first second, in which nobody is expected to interrupt, is what the machine's own voice has in the
/// microphone; with headphones that is the silence of the room. Who is clearly louder than that for a quarter of a
/// second interrupts. What is louder for a shorter time becomes the new measure. A pure value.
package struct InterruptionWatch: Sendable {
    /// The levels of the last stretches, in decibels of full scale.
    private var recent: [Float] = []
    /// The loudest that the machine's own voice has been lately.
    private var own: Float = -120
    private var count = 0
    private var rest: [Float] = []

    private static let length = VoiceActivityFrame.length
    /// A second.
    private static let opening = 31
    /// So many of the last stretches must be louder.
    private static let (wanted, among) = (8, 12)
    /// By so many decibels.
    private static let margin: Float = 6
    /// Quieter than this nobody interrupts.
    private static let quietest: Float = -45
    /// What the measure falls by in each stretch: 0.6 dB a second.
    private static let decay: Float = 0.02

    /// Begins when the machine begins to speak.
    package init() {}

    /// Takes samples of 16 kHz.
    ///
    /// - Returns: whether somebody interrupts.
    package mutating func append(_ samples: [Float]) -> Bool {
        rest += samples
        while rest.count >= Self.length {
            let power = rest.prefix(Self.length).reduce(0) { $0 + $1 * $1 } / Float(Self.length)
            rest.removeFirst(Self.length)
            if follow(10 * log10(power + 1e-12)) { return true }
        }
        return false
    }

    private mutating func follow(_ level: Float) -> Bool {
        count += 1
        own -= Self.decay
        if count <= Self.opening {
            own = max(own, level)
            return false
        }
        recent.append(level)
        if recent.count > Self.among { own = max(own, recent.removeFirst()) }
        let limit = max(own + Self.margin, Self.quietest)
        return recent.count { $0 > limit } >= Self.wanted
    }
}
