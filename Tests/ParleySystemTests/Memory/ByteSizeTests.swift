// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySystem
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

    @Test(
        "text that is not an amount is refused",
        arguments: ["", "GB", "-5GB", "five", "1e5", "9999999999TB", "5 parsecs", "2000TB", "1.2.3", "inf", "nan"])
    func refusal(text: String) {
        #expect(ByteSize(text) == nil)
    }

    @Test(
        "amounts are written in decimal units",
        arguments: [(12, "12 B"), (98_362_432, "98 MB"), (2_149_999_999, "2.1 GB"), (4_600, "5 kB")]
            as [(Int64, String)])
    func writing(bytes: Int64, text: String) {
        #expect(ByteSize(clamping: bytes).description == text)
    }

    @Test("numbers outside 0 to 1 PiB are not sizes", arguments: [-1, Int64.min, (1 << 50) + 1, .max])
    func bounds(number: Int64) {
        #expect(ByteSize(exactly: number) == nil)
        #expect(ByteSize(digits: "\(number)") == nil)
        #expect((ByteSize.zero...ByteSize.limit).contains(ByteSize(clamping: number)))
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ByteSize.self, from: Data("\(number)".utf8)) }
    }

    @Test("sums, differences and products stop at the bounds")
    func arithmetic() {
        let limit = ByteSize.limit
        #expect(Array(repeating: limit, count: 100_000).reduce(.zero, +) == limit)
        #expect(limit * .max == limit)
        #expect(limit * -1 == .zero)
        #expect(ByteSize.zero - limit == .zero)
        #expect(ByteSize(clamping: 5) + 3 - 2 == 6)
        #expect(ByteSize(clamping: 5) * 3 == 15)
    }

    @Test(
        "sizes in HTTP headers consist of digits only",
        arguments: ["+5", "5 ", "0x5", "", "٥", "5.0", "99999999999999999999"])
    func digits(text: String) {
        #expect(ByteSize(digits: text) == nil)
    }

    @Test("a saturated sum does not fit into any space")
    func fitting() {
        #expect(ByteSize(clamping: 5).fits(into: 5) && !ByteSize(clamping: 5).fits(into: 4))
        #expect(ByteSize.zero.fits(into: 0) && !ByteSize.zero.fits(into: -1))
        #expect(!ByteSize.limit.fits(into: .max))
    }
}
