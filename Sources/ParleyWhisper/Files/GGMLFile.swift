// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySpeech
import ParleyTensor

/// Reads Whisper models in whisper.cpp's format: one file with sizes, mel filters, tokens and tensors.
///
/// Everything is little-endian, nothing is aligned: a magic number, eleven sizes, the filters (which are computed anew
/// here), tokens, and tensors under OpenAI's names until the end of the file.
enum GGMLFile {
    /// The first bytes of a file.
    static let magic: [UInt8] = [0x6C, 0x6D, 0x67, 0x67]

    /// More tokens with the replacement character than this, and the table is damaged; undamaged ones have a handful.
    private static let mostReplaced = 64

    static func read(_ bytes: FileBytes) throws -> WhisperFile {
        try bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer, of: bytes.size, name: bytes.name)
            try reader.skip(4, "the magic number")
            var sizes: [Int] = []
            for _ in 0..<11 { sizes.append(Int(try reader.read("a size") as Int32)) }
            let dimensions = try WhisperDimensions(
                file: bytes.name, vocabularySize: sizes[0], audioContext: sizes[1], audioWidth: sizes[2],
                audioHeads: sizes[3], audioLayers: sizes[4], textContext: sizes[5], textWidth: sizes[6],
                textHeads: sizes[7], textLayers: sizes[8], mels: sizes[9])
            let (mels, bins): (UInt32, UInt32) = (try reader.read("the filters"), try reader.read("the filters"))
            guard mels == dimensions.mels, bins == 201 else {
                throw reader.corrupt("\(mels) filters of \(bins) values", at: reader.offset)
            }
            try reader.skip(UInt64(mels) * UInt64(bins) * 4, "the filters")
            let pieces = try pieces(&reader, buffer, WhisperTokens(vocabularySize: dimensions.vocabularySize))
            return WhisperFile(
                parts: [bytes], dimensions: dimensions, tensors: try tensors(&reader, buffer), pieces: pieces,
                suppressed: nil, alignmentHeads: nil)
        }
    }

    private static func pieces(
        _ reader: inout ByteReader, _ buffer: UnsafeRawBufferPointer, _ tokens: WhisperTokens
    ) throws -> [[UInt8]] {
        let count: UInt32 = try reader.read("the number of tokens")
        guard (UInt32(tokens.endOfText)...51_866).contains(count) else {
            throw reader.corrupt("\(count) tokens", at: reader.offset)
        }
        var pieces: [[UInt8]] = []
        var replaced = 0
        for _ in 0..<count {
            let length: UInt32 = try reader.read("a token's length")
            guard length <= 1_024 else { throw reader.corrupt("a token of \(length) bytes", at: reader.offset) }
            let piece = Array(buffer[try reader.skip(UInt64(length), "a token")])
            if contains(piece, [0xEF, 0xBF, 0xBD]) { replaced += 1 }
            pieces.append(piece)
        }
        guard replaced <= mostReplaced else {
            throw SpeechError(
                .unsupportedModel,
                "\(reader.name): \(replaced) tokens contain U+FFFD instead of their own bytes, as an old converter wrote "
                    + "them. Convert the model anew, or download it from whisper.cpp's collection.")
        }
        pieces.removeSubrange(Int(tokens.endOfText)...)
        return pieces
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
    }

    /// Reads tensors until the end of the file.
    static func tensors(
        _ reader: inout ByteReader, _ buffer: UnsafeRawBufferPointer, ranks: ClosedRange<Int32> = 1...4
    ) throws -> [String: WhisperTensor] {
        var tensors: [String: WhisperTensor] = [:]
        while reader.remaining > 0 {
            let (rank, length): (Int32, Int32) = (try reader.read("a rank"), try reader.read("the length of a name"))
            let type = MatrixType(rawValue: try reader.read("a type"))
            guard ranks.contains(rank), (1...256).contains(length), tensors.count < 65_536 else {
                throw reader.corrupt("a tensor of rank \(rank)", at: reader.offset)
            }
            var shape: [Int] = []
            var elements = 1
            for _ in 0..<rank {
                let size: Int32 = try reader.read("a shape")
                let (product, overflows) = elements.multipliedReportingOverflow(by: Int(size))
                guard size > 0, !overflows else { throw reader.corrupt("a shape", at: reader.offset) }
                elements = product
                shape.insert(Int(size), at: 0)
            }
            let name = buffer[try reader.skip(UInt64(length), "a name")]
            guard let name = String(validating: name, as: UTF8.self),
                name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
            else { throw reader.corrupt("a name", at: reader.offset) }
            // The innermost size is a row of blocks; the others only count rows.
            let columns = shape.last ?? 1
            guard let rowBytes = type.byteCount(columns: columns) else {
                throw SpeechError(
                    .unsupportedModel, "\(reader.name): \(name) has the type \(type.rawValue), which no kernel reads.")
            }
            let (size, overflows) = rowBytes.multipliedReportingOverflow(by: elements / columns)
            guard !overflows else { throw reader.corrupt("the size of \(name)", at: reader.offset) }
            let range = try reader.skip(UInt64(size), name)
            tensors[name] = WhisperTensor(shape: shape, encoding: .plain(type), bytes: range)
        }
        return tensors
    }
}
