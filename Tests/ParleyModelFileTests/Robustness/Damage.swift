// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTesting

/// Makes damaged variants of a file, the same ones for the same seed.
struct Damage {
    /// The undamaged file.
    let original: [UInt8]
    /// Where the header's numbers lie: damage there goes deepest.
    let fields: [Range<Int>]
    private var random: SplitMix64

    init(original: [UInt8], fields: [Range<Int>], seed: UInt64) {
        self.original = original
        self.fields = fields
        random = SplitMix64(seed: seed)
    }

    /// The next damaged variant.
    mutating func next() -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: flipBits(&bytes)
            case 1: overwriteBytes(&bytes)
            case 2: cut(&bytes)
            case 3: insert(&bytes)
            case 4: exchangeFields(&bytes)
            default: overwriteField(&bytes)
            }
        }
        return bytes
    }

    private mutating func flipBits(_ bytes: inout [UInt8]) {
        for _ in 0..<Int.random(in: 1...16, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { return }
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
    }

    private mutating func overwriteBytes(_ bytes: inout [UInt8]) {
        guard let start = bytes.indices.randomElement(using: &random) else { return }
        for index in start..<min(bytes.count, start + Int.random(in: 1...64, using: &random)) {
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
    }

    private mutating func cut(_ bytes: inout [UInt8]) {
        guard let start = bytes.indices.randomElement(using: &random) else { return }
        bytes.removeSubrange(start..<min(bytes.count, start + Int.random(in: 1...256, using: &random)))
    }

    private mutating func insert(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let byte = UInt8.random(in: 0...255, using: &random)
        bytes.insert(contentsOf: repeatElement(byte, count: Int.random(in: 1...256, using: &random)), at: start)
    }

    private mutating func exchangeFields(_ bytes: inout [UInt8]) {
        guard let from = fields.randomElement(using: &random), let to = fields.randomElement(using: &random),
            from.count == to.count, max(from.upperBound, to.upperBound) <= bytes.count
        else { return }
        bytes.replaceSubrange(to, with: Array(bytes[from]))
    }

    /// Puts an extreme or a slightly different number in the place of one of the header's.
    private mutating func overwriteField(_ bytes: inout [UInt8]) {
        guard let field = fields.randomElement(using: &random), field.upperBound <= bytes.count else { return }
        let old = bytes[field].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let size = UInt64(bytes.count)
        let extremes: [UInt64] = [
            0, 1, old &+ 1, old &- 1, old &* 2, .max, .max - 1, 1 << 63, (1 << 63) - 1, 1 << 62, 1 << 61, 1 << 32,
            (1 << 32) - 1, 1 << 31, (1 << 31) - 1, 0xFFFF, 0x7FFF, 0xFF, size, size &- 1, size / 2, size / 8, 8, 9,
            size &- UInt64(field.upperBound), UInt64.random(in: 0...(.max), using: &random),
        ]
        let number = extremes.randomElement(using: &random) ?? 0
        bytes.replaceSubrange(field, with: withUnsafeBytes(of: number.littleEndian) { $0.prefix(field.count) })
    }
}
