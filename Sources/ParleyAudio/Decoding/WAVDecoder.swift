// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the samples of a WAV file; several channels become their mean.
package struct WAVDecoder: SoundDecoder {
    /// What the header says.
    package let format: WAVFormat
    private let bytes: SoundBytes
    private var offset: Int

    /// Reads the header.
    ///
    /// - Throws: `AudioError`, if it is not a WAV file, is damaged, or is in a form that is not read.
    package init(_ bytes: SoundBytes) throws {
        self.bytes = bytes
        format = try WAVFormat(bytes)
        offset = format.data.lowerBound
    }

    package var sampleRate: Int { format.sampleRate }
    package var sampleCount: Int? { format.frameCount }

    package mutating func read(atMost limit: Int) throws -> [Float] {
        let frame = format.frameByteCount
        let wanted = min(
            SoundPiece.length(limit, channels: format.channels), (format.data.upperBound - offset) / frame)
        let piece = try bytes.read(from: offset, count: wanted * frame)
        let count = piece.count / frame
        offset += count * frame
        return Self.samples(of: piece, count: count, format: format)
    }

    /// The mean of all channels for each time.
    private static func samples(of piece: Data, count: Int, format: WAVFormat) -> [Float] {
        let channels = format.channels
        let width = format.sample.byteCount
        return piece.withUnsafeBytes { raw in
            (0..<count).map { frame in
                var total: Float = 0
                for channel in 0..<channels {
                    total += value(raw, at: (frame * channels + channel) * width, format.sample)
                }
                return channels == 1 ? total : total / Float(channels)
            }
        }
    }

    /// A sample as a float.
    private static func value(_ raw: UnsafeRawBufferPointer, at offset: Int, _ sample: WAVFormat.Sample) -> Float {
        switch sample {
        case .integer(bytes: 1):
            return (Float(raw[offset]) - 128) / 128
        case .integer(bytes: 2):
            let bits = raw.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return Float(Int16(bitPattern: UInt16(littleEndian: bits))) / 32_768
        case .integer(bytes: 3):
            let bits = UInt32(raw[offset]) << 8 | UInt32(raw[offset + 1]) << 16 | UInt32(raw[offset + 2]) << 24
            return Float(Int32(bitPattern: bits) >> 8) / 8_388_608
        case .integer:
            let bits = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return Float(Int32(bitPattern: UInt32(littleEndian: bits))) / 2_147_483_648
        case .float(bytes: 8):
            let bits = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            return Float(Double(bitPattern: UInt64(littleEndian: bits))).asSample
        case .float:
            let bits = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return Float(bitPattern: UInt32(littleEndian: bits)).asSample
        }
    }
}
