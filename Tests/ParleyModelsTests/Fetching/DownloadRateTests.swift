// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import Testing

@Suite("DownloadRate")
struct DownloadRateTests {
    private let start = ContinuousClock.now

    @Test("bytes in a second and the time left, without what was there before")
    func rate() {
        var rate = DownloadRate(present: 1_000, now: start)
        rate.update(received: 3_000, now: start + .seconds(4))
        #expect(rate.bytesPerSecond(of: 5_000) == 500)
        #expect(rate.secondsLeft(of: 5_000) == 4)
        #expect(rate.bytesPerSecond(of: 0) == 500)
        #expect(rate.secondsLeft(of: 0) == nil)
        #expect(rate.secondsLeft(of: 2_000) == 0)
    }

    @Test("the first bytes tell nothing yet")
    func beginning() {
        var rate = DownloadRate(now: start)
        #expect(rate.bytesPerSecond(of: 1_000) == nil)
        rate.update(received: 500, now: start + .milliseconds(400))
        #expect(rate.bytesPerSecond(of: 1_000) == nil)
        rate.update(received: 5, now: start + .seconds(2))
        #expect(rate.bytesPerSecond(of: 1_000) == nil)
        rate.update(received: 6, now: start + .seconds(2))
        #expect(rate.bytesPerSecond(of: 1_000) == 3)
        rate.update(received: .max, now: start + .seconds(2))
        #expect(rate.secondsLeft(of: .max) == 0)
    }
}
