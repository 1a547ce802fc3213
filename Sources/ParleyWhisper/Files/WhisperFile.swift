// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyModelFile
package import ParleySpeech
import ParleyTensor

/// A tensor in a model's file.
struct WhisperTensor: Sendable, Hashable {
    /// How the values are stored.
    enum Encoding: Sendable, Hashable {
        /// In a format that the kernels know.
        case plain(MatrixType)
        /// As bytes, each row with a factor of its own: `weight = byte / factor`. The factors lie at `factors`.
        case scaledBytes(factors: Range<Int>)
    }

    /// The sizes, the slowest first.
    var shape: [Int]
    var encoding: Encoding
    /// Where the values lie in the file.
    var bytes: Range<Int>
    /// Which of the model's files that is.
    var part = 0

    /// The number of values; the reader has checked that it does not overflow.
    var count: Int { shape.reduce(1, *) }
    /// The values of a row, which is everything but the first size. Of sizes after a 0 no product was checked.
    var columns: Int { count / max(shape.first ?? 1, 1) }

    /// Some rows of the tensor, for projections that are stored in one.
    func rows(_ range: Range<Int>) -> WhisperTensor {
        var part = self
        let rows = max(shape[0], 1)
        let size = bytes.count / rows
        part.shape[0] = range.count
        part.bytes = bytes.lowerBound + range.lowerBound * size..<bytes.lowerBound + range.upperBound * size
        if case .scaledBytes(let factors) = encoding {
            let first = factors.lowerBound
            part.encoding = .scaledBytes(factors: first + range.lowerBound * 4..<first + range.upperBound * 4)
        }
        return part
    }
}

/// What every format of Whisper's models says: sizes, tokens, and tensors under OpenAI's names.
package struct WhisperFile: Sendable {
    /// The files with the weights.
    let parts: [FileBytes]
    let dimensions: WhisperDimensions
    /// The tensors, such as `encoder.blocks.0.attn.query.weight`.
    let tensors: [String: WhisperTensor]
    /// The bytes of each token of text.
    let pieces: [[UInt8]]
    /// The tokens that the file says never to write; nil if it says nothing.
    let suppressed: [Int32]?
    /// The heads (layer, head) of the decoder whose attention follows the words; nil if the file says nothing.
    let alignmentHeads: [(layer: Int, head: Int)]?

    /// The file's name in messages.
    var name: String { parts[0].name }

    /// Reads a model in any of the supported formats.
    ///
    /// - Parameter url: whisper.cpp's `ggml-*.bin`, or a folder of CTranslate2's or of Hugging Face's, or the file with
    ///   the weights in one.
    /// - Returns: the model, without its weights in memory.
    /// - Throws: `SpeechError` with code `unsupportedModel`.
    package static func read(_ url: URL) throws(SpeechError) -> WhisperFile {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        let folder = isFolder.boolValue ? url : url.deletingLastPathComponent()
        let file = isFolder.boolValue ? url.appendingPathComponent("model.bin") : url
        do {
            if exists, TransformersFolder.recognizes(url, isFolder: isFolder.boolValue) {
                return try TransformersFolder.read(folder)
            }
            return try read(FileBytes(path: file.path), folder: folder)
        } catch {
            throw .model(error)
        }
    }

    /// Reads a model from its bytes.
    ///
    /// - Parameters:
    ///   - bytes: the file with the weights.
    ///   - folder: where a CTranslate2 model's vocabulary is.
    /// - Returns: the model.
    /// - Throws: `SpeechError` with code `unsupportedModel`.
    package static func read(_ bytes: FileBytes, folder: URL) throws(SpeechError) -> WhisperFile {
        do {
            let isGGML = bytes.withUnsafeBytes { $0.prefix(4).elementsEqual(GGMLFile.magic) }
            return try isGGML ? GGMLFile.read(bytes) : CTranslate2File.read(bytes, folder: folder)
        } catch {
            throw .model(error)
        }
    }
}

extension SpeechError {
    /// The error of a model's file as one of speech recognition.
    static func model(_ error: any Error) -> SpeechError {
        if let error = error as? SpeechError { return error }
        return SpeechError(.unsupportedModel, "\(error)", cause: error)
    }

    /// The error for a model whose file contradicts itself.
    static func damaged(_ file: String, _ what: String) -> SpeechError {
        SpeechError(.unsupportedModel, "\(file): \(what). The file is damaged; download it again or convert it anew.")
    }
}
