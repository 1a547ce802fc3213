// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleySpeech
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
import Testing

@Suite struct WhisperFileTests {
    private static let ggml = TinyWhisperFixture.model.ggml(.q8_0)
    private static let cTranslate2 = TinyWhisperFixture.model.cTranslate2(.int8)
    /// Where the tensors' values begin to be most of the file.
    private static let headerBytes = 700_000

    /// Whether the bytes are read and loaded; false if they are refused, as they should be, by an error of speech.
    private func loads(_ bytes: ArraySlice<UInt8>, _ folder: URL) throws -> Bool {
        do {
            let file = try WhisperFile.read(FileBytes(Array(bytes)[...], name: "tiny.bin"), folder: folder)
            _ = try TinyWhisperFixture.engine(file, isExact: false, lanes: 1)
            return true
        } catch let error as SpeechError {
            #expect(error.code == .unsupportedModel)
            #expect(error.message.hasPrefix("tiny.bin"))
            return false
        }
    }

    @Test("A truncated file is refused, wherever it ends")
    func truncated() throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeCTranslate2(to: folder.url, .int8)
        var random = SplitMix64(seed: 3)
        for whole in [Self.ggml, Self.cTranslate2] {
            #expect(try loads(whole[...], folder.url))
            for end in [0, 3, 4, 47, 60] + (0..<16).map({ _ in Int.random(in: 0..<whole.count, using: &random) }) {
                #expect(try !loads(whole[..<end], folder.url), "\(end) bytes")
            }
        }
    }

    @Test("A file with changed bytes in its header is refused or loads, and nothing crashes")
    func changed() throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeCTranslate2(to: folder.url, .int8)
        var random = SplitMix64(seed: 4)
        for whole in [Self.ggml, Self.cTranslate2] {
            for round in 0..<24 {
                var bytes = whole
                let reach = round.isMultiple(of: 2) ? 400 : whole.count
                bytes[Int.random(in: 0..<reach, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
                _ = try loads(bytes[...], folder.url)
            }
        }
    }

    /// Reads and loads a folder of Hugging Face's; false if it is refused by an error of speech that names a file of it.
    private func loads(_ folder: URL) throws -> Bool {
        do {
            _ = try TinyWhisperFixture.engine(WhisperFile.read(folder), isExact: false, lanes: 1)
            return true
        } catch let error as SpeechError {
            #expect(error.code == .unsupportedModel && error.message.hasPrefix(folder.path))
            return false
        }
    }

    @Test("Truncated or changed safetensors are refused or load, and nothing crashes")
    func safetensors() throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeTransformers(to: folder.url, .f16)
        let file = folder.url.appending(path: "model.safetensors")
        let whole = try Data(contentsOf: file)
        var random = SplitMix64(seed: 5)
        #expect(try loads(folder.url))
        for end in [0, 7, 8, 60] + (0..<6).map({ _ in Int.random(in: 0..<whole.count, using: &random) }) {
            try whole.prefix(end).write(to: file)
            #expect(try !loads(folder.url), "\(end) bytes")
        }
        for _ in 0..<16 {
            var bytes = whole
            bytes[Int.random(in: 0..<6_000, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try bytes.write(to: file)
            _ = try loads(folder.url)
        }
    }

    @Test(
        "A folder that is no Whisper model, or lacks a part, is refused by what it lacks",
        arguments: [
            (#"{"model_type":"llama"}"#, "llama"), (#"{"model_type":"whisper","scale_embedding":true}"#, "differs"),
            (#"{"model_type":"whisper"}"#, "d_model"), (nil, "config.json"),
        ] as [(String?, String)])
    func configuration(text: String?, named: String) throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeTransformers(to: folder.url, .f16)
        let config = folder.url.appending(path: "config.json")
        try FileManager.default.removeItem(at: config)
        if let text { try Data(text.utf8).write(to: config) }
        let error = #expect(throws: SpeechError.self) { try WhisperFile.read(folder.url) }
        #expect(error?.message.contains(named) == true)
    }

    @Test("A folder without its tokens, or with too few, is refused")
    func tokens() throws {
        let folder = try TemporaryDirectory()
        try TinyWhisperFixture.model.writeTransformers(to: folder.url, .f16, vocabulary: "vocab.json")
        let file = folder.url.appending(path: "vocab.json")
        try Data(#"{"a":0,"b":1}"#.utf8).write(to: file)
        let few = #expect(throws: SpeechError.self) { try WhisperFile.read(folder.url) }
        #expect(few?.message.contains("50254 tokens") == true)
        try FileManager.default.removeItem(at: file)
        let none = #expect(throws: SpeechError.self) { try WhisperFile.read(folder.url) }
        #expect(none?.message.contains("tokenizer.json") == true)
    }

    @Test("A vocabulary damaged by U+FFFD is refused by name")
    func replaced() throws {
        var pieces = TinyWhisper.pieces
        for index in 300..<400 { pieces[index] = Array("\u{FFFD}".utf8) }
        let bytes = TinyWhisperFixture.model.ggml(.f16, pieces: pieces)
        let error = #expect(throws: SpeechError.self) {
            try WhisperFile.read(FileBytes(bytes[...], name: "tiny.bin"), folder: URL(filePath: "/"))
        }
        #expect(error?.message.contains("U+FFFD") == true)
    }

    @Test("A folder without its vocabulary, another model and no file at all are refused")
    func missing() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: SpeechError.self) { try WhisperFile.read(folder.url) }
        try TinyWhisperFixture.model.writeCTranslate2(to: folder.url, .f16)
        try FileManager.default.removeItem(at: folder.url.appending(path: "vocabulary.txt"))
        let error = #expect(throws: SpeechError.self) { try WhisperFile.read(folder.url) }
        #expect(error?.message.contains("vocabulary.txt") == true)
        try Data("GGUF----------------".utf8).write(to: folder.url.appending(path: "model.bin"))
        #expect(throws: SpeechError.self) { try WhisperFile.read(folder.url) }
    }
}
