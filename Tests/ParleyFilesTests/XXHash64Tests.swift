// SPDX-License-Identifier: Apache-2.0

import ParleyFiles
import Testing

@Suite("XXHash64")
struct XXHash64Tests {
    /// Bytes that begin 0, 1, 2 and are the same in every run.
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 % 251) }
    }

    private static func checksum(_ pieces: ArraySlice<UInt8>...) -> UInt64 {
        var hash = XXHash64()
        for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
        return hash.checksum
    }

    // Recorded with Python's xxhash 4.1.0 (libxxhash 0.8.4):
    //     xxhash.xxh64(bytes((i * 167 % 251) & 255 for i in range(count))).hexdigest()
    @Test(
        "checksums are those of the reference implementation",
        arguments: [
            (0, 0xEF46DB3751D8E999),
            (1, 0xE934A84ADB052768),
            (3, 0x4516C64EE2C198E8),
            (4, 0x1A3C34F47278040A),
            (7, 0xB4E443D99DA0030F),
            (8, 0x7A829B0E58AFBEC9),
            (15, 0x1896A2E55F932C6B),
            (31, 0xEF1277B8904D66DF),
            (32, 0xC70B8B39794F6D12),
            (33, 0xFC186531B735B293),
            (63, 0xEE8419A54041FB45),
            (64, 0xE284BEFD79F294D4),
            (100, 0x7C4F58D13C964413),
            (1000, 0xDE410D8DDB546F03),
            (4096, 0xC1149D2D1B8E549E),
        ] as [(Int, UInt64)])
    func reference(count: Int, checksum: UInt64) {
        #expect(Self.checksum(Self.bytes(count)[...]) == checksum)
    }

    @Test("a checksum does not depend on how the bytes were divided")
    func pieces() {
        let bytes = Self.bytes(200)
        let whole = Self.checksum(bytes[...])
        for first in stride(from: 0, through: 200, by: 7) {
            for second in stride(from: first, through: 200, by: 9) {
                #expect(Self.checksum(bytes[..<first], bytes[first..<second], bytes[second...]) == whole)
            }
        }
    }
}
