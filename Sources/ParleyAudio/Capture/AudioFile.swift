// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A sound file that is read in pieces, so that its length costs no memory.
///
/// WAV is read by Parley itself; FLAC, MP3, Ogg and Opus by the system on Apple's, and on Linux by libsndfile where it
/// is installed.
public struct AudioFile: AudioSource {
    /// The file.
    public let url: URL
    /// How many samples a second it has.
    public let sampleRate: Int
    /// How long it is, if the file says so.
    public let duration: Duration?
    /// Whether a WAV file ends before the samples that its header promises.
    public let isCutOff: Bool

    /// Opens a file and reads its header.
    ///
    /// - Throws: `AudioError`, if the file cannot be read or is in a form that is not read here.
    public init(_ url: URL) throws {
        let decoder = try Self.open(url)
        self.url = url
        sampleRate = decoder.sampleRate
        duration = decoder.sampleCount.map { .seconds(samples: $0, rate: decoder.sampleRate) }
        isCutOff = (decoder as? WAVDecoder)?.format.isCutOff ?? false
    }

    /// The sound in pieces of at most half a second. A piece is read when it is asked for.
    public func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
        let reading = Reading(url: url)
        return AsyncThrowingStream { try await reading.next() }
    }

    /// Opens the file once more.
    func decoder() throws -> any SoundDecoder { try Self.open(url) }

    private static func open(_ url: URL) throws -> any SoundDecoder {
        let bytes = try SoundBytes(contentsOf: url)
        guard WAVFormat.recognizes(try bytes.read(from: 0, count: 12)) else {
            return try SystemDecoding.decoder(for: url)
        }
        do {
            return try WAVDecoder(bytes)
        } catch let error as AudioError {
            throw AudioError(error.code, "\(url.lastPathComponent): \(error.message)", cause: error.cause)
        }
    }

    /// The pieces of one file, read one after the other.
    private actor Reading {
        private let url: URL
        private var decoder: (any SoundDecoder)?

        init(url: URL) {
            self.url = url
        }

        func next() throws -> AudioSamples? {
            if Task.isCancelled { return nil }
            var decoder = try self.decoder ?? AudioFile.open(url)
            let samples = try decoder.read(atMost: max(1, decoder.sampleRate / 2))
            self.decoder = decoder
            return samples.isEmpty ? nil : AudioSamples(samples: samples, sampleRate: decoder.sampleRate)
        }
    }
}
