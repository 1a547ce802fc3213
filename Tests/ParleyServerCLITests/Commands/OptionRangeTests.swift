// SPDX-License-Identifier: Apache-2.0

import ParleyCommandLine
import ParleySystem
import Testing

@Suite("The ranges of options")
struct OptionRangeTests {
    @Test("A number out of range is told with the option, the range and what was given; none is no mistake.")
    func messages() throws {
        let range = OptionRange(ThreadCount.range)
        for value in [nil, 1, 1_024] { try range.check(value, of: "--threads") }
        let error = #expect(throws: (any Error).self) { try range.check(0, of: "--threads") }
        #expect("\(try #require(error))" == "--threads must be from 1 to 1024, not 0.")
    }
}
