// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Lane tuner")
struct LaneTunerTests {
    /// The lanes of the next steps, each of which takes as long as told.
    private func run(
        _ tuner: inout LaneTuner, steps: Int, isCrowded: Bool = true, duration: (Int) -> Int
    ) -> [Int] {
        (0..<steps).map { _ in
            let lanes = tuner.lanes
            tuner.record(duration: duration(lanes), isCrowded: isCrowded)
            return lanes
        }
    }

    @Test("on a quiet machine the number of lanes is the usual one")
    func keepsToUsual() {
        var tuner = LaneTuner(usual: 4, most: 8)
        #expect(run(&tuner, steps: 200, isCrowded: false, duration: { 1_000 / $0 }).allSatisfy { $0 == 4 })
    }

    @Test("in a crowd the fastest of three numbers is found and kept", arguments: [2, 4, 8])
    func findsFastest(best: Int) {
        var tuner = LaneTuner(usual: 4, most: 8)
        let lanes = run(&tuner, steps: 200, duration: { $0 == best ? 90 : 100 })
        #expect(lanes[...9].elementsEqual([4, 4, 4, 4, 2, 2, 2, 8, 8, 8]))
        #expect(lanes[10..<42].allSatisfy { $0 == best })
        #expect(lanes.filter { $0 == best }.count > 150)
        // When the crowd has gone, the usual number is back once the stretch has ended.
        #expect(run(&tuner, steps: 300, isCrowded: false, duration: { 1_000 / $0 }).last == 4)
    }

    @Test("there are never more lanes than there can be, nor fewer than one", arguments: [1, 2, 3])
    func staysInBounds(usual: Int) {
        var tuner = LaneTuner(usual: usual, most: usual)
        #expect(run(&tuner, steps: 100, duration: { _ in 1 }).allSatisfy { (1...usual).contains($0) })
    }
}
