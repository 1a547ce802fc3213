// SPDX-License-Identifier: Apache-2.0

/// Reads sound from its beginning to its end, in one channel.
package protocol SoundDecoder {
    /// How many samples a second has.
    var sampleRate: Int { get }
    /// How many samples there are, if the file says so; at least 0.
    var sampleCount: Int? { get }

    /// Reads on.
    ///
    /// - Parameter limit: at most so many, at least 1; of files with many channels it may be fewer.
    /// - Returns: the next samples; none at the end.
    /// - Throws: `AudioError`.
    mutating func read(atMost limit: Int) throws -> [Float]
}

/// How much is read at a time.
enum SoundPiece {
    /// A piece has at most so many values in all channels, whatever numbers a file says.
    private static let mostValues = 1 << 20

    /// How many samples are read, of each channel, where so many are wanted.
    static func length(_ wanted: Int, channels: Int) -> Int {
        min(max(1, wanted), max(1, mostValues / max(1, channels)))
    }
}
