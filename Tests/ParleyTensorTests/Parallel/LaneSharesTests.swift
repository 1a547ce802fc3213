// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTensor
import Testing

@Suite("Shares of lanes")
struct LaneSharesTests {
    @Test(
        "lanes come to finish at the same time, whatever the speeds of their cores",
        arguments: [[1, 1, 0.5, 0.5], [1, 0.7], [2, 1, 1, 1, 1, 0.6]])
    func followsSpeeds(speeds: [Double]) {
        var shares = LaneShares(lanes: speeds.count)
        for _ in 0..<200 { _ = step(&shares, speeds: speeds) }
        let sum = speeds.reduce(0, +)
        for (share, speed) in zip(parts(shares), speeds) { #expect(abs(share / (speed / sum) - 1) < 0.1) }
    }

    @Test("cores of one speed keep equal shares, although steps differ")
    func staysEqual() {
        var shares = LaneShares(lanes: 4)
        var random = SplitMix64(seed: 5)
        for _ in 0..<10_000 {
            let speeds = random.floats(4, in: -1...1).map { 1 + 0.1 * Double($0) }
            #expect(!step(&shares, speeds: speeds))
        }
        #expect(shares.areEqual)
        #expect(shares.bounds == [0, 16_384, 32_768, 49_152, 65_536])
    }

    @Test("a core that is lost for a moment changes nothing")
    func forgivesMoments() {
        var shares = LaneShares(lanes: 2)
        for round in 0..<1_000 { #expect(!step(&shares, speeds: round % 25 < 5 ? [1, 0.1] : [1, 1])) }
    }

    @Test("shares become equal again when the cores do")
    func returns() {
        var shares = LaneShares(lanes: 2)
        for _ in 0..<100 { _ = step(&shares, speeds: [1, 0.5]) }
        #expect(!shares.areEqual)
        for _ in 0..<100 { _ = step(&shares, speeds: [1, 1]) }
        #expect(shares.areEqual)
    }

    @Test("no lane is left without work", arguments: [0.0, 0.001])
    func keepsALittle(speed: Double) throws {
        var shares = LaneShares(lanes: 3)
        for _ in 0..<1_000 { _ = step(&shares, speeds: [1, max(speed, 1e-9), 1]) }
        #expect(parts(shares).allSatisfy { $0 > 0.05 })
        #expect(shares.bounds.first == 0)
        #expect(shares.bounds.last == LaneShares.whole)
    }

    /// Records a step of four milliseconds with cores of the given speeds; whether the shares have changed.
    private func step(_ shares: inout LaneShares, speeds: [Double]) -> Bool {
        let times = zip(parts(shares), speeds).map { $0 / $1 }
        let scale = 4_000_000 / (times.max() ?? 1)
        return shares.record(duration: 4_000_000, waited: times.map { 4_000_000 - Int($0 * scale) })
    }

    private func parts(_ shares: LaneShares) -> [Double] {
        zip(shares.bounds, shares.bounds.dropFirst()).map { Double($1 - $0) / Double(LaneShares.whole) }
    }
}
