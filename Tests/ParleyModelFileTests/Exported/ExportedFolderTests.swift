// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTokenizer
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Folders with an exported network")
struct ExportedFolderTests {
    /// Reads the folder of a tiny model, with so many bytes in place of a network, but without a file.
    private func folder(network: Int? = 1_000, without missing: String? = nil) throws -> ExportedFolder {
        try withTemporaryDirectory { directory in
            try TinyModel().writeFolder(to: directory) { _ in }
            if let network { try Data(count: network).write(to: directory.appending(path: "model.pte")) }
            if let missing { try FileManager.default.removeItem(at: directory.appending(path: missing)) }
            return try ExportedFolder(contentsOf: directory, .execuTorch)
        }
    }

    @Test("the sizes and the tokenizer are read")
    func reads() throws {
        let folder = try folder()
        #expect(folder.architecture == "llama")
        #expect(folder.byteCount == 1_000)
        #expect(folder.tokenizer.tokens.count == folder.vocabularySize)
    }

    @Test("a file that is missing is named", arguments: ["model.pte", "config.json", "tokenizer.json"])
    func missing(name: String) {
        #expect {
            _ = name == "model.pte" ? try folder(network: nil) : try folder(without: name)
        } throws: { error in
            (error as? ModelFileError)?.message.contains(name) == true
        }
    }

    @Test("a network may be a folder whose weights are a file of their own")
    func folders() throws {
        try withTemporaryDirectory { directory in
            try TinyModel().writeFolder(to: directory) { _ in }
            let weights = directory.appending(path: "model.mlmodelc/weights")
            try FileManager.default.createDirectory(at: weights, withIntermediateDirectories: true)
            #expect(ModelFormat.coreML.isFormat(of: directory))
            #expect(throws: ModelFileError.self) {
                _ = try ExportedFolder(contentsOf: directory, .coreML, weights: "model.mlmodelc/weights/weight.bin")
            }
            try Data(count: 77).write(to: weights.appending(path: "weight.bin"))
            let folder = try ExportedFolder(
                contentsOf: directory, .coreML, weights: "model.mlmodelc/weights/weight.bin")
            #expect(folder.byteCount == 77)
        }
    }
}
