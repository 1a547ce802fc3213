// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What the header of a WAV file says, checked: how its samples are written, and where they lie.
///
/// RIFF, and RF64 and BW64, whose sizes have 64 bits. Integers of 8, 16, 24 and 32 bits and floats of 32 and 64.
/// See [Multimedia Programming Interface and Data Specifications 1.0](
/// https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html) and EBU Tech 3306.
package struct WAVFormat: Hashable, Sendable {
    /// How a sample is written.
    package enum Sample: Hashable, Sendable {
        /// An integer of 8 bits without a sign, or of 16, 24 or 32 bits with one.
        case integer(bytes: Int)
        /// A float of 4 or 8 bytes.
        case float(bytes: Int)

        /// How many bytes a sample takes.
        var byteCount: Int {
            switch self {
            case .integer(let bytes), .float(let bytes): bytes
            }
        }
    }

    /// How a sample is written.
    package var sample: Sample
    /// How many channels there are.
    package var channels: Int
    /// How many samples a second each channel has.
    package var sampleRate: Int
    /// Where the samples lie in the file.
    package var data: Range<Int>
    /// Whether the file ends before the samples that its header promises.
    package var isCutOff: Bool

    /// How many bytes the samples of all channels at one time take.
    package var frameByteCount: Int { sample.byteCount * channels }
    /// How many samples each channel has.
    package var frameCount: Int { data.count / frameByteCount }

    /// The rates that are read.
    package static let sampleRates = 100...1_000_000
    /// The numbers of channels that are read.
    package static let channelCounts = 1...256
    /// A header has at most so many parts before the samples.
    private static let maximumChunks = 10_000

    /// Whether the bytes begin as a WAV file does.
    package static func recognizes(_ start: Data) -> Bool {
        guard start.count >= 12 else { return false }
        let forms = ["RIFF", "RF64", "BW64"].map { Data($0.utf8) }
        return forms.contains(start.prefix(4)) && start.dropFirst(8).prefix(4) == Data("WAVE".utf8)
    }

    /// Reads the header.
    ///
    /// - Throws: `AudioError`, if it is not a WAV file, is damaged, or is in a form that is not read.
    package init(_ bytes: SoundBytes) throws {
        let start = try bytes.read(from: 0, count: 12)
        guard Self.recognizes(start) else { throw Self.damaged("it does not begin as one does") }
        let isLarge = start.prefix(4) != Data("RIFF".utf8)
        var format: (sample: Sample, channels: Int, rate: Int)?
        var dataByteCount: Int?
        var offset = 12
        for _ in 0..<Self.maximumChunks {
            let head = try bytes.read(from: offset, count: 8)
            guard let size = head.integer(UInt32.self, at: 4) else { break }
            let body = offset + 8
            switch head.prefix(4) {
            case Data("ds64".utf8) where isLarge:
                let sizes = try bytes.read(from: body, count: 24)
                dataByteCount = sizes.integer(UInt64.self, at: 8).map(Int.init(clamping:))
            case Data("fmt ".utf8):
                format = try Self.format(try bytes.read(from: body, count: min(Int(size), 64)))
            case Data("data".utf8):
                guard let format else { throw Self.damaged("it does not say how its samples are written") }
                (sample, channels, sampleRate) = format
                let frame = format.sample.byteCount * format.channels
                let rest = bytes.count - min(body, bytes.count)
                let promised = isLarge && size == .max ? dataByteCount ?? Int(size) : Int(size)
                let isOpen = Self.isOpen(promised, rest: rest)
                let present = isOpen ? rest : min(promised, rest)
                data = body..<(body + present / frame * frame)
                isCutOff = !isOpen && promised > rest
                return
            default: break
            }
            // Parts begin at even offsets. A size from a file is below 2^32, so the sum cannot overflow.
            offset = body + Int(size) + Int(size & 1)
        }
        throw Self.damaged("it has no samples")
    }

    /// Whether a size is none, since a program that writes into a pipe, or is ended, never knew it: 0 or the largest number,
    /// also of 64 bits or, as sox, espeak-ng and arecord leave it, about that of 31 bits.
    private static func isOpen(_ size: Int, rest: Int) -> Bool {
        [0, Int(UInt32.max), .max].contains(size) || (0x7FFF_F000...0x8000_0000).contains(size) && size > rest
    }

    /// The part that says how samples are written.
    private static func format(_ body: Data) throws -> (Sample, Int, Int) {
        guard var tag = body.integer(UInt16.self, at: 0), let channels = body.integer(UInt16.self, at: 2),
            let rate = body.integer(UInt32.self, at: 4), let align = body.integer(UInt16.self, at: 12),
            let bits = body.integer(UInt16.self, at: 14)
        else { throw damaged("its header is cut off") }
        if tag == 0xFFFE {
            // The extensible form has the tag in the first two bytes of an identifier.
            guard let actual = body.integer(UInt16.self, at: 24) else { throw damaged("its header is cut off") }
            tag = actual
        }
        guard channelCounts.contains(Int(channels)) else {
            throw AudioError(.unsupportedAudio, "WAV files with \(channels) channels are not read.")
        }
        guard sampleRates.contains(Int(rate)) else {
            throw AudioError(.unsupportedAudio, "WAV files with \(rate) samples a second are not read.")
        }
        let sample: Sample
        switch (tag, bits) {
        case (1, 1...32): sample = .integer(bytes: (Int(bits) + 7) / 8)
        case (3, 32): sample = .float(bytes: 4)
        case (3, 64): sample = .float(bytes: 8)
        default:
            throw AudioError(
                .unsupportedAudio,
                "WAV files of the kind \(tag) with \(bits) bits are not read. Convert the file to 16-bit PCM, "
                    + AudioError.conversion(of: "FILE"))
        }
        guard Int(align) == sample.byteCount * Int(channels) else {
            throw damaged("its samples take \(align) bytes where \(sample.byteCount * Int(channels)) are due")
        }
        return (sample, Int(channels), Int(rate))
    }

    private static func damaged(_ reason: String) -> AudioError {
        AudioError(.unsupportedAudio, "This is not a sound WAV file: \(reason).")
    }
}
