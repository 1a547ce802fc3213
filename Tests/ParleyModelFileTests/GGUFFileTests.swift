// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

struct GGUFFileTests {
    @Test("versions 2 and 3 open", arguments: [UInt32(2), 3])
    func opensVersions(version: UInt32) throws {
        var writer = mixedFile()
        writer.version = version
        let file = try writer.opened()
        #expect(file.version == Int(version))
        #expect(file.tensors.map(\.name) == ["a", "b"])
        #expect(file.byteCount == writer.encoded().count)
    }

    @Test("other versions, byte orders and formats are refused and named")
    func refusesOthers() {
        for version: UInt32 in [0, 1, 4, 0x0300_0000, 0x0002_0000] {
            var writer = mixedFile()
            writer.version = version
            #expect(code { _ = try writer.opened() } == .unsupportedVersion)
        }
        #expect(code { _ = try GGUFFile(bytes: Array("PK\u{3}\u{4} and so on".utf8)[...]) } == .notGGUF)
        #expect(code { _ = try GGUFFile(bytes: [UInt8]()[...]) } == .truncated)
    }

    @Test("a file without tensors opens, also without padding after its header")
    func opensVocabularyOnly() throws {
        var writer = smallModel()
        writer.tensors = []
        let file = try writer.opened()
        #expect(file.tensors.isEmpty)
        #expect(try file.tokenizerDescription().tokens.count == TinyTokenizer.bytePairs.tokens.count)
    }

    @Test("a mapped file reads the same as its bytes in memory")
    func mapsFiles() throws {
        try withTemporaryDirectory { directory in
            let url = directory.appending(path: "model.gguf")
            let writer = mixedFile()
            try writer.write(to: url)
            let mapped = try GGUFFile(contentsOf: url)
            let held = try writer.opened()
            #expect(mapped.tensors == held.tensors)
            #expect(mapped.metadata.keys == held.metadata.keys)
            for key in held.metadata.keys {
                #expect(mapped.metadata[key]?.description == held.metadata[key]?.description)
            }
        }
    }

    @Test("a value stays valid after its file is closed")
    func valuesKeepTheMapping() throws {
        try withTemporaryDirectory { directory in
            let url = directory.appending(path: "model.gguf")
            try mixedFile().write(to: url)
            let value = try #require(try GGUFFile(contentsOf: url).metadata["texts"])
            #expect(value.strings == ["a", "", "▁b"])
        }
    }

    @Test("a tensor is found by name, and a missing one is an error that names it")
    func findsTensors() throws {
        let file = try mixedFile().opened()
        #expect(try file.tensor("b").dimensions == [32])
        #expect(file.tensor(ifPresent: "c") == nil)
        #expect(code { _ = try file.tensor("c") } == .missingTensor)
    }

    @Test("a tensor that occurs twice is refused")
    func refusesDuplicateTensors() {
        var writer = mixedFile()
        writer.tensors[1].name = "a"
        #expect(code { _ = try writer.opened() } == .corrupt)
    }
}
