// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension AudioSamples {
    /// Sound is read into memory only up to this length; ``AudioFile`` reads any length in pieces.
    public static let maximumDuration = Duration.seconds(6 * 3600)

    /// Reads a WAV file: integers of 8, 16, 24 or 32 bits or floats, of any rate and number of channels, of which the
    /// mean is taken.
    ///
    /// - Throws: `AudioError`, if it is no WAV file, is damaged, in a form that is not read, or longer than
    ///   ``maximumDuration``.
    public init(wav data: Data) throws {
        try self.init(WAVDecoder(SoundBytes(data)))
    }

    /// Reads a sound file: WAV, and on Apple's systems, and where libsndfile is installed, FLAC, MP3, Ogg and Opus.
    ///
    /// - Throws: `AudioError`, if the file cannot be read, is in a form that is not read here, or is longer than
    ///   ``maximumDuration``.
    public init(contentsOf url: URL) throws {
        try self.init(AudioFile(url).decoder())
    }

    /// Reads all that a decoder has.
    init(_ decoder: any SoundDecoder) throws {
        var decoder = decoder
        let limit = Self.maximumDuration.samples(at: decoder.sampleRate)
        let tooLong = AudioError(.tooLong, "The sound is longer than \(Self.maximumDuration.components.seconds) s.")
        if let count = decoder.sampleCount, count > limit { throw tooLong }
        var samples: [Float] = []
        while true {
            let piece = try decoder.read(atMost: 1 << 16)
            if piece.isEmpty { break }
            samples += piece
            if samples.count > limit { throw tooLong }
        }
        self.init(samples: samples, sampleRate: decoder.sampleRate)
    }

    /// The sound as a WAV file with 16 bits a sample; what is beyond −1 and 1 is clipped.
    public func wav() -> Data {
        let byteCount = UInt32(clamping: samples.count * 2)
        var data = Data(capacity: 44 + samples.count * 2)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        data.append(contentsOf: "RIFF".utf8)
        append(byteCount.addingReportingOverflow(36).overflow ? UInt32.max : byteCount + 36)
        data.append(contentsOf: "WAVEfmt ".utf8)
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(clamping: sampleRate))
        append(UInt32(clamping: sampleRate * 2))
        append(UInt16(2))
        append(UInt16(16))
        data.append(contentsOf: "data".utf8)
        append(byteCount)
        for sample in samples {
            let scaled = (sample.isNaN ? 0 : sample * 32_768).rounded()
            append(Int16(min(max(scaled, -32_768), 32_767)))
        }
        return data
    }
}
