// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The frames of an MP3 file (MPEG 1, 2 and 2.5, layers I to III), counted by their headers.
///
/// Files say how long they are in a table in their first frame, or not at all; where files were put together, the table
/// is that of the first one.
struct MP3Frames {
    /// The number of samples that each channel has in all frames; 0 if there are none.
    private(set) var sampleCount = 0
    /// Whether the first frame has a table that says how many frames there are.
    private(set) var hasTable = false

    /// What the four bytes of a header say.
    private struct Header {
        /// The version, the layer and the rate, which all frames have in common.
        let kind: UInt32
        let sampleCount: Int
        let byteCount: Int

        /// Reads a header; nil if the bytes are none, or of a frame that does not say how long it is.
        init?(_ bits: UInt32) {
            let (version, layer) = (Int(bits >> 19 & 3), Int(bits >> 17 & 3))
            let (rate, step) = (Int(bits >> 10 & 3), Int(bits >> 12 & 15))
            guard bits >> 21 == 0x7FF, version != 1, layer != 0, rate != 3, (1...14).contains(step) else { return nil }
            kind = bits & 0x001E_0C00
            let isFirst = version == 3
            let samples = [44_100, 48_000, 32_000][rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
            let kilobits = Self.kilobits[isFirst ? 3 - layer : layer == 3 ? 3 : 4][step - 1]
            let padding = Int(bits >> 9 & 1)
            switch layer {
            case 3:
                sampleCount = 384
                byteCount = (12_000 * kilobits / samples + padding) * 4
            default:
                sampleCount = layer == 1 && !isFirst ? 576 : 1_152
                byteCount = sampleCount / 8 * 1_000 * kilobits / samples + padding
            }
        }

        /// The bit rates in kbit/s: of layers I, II and III of MPEG 1, then of layer I and of the others of MPEG 2.
        private static let kilobits = [
            [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
            [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
            [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
            [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
            [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        ]
    }

    /// So much of the file is read at a time, in bytes.
    private static let blockLength = 1 << 20

    /// Counts the frames, which takes the time to read the file.
    ///
    /// - Throws: `AudioError`, if the file cannot be read.
    init(_ bytes: SoundBytes) throws {
        var start = try Self.tagLength(in: bytes)
        var kind: UInt32?
        while true {
            let block = [UInt8](try bytes.read(from: start, count: Self.blockLength))
            var place = 0
            while place + 4 <= block.count {
                let bits = block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                guard let header = Header(bits), header.kind == kind ?? header.kind else {
                    place += 1
                    continue
                }
                if kind == nil {
                    kind = header.kind
                    hasTable = Self.hasTable(block[place..<min(place + header.byteCount, block.count)])
                }
                sampleCount += header.sampleCount
                place += header.byteCount
            }
            if block.count < Self.blockLength { return }
            start += place
        }
    }

    private static func hasTable(_ frame: ArraySlice<UInt8>) -> Bool {
        let data = Data(frame)
        return ["Xing", "Info"].contains { mark in
            guard let range = data.range(of: Data(mark.utf8)) else { return false }
            // Four bytes of flags follow, of which the lowest bit says that the number of frames is there.
            let flags = data[range.upperBound...].prefix(4)
            return flags.count == 4 && flags.last.map { $0 & 1 } == 1
        }
    }

    /// The length of the [ID3](https://id3.org/id3v2.4.0-structure) tag before the sound; 0 if there is none.
    private static func tagLength(in bytes: SoundBytes) throws -> Int {
        let head = try bytes.read(from: 0, count: 10)
        guard head.count == 10, head.starts(with: "ID3".utf8) else { return 0 }
        // Of each byte of the size seven bits count.
        return 10 + head.suffix(4).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
}
