// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Spinning")
struct SpinningTests {
    @Test("checks are counted in proportion to the time that they take")
    func proportion() {
        let few = Spinning.checks(in: 10_000)
        // A check takes between half a nanosecond and a microsecond on every processor that there is.
        #expect((10...20_000).contains(few))
        #expect(abs(Spinning.checks(in: 1_000_000) - 100 * few) <= 100)
    }
}
