// SPDX-License-Identifier: Apache-2.0

/// Reads sound from its beginning to its end, in one channel.
package protocol SoundDecoder {
    /// How many samples a second has.
    var sampleRate: Int { get }
    /// How many samples there are, if the file says so; at least 0.
    var sampleCount: Int? { get }

    /// Reads on.
    ///
    /// - Parameter limit: at most so many, at least 1.
    /// - Returns: the next samples; none at the end.
    /// - Throws: `AudioError`.
    mutating func read(atMost limit: Int) throws -> [Float]
}
