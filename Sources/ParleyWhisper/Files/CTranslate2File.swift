// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleySpeech
import ParleyTensor
import ParleyTokenizer

/// Reads Whisper models in the format of CTranslate2: `model.bin` with the weights, `vocabulary.txt` or
/// `vocabulary.json` with the tokens, and `config.json` with what is suppressed.
///
/// `model.bin` is a version, the name and revision of a specification, and variables, each a name, a shape, a type and
/// values; everything is little-endian, nothing is aligned.
enum CTranslate2File {
    private typealias Variables = [String: (tensor: WhisperTensor, isInteger: Bool)]

    static func read(_ bytes: FileBytes, folder: URL) throws -> WhisperFile {
        var variables: Variables = [:]
        try bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer, of: bytes.size, name: bytes.name)
            variables = try self.variables(&reader)
        }
        let tensors = try Renaming(bytes.name, variables.mapValues(\.tensor)).tensors()
        let dimensions = try dimensions(bytes, variables, tensors)
        let pieces = try pieces(folder, WhisperTokens(vocabularySize: dimensions.vocabularySize))
        let settings = try settings(folder)
        return WhisperFile(
            parts: [bytes], dimensions: dimensions, tensors: tensors, pieces: pieces, suppressed: settings.suppressed,
            alignmentHeads: settings.alignmentHeads)
    }

    // MARK: Variables

    private static func variables(_ reader: inout ByteReader) throws -> Variables {
        let version: UInt32 = try reader.read("the version")
        guard (4...6).contains(version) else {
            throw SpeechError(
                .unsupportedModel,
                "\(reader.name): neither a ggml file nor a model of CTranslate2 of version 4 to 6. Give a ggml-*.bin or "
                    + "a folder that faster-whisper can use.")
        }
        let specification = try string(&reader, "the specification")
        guard specification == "WhisperSpec" else {
            throw SpeechError(.unsupportedModel, "\(reader.name): a model of another kind than Whisper.")
        }
        _ = try reader.read("the revision") as UInt32
        let count: UInt32 = try reader.read("the number of variables")
        guard count <= 65_536 else { throw reader.corrupt("\(count) variables", at: reader.offset) }
        var variables: Variables = [:]
        for _ in 0..<count {
            let name = try string(&reader, "a variable's name")
            let rank: UInt8 = try reader.read("the rank of \(name)")
            var shape: [Int] = []
            for _ in 0..<rank { shape.append(Int(try reader.read("the shape of \(name)") as UInt32)) }
            let kind: UInt8 = try reader.read("the type of \(name)")
            let byteCount: UInt32 = try reader.read("the size of \(name)")
            let range = try reader.skip(UInt64(byteCount), name)
            var elements = 1
            for size in shape {
                let (product, overflows) = elements.multipliedReportingOverflow(by: size)
                guard !overflows else { throw reader.corrupt("the shape of \(name)", at: range.lowerBound) }
                elements = product
            }
            guard let (type, size) = types[kind], elements.multipliedReportingOverflow(by: size) == (range.count, false)
            else {
                throw reader.corrupt("\(name) has type \(kind) and \(range.count) bytes", at: range.lowerBound)
            }
            let encoding = type.map { WhisperTensor.Encoding.plain($0) } ?? .scaledBytes(factors: 0..<0)
            variables[name] = (WhisperTensor(shape: shape, encoding: encoding, bytes: range), type == nil)
        }
        for (name, variable) in variables where variable.isInteger && variable.tensor.shape.count > 1 {
            guard let factors = variables[name + "_scale"]?.tensor, factors.encoding == .plain(.f32),
                factors.count == variable.tensor.shape[0]
            else {
                throw SpeechError(
                    .unsupportedModel, "\(reader.name): \(name) is stored in integers without one scale for each row.")
            }
            variables[name]?.tensor.encoding = .scaledBytes(factors: factors.bytes)
        }
        return variables
    }

    /// CTranslate2's numbers of types: the format of floats, nil for integers, and the bytes of a value.
    private static let types: [UInt8: (MatrixType?, Int)] = [
        0: (.f32, 4), 1: (nil, 1), 2: (nil, 2), 3: (nil, 4), 4: (.f16, 2), 5: (.bf16, 2),
    ]

    /// Reads a length with its closing zero, and then the bytes.
    private static func string(_ reader: inout ByteReader, _ what: String) throws -> String {
        let length: UInt16 = try reader.read(what)
        var text: [UInt8] = []
        for _ in 0..<length { text.append(try reader.read(what)) }
        if text.last == 0 { text.removeLast() }
        guard let name = String(validating: text, as: UTF8.self),
            text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.count <= 512
        else { throw reader.corrupt("\(what) is no text", at: reader.offset) }
        return name
    }

    // MARK: Sizes

    private static func dimensions(
        _ bytes: FileBytes, _ variables: Variables, _ tensors: [String: WhisperTensor]
    ) throws -> WhisperDimensions {
        func shape(_ name: String, rank: Int) throws -> [Int] {
            guard let shape = tensors[name]?.shape, shape.count == rank else {
                throw SpeechError.damaged(bytes.name, "\(name) is missing or has another form")
            }
            return shape
        }
        func heads(_ side: String) throws -> Int {
            guard let tensor = variables["\(side)/num_heads"]?.tensor, (1...4).contains(tensor.bytes.count) else {
                throw SpeechError.damaged(bytes.name, "the number of heads of the \(side) is missing")
            }
            return bytes.withUnsafeBytes { buffer in
                tensor.bytes.reversed().reduce(0) { $0 << 8 | Int(buffer[$1]) }
            }
        }
        func layers(_ side: String) -> Int {
            var count = 0
            while tensors["\(side).blocks.\(count).attn_ln.weight"] != nil { count += 1 }
            return count
        }
        let (encoder, decoder) = ("encoder.positional_embedding", "decoder.positional_embedding")
        return try WhisperDimensions(
            file: bytes.name, vocabularySize: shape("decoder.token_embedding.weight", rank: 2)[0],
            audioContext: shape(encoder, rank: 2)[0], audioWidth: shape(encoder, rank: 2)[1],
            audioHeads: heads("encoder"), audioLayers: layers("encoder"), textContext: shape(decoder, rank: 2)[0],
            textWidth: shape(decoder, rank: 2)[1], textHeads: heads("decoder"), textLayers: layers("decoder"),
            mels: shape("encoder.conv1.weight", rank: 3)[1])
    }

    // MARK: Tokens

    /// The largest vocabulary or configuration that is read.
    private static let mostTextBytes = 16 << 20

    private static func pieces(_ folder: URL, _ tokens: WhisperTokens) throws -> [[UInt8]] {
        let (text, json) = (
            folder.appendingPathComponent("vocabulary.txt"), folder.appendingPathComponent("vocabulary.json")
        )
        var spellings: [ArraySlice<UInt8>]
        if let bytes = try read(text) {
            spellings = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        } else if let bytes = try read(json) {
            let value = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
            spellings = (value.array ?? []).map { ArraySlice(($0.string ?? "").utf8) }
        } else {
            throw SpeechError(
                .unsupportedModel, "\(folder.path): there is no vocabulary.txt beside model.bin; copy the whole folder."
            )
        }
        guard spellings.count >= Int(tokens.endOfText) else {
            throw SpeechError.damaged(text.path, "the vocabulary has \(spellings.count) tokens, too few")
        }
        spellings.removeSubrange(Int(tokens.endOfText)...)
        return spellings.map(ByteAlphabet.decode)
    }

    private static func settings(
        _ folder: URL
    ) throws -> (suppressed: [Int32]?, alignmentHeads: [(layer: Int, head: Int)]?) {
        guard let bytes = try read(folder.appendingPathComponent("config.json")) else { return (nil, nil) }
        let value = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        let heads = value.object?["alignment_heads"]?.array?.compactMap { pair -> (layer: Int, head: Int)? in
            guard let pair = pair.array, pair.count == 2, let layer = pair[0].integer, let head = pair[1].integer
            else { return nil }
            return (Int(layer), Int(head))
        }
        let suppressed = value.object?["suppress_ids"]?.array?.compactMap { $0.integer }
        return (suppressed?.compactMap { Int32(exactly: $0) }, heads)
    }

    private static func read(_ url: URL) throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let bytes = try FileBytes(path: url.path)
        guard bytes.count <= mostTextBytes else { throw SpeechError.damaged(url.path, "\(bytes.count) bytes of text") }
        return bytes.withUnsafeBytes { Array($0) }
    }

    // MARK: Names

    /// Brings the tensors under OpenAI's names, and takes projections apart that CTranslate2 keeps in one matrix.
    private struct Renaming {
        let file: String
        let variables: [String: WhisperTensor]

        init(_ file: String, _ variables: [String: WhisperTensor]) {
            (self.file, self.variables) = (file, variables)
        }

        func tensors() throws -> [String: WhisperTensor] {
            var tensors: [String: WhisperTensor] = [:]
            func copy(_ name: String, _ old: String) { tensors[name] = variables[old] }
            func norm(_ name: String, _ old: String) {
                copy(name + ".weight", old + "/gamma")
                copy(name + ".bias", old + "/beta")
            }
            func linear(_ name: String, _ old: String) {
                copy(name + ".weight", old + "/weight")
                copy(name + ".bias", old + "/bias")
            }
            func split(_ names: [String], _ old: String) throws {
                for kind in ["weight", "bias"] {
                    guard let whole = variables["\(old)/\(kind)"] else { continue }
                    guard let rows = whole.shape.first, rows % names.count == 0 else {
                        throw SpeechError.damaged(file, "\(old) has no \(names.count) equal parts")
                    }
                    let share = rows / names.count
                    for (index, name) in names.enumerated() {
                        tensors["\(name).\(kind)"] = whole.rows(index * share..<(index + 1) * share)
                    }
                }
            }
            for side in ["encoder", "decoder"] {
                copy("\(side).positional_embedding", "\(side)/position_encodings/encodings")
                norm(side == "encoder" ? "encoder.ln_post" : "decoder.ln", "\(side)/layer_norm")
                var layer = 0
                while variables["\(side)/layer_\(layer)/self_attention/layer_norm/gamma"] != nil, layer < 1_024 {
                    let (name, old) = ("\(side).blocks.\(layer).", "\(side)/layer_\(layer)/")
                    norm(name + "attn_ln", old + "self_attention/layer_norm")
                    try split(["query", "key", "value"].map { "\(name)attn.\($0)" }, old + "self_attention/linear_0")
                    linear(name + "attn.out", old + "self_attention/linear_1")
                    if side == "decoder" {
                        norm(name + "cross_attn_ln", old + "attention/layer_norm")
                        linear(name + "cross_attn.query", old + "attention/linear_0")
                        try split(["key", "value"].map { "\(name)cross_attn.\($0)" }, old + "attention/linear_1")
                        linear(name + "cross_attn.out", old + "attention/linear_2")
                    }
                    norm(name + "mlp_ln", old + "ffn/layer_norm")
                    linear(name + "mlp.0", old + "ffn/linear_0")
                    linear(name + "mlp.2", old + "ffn/linear_1")
                    layer += 1
                }
            }
            for name in ["conv1", "conv2"] { linear("encoder." + name, "encoder/" + name) }
            copy("decoder.token_embedding.weight", "decoder/embeddings/weight")
            return tensors
        }
    }
}
