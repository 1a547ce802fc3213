// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("CountList")
struct CountListTests {
    @Test("counts stand between commas", arguments: [("0", [0]), ("0,1024,4096", [0, 1_024, 4_096])])
    func counts(text: String, values: [Int]) {
        #expect(CountList(argument: text)?.values == values)
    }

    @Test("anything else is refused", arguments: ["", "-1", "1,", ",", "a", "1, 2", "99999999999999999999"])
    func refused(text: String) {
        #expect(CountList(argument: text) == nil)
    }
}
