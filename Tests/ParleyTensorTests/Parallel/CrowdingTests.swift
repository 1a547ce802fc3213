// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Crowding")
struct CrowdingTests {
    private let millisecond = 1_000_000

    @Test("lanes that wait a tenth of their time do not count as crowded")
    func staysCalm() {
        var crowding = Crowding()
        for _ in 0..<1_000 { crowding.record(duration: millisecond, lanes: 2, waited: millisecond / 5) }
        #expect(!crowding.isCrowded)
    }

    @Test("one slow step does not count as crowded; a few scheduler time slices do")
    func judgesTurns() {
        var crowding = Crowding()
        crowding.record(duration: 3 * millisecond, lanes: 2, waited: 3 * millisecond)
        #expect(!crowding.isCrowded)
        for _ in 0..<12 { crowding.record(duration: 3 * millisecond, lanes: 2, waited: 3 * millisecond) }
        #expect(crowding.isCrowded)
    }

    @Test("crowding is remembered for one second of steps")
    func remembers() {
        var crowding = Crowding()
        crowding.record(duration: 100 * millisecond, lanes: 2, waited: 50 * millisecond)
        for _ in 0..<99 {
            crowding.record(duration: 10 * millisecond, lanes: 2, waited: 0)
            #expect(crowding.isCrowded)
        }
        crowding.record(duration: 10 * millisecond, lanes: 2, waited: 0)
        #expect(!crowding.isCrowded)
    }
}
