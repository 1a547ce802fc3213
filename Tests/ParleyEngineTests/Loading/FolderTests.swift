// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyJSON
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Loading folders in the form of Hugging Face")
struct FolderTests {
    @Test(
        "a folder gives the logits of the GGUF file with the same weights",
        arguments: TinyArchitecture.all, [TensorEncoding.f32, .bf16])
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
}
