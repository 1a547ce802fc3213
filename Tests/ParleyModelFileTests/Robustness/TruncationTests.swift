// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import Testing

struct TruncationTests {
    @Test(
        "a model cut short at any byte is refused (some 48,000 lengths in all)",
        arguments: ["byte pairs", "SentencePiece"])
    func refusesEveryPrefix(vocabulary: String) throws {
        let bytes = smallModel(named: vocabulary).encoded()
        #expect(bytes.count < 1 << 20)
        #expect(try readEverything(bytes[...]))
        for count in bytes.indices where try readEverything(bytes[..<count]) {
            Issue.record("\(count) of \(bytes.count) bytes open as if they were the whole file")
        }
    }

    @Test("a vocabulary without tensors cut short at any byte is refused (some 5,000 lengths)")
    func refusesEveryPrefixOfAVocabulary() throws {
        var writer = smallModel()
        writer.tensors = []
        let bytes = writer.encoded()
        for count in bytes.indices where try readEverything(bytes[..<count]) {
            Issue.record("\(count) of \(bytes.count) bytes open as if they were the whole file")
        }
    }

    @Test("the error for a truncated file says to download it again")
    func explains() {
        let bytes = smallModel().encoded()
        for count in [100, 5_000, bytes.count - 1] {
            let error = #expect(throws: ModelFileError.self) { try GGUFFile(bytes: bytes[..<count]) }
            #expect(error?.code == .truncated)
            #expect(error?.message.contains("download it again") == true)
        }
    }

    @Test(
        "real files cut short at 60 places each are refused",
        .enabled(if: !referenceFiles().isEmpty, "run scripts/fetch-references first"))
    func refusesPrefixesOfRealFiles() throws {
        var random = SplitMix64(seed: 11)
        for url in referenceFiles() {
            let bytes = try [UInt8](Data(contentsOf: url))
            #expect(try readEverything(bytes[...]))
            for index in 0..<(60 * variantFactor) {
                // Half of the places lie in the header, which is a small part of a real file.
                let limit = index.isMultiple(of: 2) ? bytes.count : min(bytes.count, 1 << 21)
                let count = Int.random(in: 0..<limit, using: &random)
                // Files of some vocabularies end in padding that is no loss.
                if count < bytes.count - 64, try readEverything(bytes[..<count]) {
                    Issue.record("\(count) bytes of \(url.lastPathComponent) open as if they were the whole file")
                }
            }
        }
    }
}
