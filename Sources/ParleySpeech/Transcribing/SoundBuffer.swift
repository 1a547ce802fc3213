// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// The sound that may still be needed, by its place from the beginning of the session.
struct SoundBuffer: Sendable {
    private var samples: [Float] = []
    private var origin = 0

    /// How many samples there have been.
    var count: Int { origin + samples.count }

    /// How many samples are held.
    var heldCount: Int { samples.count }

    mutating func append(_ more: [Float]) { samples += more }

    /// Forgets what lies before a place.
    mutating func drop(before place: Int) {
        let count = min(max(0, place - origin), samples.count)
        // Moving the rest costs its length, so small steps are saved up.
        if count < 16_000 { return }
        samples.removeFirst(count)
        origin += count
    }

    /// The sound of a range, as far as there is any.
    subscript(_ range: Range<Int>) -> AudioSamples {
        let inside = range.clamped(to: origin..<max(origin, count))
        return AudioSamples(samples: Array(samples[(inside.lowerBound - origin)..<(inside.upperBound - origin)]))
    }
}
