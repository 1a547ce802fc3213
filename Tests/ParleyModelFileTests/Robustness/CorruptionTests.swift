// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import Testing

/// No damaged file may crash, hang or cause other errors than the module's; files that open are read in full.
struct CorruptionTests {
    @Test(
        "20,000 damaged variants of each of three files are refused or read (PARLEY_FUZZ_FACTOR multiplies)",
        arguments: ["byte pairs", "SentencePiece", "every kind of metadata"])
    func survivesDamage(name: String) throws {
        let writer = name == "every kind of metadata" ? mixedFile() : smallModel(named: name)
        let (bytes, fields) = writer.encodedWithFields()
        var damage = Damage(original: bytes, fields: fields, seed: 42)
        let variants = 20_000 * variantFactor
        var opened = 0
        for _ in 0..<variants where try readEverything(damage.next()[...]) { opened += 1 }
        // If all variants or none opened, the test would not test anything.
        #expect(opened > variants / 100)
        #expect(opened < variants * 99 / 100)
    }

    @Test("3,000 damaged variants of a split model are refused or read")
    func survivesDamagedParts() throws {
        let parts = smallModel().split(tensorsPerPart: 4).map { $0.encodedWithFields() }
        for (index, part) in parts.enumerated() {
            var damage = Damage(original: part.bytes, fields: part.fields, seed: UInt64(index))
            for _ in 0..<(1_000 * variantFactor) {
                var slices = parts.map { $0.bytes[...] }
                slices[index] = damage.next()[...]
                do {
                    let file = try GGUFFile(bytes: slices[0], slices[1], slices[2])
                    for tensor in file.tensors { try file.withBytes(of: tensor) { _ = $0.last } }
                } catch is ModelFileError {}
            }
        }
    }

    @Test(
        "real files with flipped bits are refused or read (30 variants each)",
        .enabled(if: !referenceFiles().isEmpty, "run scripts/fetch-references first"))
    func survivesDamagedRealFiles() throws {
        var random = SplitMix64(seed: 5)
        for url in referenceFiles() {
            var bytes = try [UInt8](Data(contentsOf: url))
            for _ in 0..<(30 * variantFactor) {
                // Damage in tensor data changes nothing that is read here.
                let limit = min(bytes.count, Bool.random(using: &random) ? 4096 : 1 << 24)
                let places = (0..<8).map { _ in Int.random(in: 0..<limit, using: &random) }
                let saved = places.map { bytes[$0] }
                for place in places { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
                try readEverything(bytes[...])
                for (place, byte) in zip(places, saved).reversed() { bytes[place] = byte }
            }
        }
    }
}
