// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Loading folders in the form of Hugging Face")
struct FolderTests {
    @Test(
        "a folder gives the logits of the GGUF file with the same weights",
        // Folders have each expert in tensors of its own, which are not read.
        arguments: TinyArchitecture.all.filter { !$0.name.hasSuffix("moe") }, [TensorEncoding.f32, .bf16])
    func givesSameLogits(architecture: TinyArchitecture, encoding: TensorEncoding) async throws {
        var tiny = TinyModel(architecture)
        tiny.tokenizer = .bytePairs
        tiny.encoding = encoding
        let tokens = randomTokens(40, vocabulary: tiny.tokenizer.tokens.count)
        let expected = try await NativeModel.load(tiny.writer()).logits(of: tokens)
        let directory = try TemporaryDirectory()
        try tiny.writeFolder(to: directory.url, shards: 2)
        let model = try await NativeModel.load(directory.url, configuration: EngineConfiguration(threads: 1))
        let found = try await model.logits(of: tokens)
        if architecture.name == "gemma3" {
            // Its norms are stored less 1, which rounds.
            #expect(largestDifference(found, expected) < 1e-3)
        } else {
            #expect(found == expected)
        }
        #expect(model.info.name == "Tiny random model")
        withExtendedLifetime(directory) {}
    }

    @Test("a folder whose weights lack a tensor is refused by its name before loading")
    func refusesMissingTensor() throws {
        let directory = try TemporaryDirectory()
        try TinyModel().writeFolder(to: directory.url) { config in config["num_hidden_layers"] = 3 }
        #expect(NativeModel.refusal(of: directory.url)?.contains("blk.2.") == true)
        withExtendedLifetime(directory) {}
    }

    @Test("groups of MLX, also those with negative scales, give the logits of the same numbers in F32")
    func runsGroups() async throws {
        var tiny = TinyModel()
        tiny.tokenizer = .bytePairs
        let (groups, plain) = (try TemporaryDirectory(), try TemporaryDirectory())
        let setting: JSONValue = ["bits": 4, "group_size": 32]
        try tiny.writeFolder(to: groups.url) { config in config["quantization"] = setting }
        try tiny.writeFolder(to: plain.url)
        try Self.quantise(groups.url, plain.url)
        let configuration = EngineConfiguration(threads: 1)
        let tokens = randomTokens(40, vocabulary: tiny.tokenizer.tokens.count)
        let expected = try await NativeModel.load(plain.url, configuration: configuration).logits(of: tokens)
        let model = try await NativeModel.load(groups.url, configuration: configuration)
        // Q4_1 is multiplied with rows of 8 bits; another sign or order of rows differs by several units.
        #expect(try await largestDifference(model.logits(of: tokens), expected) < 0.15)
        withExtendedLifetime((groups, plain)) {}
    }

    /// Stores the matrices of a folder in groups of 32 with 4 bits, and in another one what they stand for.
    private static func quantise(_ groups: URL, _ plain: URL) throws {
        let name = SafetensorsFile.fileName
        let file = try SafetensorsFile(contentsOf: plain)
        var (packed, wide) = (SafetensorsWriter(), SafetensorsWriter())
        for tensor in file.tensors {
            let bytes = try file.withBytes(of: tensor) { Array($0) }
            guard tensor.shape.count == 2 else {
                packed.append(tensor.name, "F32", tensor.shape, bytes)
                wide.append(tensor.name, "F32", tensor.shape, bytes)
                continue
            }
            let values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            var (levels, scales, biases, numbers): ([UInt8], [Float], [Float], [Float]) = ([], [], [], [])
            for (number, start) in stride(from: 0, to: values.count, by: 32).enumerated() {
                let group = values[start..<start + 32]
                let (low, high) = (group.min() ?? 0, group.max() ?? 0)
                // Dyadic, so that halves hold them; every second one counts down from the largest.
                let step = max(((high - low) / 15 * 1_024).rounded(.up), 1) / 1_024
                let (scale, bias) =
                    number.isMultiple(of: 2)
                    ? (step, (low * 256).rounded() / 256) : (-step, (high * 256).rounded() / 256)
                for value in group {
                    let level = min(max(((value - bias) / scale).rounded(), 0), 15)
                    levels.append(UInt8(level))
                    numbers.append(scale * level + bias)
                }
                scales.append(scale)
                biases.append(bias)
            }
            let words = stride(from: 0, to: levels.count, by: 2).map { levels[$0] | levels[$0 + 1] << 4 }
            let stem = String(tensor.name.dropLast(".weight".count))
            let (rows, columns) = (tensor.shape[0], tensor.shape[1])
            packed.append(tensor.name, "U32", [rows, columns / 8], words)
            packed.append(stem + ".scales", "F16", [rows, columns / 32], TensorEncoding.f16.encode(scales))
            packed.append(stem + ".biases", "F16", [rows, columns / 32], TensorEncoding.f16.encode(biases))
            wide.append(tensor.name, "F32", tensor.shape, TensorEncoding.f32.encode(numbers))
        }
        try packed.data.write(to: groups.appending(path: name))
        try wide.data.write(to: plain.appending(path: name))
    }
}
