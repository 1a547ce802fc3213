// SPDX-License-Identifier: Apache-2.0

/// Computes a 64-bit checksum, [XXH64](https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) with seed 0,
/// incrementally.
///
/// It notices damage at a multiple of the speed of SHA-256, whatever instructions the processor has, and keeps nobody
/// from making other bytes of the same checksum.
package struct XXHash64: Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
    /// The bytes that are taken in together: eight for each of four independent sums.
    private static let stripe = 32

    private var sums: (UInt64, UInt64, UInt64, UInt64) = (prime1 &+ prime2, prime2, 0, 0 &- prime1)
    private var count = 0
    /// The last `count % 32` bytes, which make no whole stripe yet.
    private var rest: [UInt8] = []

    /// Creates the checksum of no bytes.
    package init() { rest.reserveCapacity(Self.stripe) }

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        var bytes = bytes
        if !rest.isEmpty {
            let missing = min(Self.stripe - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<missing])
            bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
            guard rest.count == Self.stripe else { return }
            rest.withUnsafeBytes { sums = Self.adding($0, to: sums) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count / Self.stripe * Self.stripe
        sums = Self.adding(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), to: sums)
        rest.append(contentsOf: bytes[whole...])
    }

    /// Adds whole stripes.
    private static func adding(
        _ bytes: UnsafeRawBufferPointer, to sums: (UInt64, UInt64, UInt64, UInt64)
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        var (a, b, c, d) = sums
        for start in stride(from: 0, to: bytes.count, by: stripe) {
            a = round(a, word(bytes, start))
            b = round(b, word(bytes, start + 8))
            c = round(c, word(bytes, start + 16))
            d = round(d, word(bytes, start + 24))
        }
        return (a, b, c, d)
    }

    /// The checksum of the bytes so far.
    package var checksum: UInt64 {
        var hash: UInt64
        if count < Self.stripe {
            hash = Self.prime5
        } else {
            let (a, b, c, d) = sums
            hash = Self.rotated(a, 1) &+ Self.rotated(b, 7) &+ Self.rotated(c, 12) &+ Self.rotated(d, 18)
            for sum in [a, b, c, d] { hash = (hash ^ Self.round(0, sum)) &* Self.prime1 &+ Self.prime4 }
        }
        hash &+= UInt64(count)
        return rest.withUnsafeBytes { Self.finished(hash, $0) }
    }

    /// Adds the bytes that make no whole stripe, and mixes all bits.
    private static func finished(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = hash
        var start = 0
        while start + 8 <= bytes.count {
            hash = rotated(hash ^ round(0, word(bytes, start)), 27) &* prime1 &+ prime4
            start += 8
        }
        if start + 4 <= bytes.count {
            let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
            hash = rotated(hash ^ half &* prime1, 23) &* prime2 &+ prime3
            start += 4
        }
        for byte in bytes[start...] { hash = rotated(hash ^ UInt64(byte) &* prime5, 11) &* prime1 }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    private static func round(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        rotated(sum &+ word &* prime2, 31) &* prime1
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
}
