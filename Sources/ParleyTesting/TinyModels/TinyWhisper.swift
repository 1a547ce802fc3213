// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyRuntime
import ParleyTokenizer

/// A tiny random Whisper model for tests, in the formats of whisper.cpp, of CTranslate2 and of Hugging Face.
///
/// The numbers depend only on the seed, so that `scripts/reference/speech/record_tiny_whisper.py` can make them again.
package struct TinyWhisper: Sendable {
    /// How the values of matrices are stored.
    package enum Form: String, Sendable, CaseIterable {
        case f32, f16, q8_0
        /// Bytes with a factor for each row, in CTranslate2's files alone.
        case int8
    }

    /// The sizes of a model.
    package struct Shape: Sendable, Hashable {
        package var vocabularySize: Int
        package var width: Int
        package var heads: Int
        package var audioLayers: Int
        package var textLayers: Int
        package var textContext: Int
        package var mels: Int

        /// By default those of a tiny model for English alone, which has the smallest vocabulary.
        package init(
            vocabularySize: Int = 51_864, width: Int = 64, heads: Int = 2, audioLayers: Int = 2, textLayers: Int = 2,
            textContext: Int = 64, mels: Int = 80
        ) {
            (self.vocabularySize, self.width, self.heads) = (vocabularySize, width, heads)
            (self.audioLayers, self.textLayers) = (audioLayers, textLayers)
            (self.textContext, self.mels) = (textContext, mels)
        }

        /// The number of tokens of text; those of several languages have one that spells nothing.
        fileprivate var textTokens: Int { TinyWhisper.pieces.count + (vocabularySize > 51_864 ? 1 : 0) }
    }

    private static let window = 1_500

    private enum Kind { case matrix, vector, norm }

    /// A tensor under OpenAI's name.
    private struct Tensor {
        let name: String
        let shape: [Int]
        let isMatrix: Bool
        var values: [Float] = []

        var columns: Int { shape.dropFirst().reduce(1, *) }
    }

    package let shape: Shape
    private let tensors: [Tensor]

    /// Makes the numbers of a model.
    package init(_ shape: Shape = Shape(), seed: UInt64 = 1) {
        self.shape = shape
        var random = SplitMix64(seed: seed)
        tensors = Self.layout(shape).map { tensor, kind in
            var tensor = tensor
            let reach = kind == .matrix ? (3 / Float(tensor.columns)).squareRoot() : 0.1
            let centre: Float = kind == .norm ? 1 : 0
            tensor.values = (0..<tensor.shape.reduce(1, *)).map { _ in centre + reach * random.nextFloat() }
            return tensor
        }
    }

    /// The tensors of a model without their numbers, in the order in which these are made.
    private static func layout(_ shape: Shape) -> [(Tensor, Kind)] {
        var tensors: [(Tensor, Kind)] = []
        let width = shape.width
        func add(_ name: String, _ kind: Kind, _ shape: Int...) {
            tensors.append((Tensor(name: name, shape: shape, isMatrix: kind == .matrix), kind))
        }
        func norm(_ name: String) {
            add(name + ".weight", .norm, width)
            add(name + ".bias", .vector, width)
        }
        func linear(_ name: String, _ rows: Int, _ columns: Int, hasBias: Bool = true) {
            add(name + ".weight", .matrix, rows, columns)
            if hasBias { add(name + ".bias", .vector, rows) }
        }
        func attention(_ name: String) {
            linear(name + ".query", width, width)
            linear(name + ".key", width, width, hasBias: false)
            linear(name + ".value", width, width)
            linear(name + ".out", width, width)
        }
        add("encoder.conv1.weight", .matrix, width, shape.mels, 3)
        add("encoder.conv1.bias", .vector, width)
        add("encoder.conv2.weight", .matrix, width, width, 3)
        add("encoder.conv2.bias", .vector, width)
        add("encoder.positional_embedding", .vector, window, width)
        add("decoder.positional_embedding", .vector, shape.textContext, width)
        add("decoder.token_embedding.weight", .matrix, shape.vocabularySize, width)
        for side in ["encoder", "decoder"] {
            for layer in 0..<(side == "encoder" ? shape.audioLayers : shape.textLayers) {
                let name = "\(side).blocks.\(layer)."
                norm(name + "attn_ln")
                attention(name + "attn")
                if side == "decoder" {
                    norm(name + "cross_attn_ln")
                    attention(name + "cross_attn")
                }
                norm(name + "mlp_ln")
                linear(name + "mlp.0", 4 * width, width)
                linear(name + "mlp.2", width, 4 * width)
            }
            norm(side == "encoder" ? "encoder.ln_post" : "decoder.ln")
        }
        return tensors
    }

    /// The bytes of each token of text: all single bytes in GPT-2's order, then spaces and letters.
    package static let pieces: [[UInt8]] = {
        let plain = Array(UInt8(33)...126) + Array(161...172) + Array(174...255)
        let rest = (UInt8.min...UInt8.max).filter { !plain.contains($0) }
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        var pieces = (plain + rest).map { [$0] }
        while pieces.count < 50_256 {
            // Single letters are there already, and no piece occurs twice.
            var number = pieces.count - 256 + 26
            var piece: [UInt8] = number.isMultiple(of: 3) ? [0x20] : []
            repeat {
                piece.append(letters[number % 26])
                number /= 26
            } while number > 0
            pieces.append(piece)
        }
        return pieces
    }()

    // MARK: whisper.cpp

    /// The model as a `ggml-*.bin`.
    package func ggml(_ form: Form, pieces: [[UInt8]] = TinyWhisper.pieces) -> [UInt8] {
        var bytes = Self.head(shape, form, pieces: pieces)
        for tensor in tensors {
            let form = tensor.isMatrix && !(form == .q8_0 && tensor.shape.count == 3) ? form : .f32
            bytes += Self.head(tensor, form) + encoded(tensor, form)
        }
        return bytes
    }

    /// Writes a `ggml-*.bin` of any size in F16, in which all numbers are holes of the file.
    ///
    /// - Throws: what writing the file throws.
    package static func writeHollow(_ shape: Shape, to url: URL) throws {
        try Data(head(shape, .f16, pieces: pieces)).write(to: url)
        let file = try FileHandle(forWritingTo: url)
        defer { try? file.close() }
        var end = try file.seekToEnd()
        for (tensor, _) in layout(shape) {
            let form = tensor.isMatrix ? Form.f16 : .f32
            let head = head(tensor, form)
            try file.seek(toOffset: end)
            try file.write(contentsOf: head)
            end += UInt64(head.count + tensor.shape.reduce(1, *) * (form == .f16 ? 2 : 4))
        }
        try file.truncate(atOffset: end)
    }

    /// What precedes the tensors of a `ggml-*.bin`.
    private static func head(_ shape: Shape, _ form: Form, pieces: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ numbers: Int...) { for number in numbers { append(UInt32(truncatingIfNeeded: number), to: &bytes) } }
        put(
            0x6767_6D6C, shape.vocabularySize, window, shape.width, shape.heads, shape.audioLayers, shape.textContext,
            shape.width, shape.heads, shape.textLayers, shape.mels, form == .f32 ? 0 : form == .f16 ? 1 : 7)
        put(shape.mels, 201)
        bytes += [UInt8](repeating: 0, count: shape.mels * 201 * 4)
        let pieces = pieces + [[UInt8]](repeating: [], count: max(0, shape.textTokens - pieces.count))
        put(pieces.count)
        for piece in pieces {
            put(piece.count)
            bytes += piece
        }
        return bytes
    }

    /// What precedes the numbers of a tensor in a `ggml-*.bin`.
    private static func head(_ tensor: Tensor, _ form: Form) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ number: Int) { append(UInt32(truncatingIfNeeded: number), to: &bytes) }
        put(tensor.shape.count)
        put(tensor.name.utf8.count)
        put(form == .f32 ? 0 : form == .f16 ? 1 : 8)
        for size in tensor.shape.reversed() { put(size) }
        return bytes + Array(tensor.name.utf8)
    }

    // MARK: CTranslate2

    /// Writes the model as a folder of CTranslate2's.
    ///
    /// - Throws: what writing the files throws.
    package func writeCTranslate2(to folder: URL, _ form: Form) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(cTranslate2(form)).write(to: folder.appendingPathComponent("model.bin"))
        var text: [UInt8] = []
        for piece in Self.pieces {
            for byte in piece { ByteAlphabet.append(byte, to: &text) }
            text.append(0x0A)
        }
        for index in Self.pieces.count..<shape.vocabularySize { text += Array("<|\(index)|>\n".utf8) }
        try Data(text).write(to: folder.appendingPathComponent("vocabulary.txt"))
    }

    /// The model as a `model.bin`.
    package func cTranslate2(_ form: Form) -> [UInt8] {
        var bytes: [UInt8] = []
        var count: UInt32 = 0
        var body: [UInt8] = []
        func string(_ text: String, to bytes: inout [UInt8]) {
            Self.append(UInt16(text.utf8.count + 1), to: &bytes)
            bytes += Array(text.utf8) + [0]
        }
        func variable(_ name: String, _ shape: [Int], _ type: UInt8, _ values: [UInt8]) {
            count += 1
            string(name, to: &body)
            body.append(UInt8(shape.count))
            for size in shape { Self.append(UInt32(size), to: &body) }
            body.append(type)
            Self.append(UInt32(values.count), to: &body)
            body += values
        }
        func put(_ name: String, _ parts: [Tensor]) {
            var shape = parts[0].shape
            shape[0] = parts.reduce(0) { $0 + $1.shape[0] }
            let tensor = Tensor(
                name: name, shape: shape, isMatrix: parts[0].isMatrix, values: parts.flatMap(\.values))
            let form = tensor.isMatrix ? form : .f32
            variable(name, shape, form == .f32 ? 0 : form == .f16 ? 4 : 1, encoded(tensor, form))
            if form == .int8 {
                variable(name + "_scale", [shape[0]], 0, Self.factors(tensor).flatMap(Self.bytes))
            }
        }
        let (named, width) = (Dictionary(uniqueKeysWithValues: tensors.map { ($0.name, $0) }), shape.width)
        func copy(_ name: String, _ old: String...) {
            // Keys have no bias, for which CTranslate2 stores zeros.
            let zeros = [Float](repeating: 0, count: width)
            put(name, old.map { named[$0] ?? Tensor(name: $0, shape: [width], isMatrix: false, values: zeros) })
        }
        func norm(_ name: String, _ old: String) {
            copy(name + "/gamma", old + ".weight")
            copy(name + "/beta", old + ".bias")
        }
        func linear(_ name: String, _ old: String) {
            copy(name + "/weight", old + ".weight")
            copy(name + "/bias", old + ".bias")
        }
        for side in ["encoder", "decoder"] {
            variable("\(side)/num_heads", [], 1, [UInt8(shape.heads)])
            copy("\(side)/position_encodings/encodings", "\(side).positional_embedding")
            norm("\(side)/layer_norm", side == "encoder" ? "encoder.ln_post" : "decoder.ln")
            for layer in 0..<(side == "encoder" ? shape.audioLayers : shape.textLayers) {
                let (name, old) = ("\(side)/layer_\(layer)/", "\(side).blocks.\(layer).")
                norm(name + "self_attention/layer_norm", old + "attn_ln")
                for kind in ["weight", "bias"] {
                    copy(
                        name + "self_attention/linear_0/" + kind, old + "attn.query." + kind, old + "attn.key." + kind,
                        old + "attn.value." + kind)
                }
                linear(name + "self_attention/linear_1", old + "attn.out")
                if side == "decoder" {
                    norm(name + "attention/layer_norm", old + "cross_attn_ln")
                    linear(name + "attention/linear_0", old + "cross_attn.query")
                    for kind in ["weight", "bias"] {
                        copy(
                            name + "attention/linear_1/" + kind, old + "cross_attn.key." + kind,
                            old + "cross_attn.value." + kind)
                    }
                    linear(name + "attention/linear_2", old + "cross_attn.out")
                }
                norm(name + "ffn/layer_norm", old + "mlp_ln")
                linear(name + "ffn/linear_0", old + "mlp.0")
                linear(name + "ffn/linear_1", old + "mlp.2")
            }
        }
        for name in ["conv1", "conv2"] { linear("encoder/" + name, "encoder." + name) }
        copy("decoder/embeddings/weight", "decoder.token_embedding.weight")

        Self.append(UInt32(6), to: &bytes)
        string("WhisperSpec", to: &bytes)
        Self.append(UInt32(3), to: &bytes)
        Self.append(count, to: &bytes)
        bytes += body
        Self.append(UInt32(0), to: &bytes)
        return bytes
    }

    // MARK: Hugging Face

    /// Writes the model as a folder of Hugging Face's, with the weights in one file or in two with an index.
    ///
    /// - Parameters:
    ///   - folder: where the files are written.
    ///   - form: F32 or F16.
    ///   - isSplit: whether the weights are in two files.
    ///   - vocabulary: the name of the file with the tokens, `tokenizer.json` or `vocab.json`.
    /// - Throws: what writing the files throws.
    package func writeTransformers(
        to folder: URL, _ form: Form, isSplit: Bool = false, vocabulary: String = "tokenizer.json"
    ) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ value: Any, _ name: String) throws {
            try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
                .write(to: folder.appendingPathComponent(name))
        }
        let middle = tensors.count / 2
        if isSplit {
            let names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
            try Data(safetensors(tensors[..<middle], form)).write(to: folder.appendingPathComponent(names[0]))
            try Data(safetensors(tensors[middle...], form)).write(to: folder.appendingPathComponent(names[1]))
            let map = tensors.enumerated().map { (Self.stored($1.name), names[$0 < middle ? 0 : 1]) }
            try write(["weight_map": Dictionary(uniqueKeysWithValues: map)], "model.safetensors.index.json")
        } else {
            try Data(safetensors(form)).write(to: folder.appendingPathComponent("model.safetensors"))
        }
        try write(
            [
                "model_type": "whisper", "vocab_size": shape.vocabularySize, "d_model": shape.width,
                "encoder_layers": shape.audioLayers, "decoder_layers": shape.textLayers,
                "encoder_attention_heads": shape.heads, "decoder_attention_heads": shape.heads,
                "max_source_positions": Self.window, "max_target_positions": shape.textContext,
                "num_mel_bins": shape.mels,
            ], "config.json")
        var ids: [String: Int] = [:]
        for (id, piece) in Self.pieces.enumerated() {
            var text: [UInt8] = []
            for byte in piece { ByteAlphabet.append(byte, to: &text) }
            ids[String(decoding: text, as: UTF8.self)] = id
        }
        try write(vocabulary == "vocab.json" ? ids : ["model": ["type": "BPE", "vocab": ids]], vocabulary)
    }

    /// The model as a `model.safetensors`.
    package func safetensors(_ form: Form) -> [UInt8] { safetensors(tensors[...], form) }

    private func safetensors(_ tensors: ArraySlice<Tensor>, _ form: Form) -> [UInt8] {
        var header: [String] = []
        var body: [UInt8] = []
        for tensor in tensors {
            let form = tensor.isMatrix ? form : .f32
            let start = body.count
            body += encoded(tensor, form)
            let shape = tensor.shape.map(String.init).joined(separator: ",")
            header.append(
                "\"\(Self.stored(tensor.name))\":{\"dtype\":\"\(form == .f32 ? "F32" : "F16")\",\"shape\":[\(shape)],"
                    + "\"data_offsets\":[\(start),\(body.count)]}")
        }
        let text = Array("{\(header.joined(separator: ","))}".utf8)
        var bytes: [UInt8] = []
        Self.append(UInt64(text.count), to: &bytes)
        return bytes + text + body
    }

    /// The name that `transformers` has for a tensor.
    private static func stored(_ name: String) -> String {
        let parts = [
            "encoder.ln_post.": "encoder.layer_norm.", "decoder.ln.": "decoder.layer_norm.", ".blocks.": ".layers.",
            ".positional_embedding": ".embed_positions.weight", ".token_embedding.": ".embed_tokens.",
            ".cross_attn_ln.": ".encoder_attn_layer_norm.", ".attn_ln.": ".self_attn_layer_norm.",
            ".mlp_ln.": ".final_layer_norm.", ".mlp.0.": ".fc1.", ".mlp.2.": ".fc2.", ".query.": ".q_proj.",
            ".key.": ".k_proj.", ".value.": ".v_proj.", ".out.": ".out_proj.", ".cross_attn.": ".encoder_attn.",
            ".attn.": ".self_attn.",
        ]
        return "model." + parts.reduce(name) { $0.replacing($1.key, with: $1.value) }
    }

    // MARK: Values

    private func encoded(_ tensor: Tensor, _ form: Form) -> [UInt8] {
        switch form {
        case .f32: tensor.values.withUnsafeBytes { Array($0) }
        case .f16: TensorEncoding.f16.encode(tensor.values)
        case .q8_0: TensorEncoding.q8_0.encode(tensor.values)
        case .int8:
            zip(Self.factors(tensor), 0...).flatMap { factor, row in
                tensor.values[row * tensor.columns..<(row + 1) * tensor.columns].map {
                    UInt8(bitPattern: Int8(($0 * factor).rounded()))
                }
            }
        }
    }

    /// The factor of each row that makes its largest value 127.
    private static func factors(_ tensor: Tensor) -> [Float] {
        (0..<tensor.shape[0]).map { row in
            let values = tensor.values[row * tensor.columns..<(row + 1) * tensor.columns]
            return 127 / max(values.map(abs).max() ?? 1, 1e-9)
        }
    }

    private static func bytes(_ number: Float) -> [UInt8] {
        withUnsafeBytes(of: number.bitPattern.littleEndian, Array.init)
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes += Array($0) }
    }
}
