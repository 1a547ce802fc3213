// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyJSON
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

/// Folders as transformers writes them, and its logits, as recorded by
/// `scripts/reference/huggingface/record_logits.py`.
@Suite("Folders of transformers")
struct FolderLogitsTests {
    private static let golden: JSONValue? = {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Goldens/folder-logits.json")
        return (try? Data(contentsOf: url.standardized)).flatMap { try? JSONValue(parsing: Array($0)) }
    }()
    private static let names = golden?["cases"]?.array?.compactMap { $0["name"]?.string } ?? []

    @Test("there are all families")
    func coversFamilies() {
        #expect(Self.names.count == 21)
    }

    @Test("the logits are those of transformers", arguments: names)
    func givesLogits(name: String) async throws {
        let recorded = try #require(Self.golden?["cases"]?.array?.first { $0["name"]?.string == name })
        let tokens = try #require(Self.golden?["tokens"]?.array).compactMap { $0.integer.map { TokenID($0) } }
        let directory = try TemporaryDirectory()
        try Self.writeFolder(recorded, name, to: directory.url)
        let model = try await NativeModel.load(directory.url, configuration: EngineConfiguration(threads: 1))
        let found = try await model.logits(of: tokens)
        let bytes = try #require(recorded["logits"]?.string.flatMap { Data(base64Encoded: $0) })
        let expected = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        try #require(found.count == expected.count * tokens.count)
        // The keys and values of the cache are halves; a wrong rotation or window differs by a hundred times as much.
        #expect(largestDifference(found.suffix(expected.count), expected) < 4e-3)
        withExtendedLifetime(directory) {}
    }

    private static func writeFolder(_ recorded: JSONValue, _ name: String, to directory: URL) throws {
        func write(_ value: JSONValue, _ name: String) throws {
            try Data(value.text().utf8).write(to: directory.appending(path: name))
        }
        let config = try #require(recorded["config"])
        try write(config, "config.json")
        try write(TinyTokenizer.bytePairs.folderDocument, "tokenizer.json")
        var writer = SafetensorsWriter()
        for tensor in try #require(recorded["tensors"]?.array) {
            let key = try #require(tensor[0]?.string)
            let shape = try #require(tensor[1]?.array).compactMap(\.integer)
            let isNorm = shape.count == 1 && key.contains("norm") && !name.hasPrefix("gemma")
            let numbers = values(key, shape.reduce(1, *)).map { isNorm ? $0 + 1 : $0 }
            writer.append(key, "F32", shape, TensorEncoding.f32.encode(numbers))
        }
        try writer.data.write(to: directory.appending(path: "model.safetensors"))
    }

    /// The weights of the script.
    private static func values(_ name: String, _ count: Int) -> [Float] {
        let seed = name.utf8.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return (0..<UInt32(count)).map { index in
            var state = (index &+ seed) &* 2_654_435_761
            state ^= state >> 15
            state = state &* 0x2C1B_3C6D
            state ^= state >> 12
            return (Float(state >> 8) / 8_388_608 - 1) / 8
        }
    }
}
