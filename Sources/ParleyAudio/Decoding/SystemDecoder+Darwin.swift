// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFAudio)
    import AVFAudio
    import Foundation

    /// What reads the forms of sound that Parley does not read itself.
    enum SystemDecoding {
        /// Reads what is not WAV with the system's decoders.
        static func decoder(for url: URL) throws -> any SoundDecoder {
            do {
                return try SystemDecoder(AVAudioFile(forReading: url), name: url.lastPathComponent)
            } catch let error as AudioError {
                throw error
            } catch {
                throw AudioError.unknownForm(url.lastPathComponent, cause: error)
            }
        }
    }

    /// Reads a file with `AVAudioFile`. One owner at a time uses it.
    final class SystemDecoder: SoundDecoder {
        let sampleRate: Int
        let sampleCount: Int?
        private let name: String
        private let channels: Int
        private let file: AVAudioFile

        init(_ file: AVAudioFile, name: String) throws {
            let rate = file.processingFormat.sampleRate
            channels = Int(file.processingFormat.channelCount)
            // Some forms write the rate as a float, which may be any.
            guard let whole = Int(exactly: rate.rounded()), WAVFormat.sampleRates.contains(whole),
                WAVFormat.channelCounts.contains(channels)
            else { throw AudioError.unreadNumbers(name, rate: "\(rate)", channels: channels) }
            (self.file, self.name) = (file, name)
            sampleRate = whole
            sampleCount = Int(clamping: max(0, file.length))
        }

        func read(atMost limit: Int) throws -> [Float] {
            let limit = AVAudioFrameCount(SoundPiece.length(limit, channels: channels))
            guard file.framePosition < file.length,
                let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: limit)
            else { return [] }
            do {
                try file.read(into: buffer, frameCount: limit)
            } catch {
                throw AudioError(.unsupportedAudio, "\(name) is damaged.", cause: error)
            }
            return buffer.meanOfChannels().map(\.asSample)
        }
    }

    extension AVAudioPCMBuffer {
        /// The mean of all channels for each time; nothing if the samples are not floats.
        func meanOfChannels() -> [Float] {
            guard let channels = floatChannelData else { return [] }
            let count = Int(format.channelCount)
            return (0..<Int(frameLength)).map { frame in
                // Interleaved samples lie one step of `stride` apart, those of a channel of its own side by side.
                let total = (0..<count).reduce(Float(0)) { $0 + channels[$1][frame * stride] }
                return total / Float(max(1, count))
            }
        }
    }
#endif
