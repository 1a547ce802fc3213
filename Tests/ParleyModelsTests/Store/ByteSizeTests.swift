// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import Testing

@Suite("ByteSize")
struct ByteSizeTests {
    @Test(
        "amounts are read as people write them",
        arguments: [
            ("500", 500), ("20GB", 20_000_000_000), ("1.5 GiB", 1_610_612_736), ("3k", 3_000),
            ("2T", 2_000_000_000_000),
        ] as [(String, Int64)])
    func reading(text: String, bytes: Int64) {
        #expect(ByteSize(text)?.bytes == bytes)
    }

    @Test("what is no amount is refused", arguments: ["", "GB", "-5GB", "five", "1e5", "9999999999TB", "5 parsecs"])
    func refusal(text: String) {
        #expect(ByteSize(text) == nil)
    }

    @Test(
        "amounts are written in decimal units",
        arguments: [(12, "12 B"), (98_362_432, "98 MB"), (2_149_999_999, "2.1 GB"), (4_600, "5 kB")]
            as [(Int64, String)])
    func writing(bytes: Int64, text: String) {
        #expect(ByteSize(bytes: bytes).description == text)
    }
}
