// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import Synchronization
import Testing

@Suite("TimeSlices")
struct TimeSlicesTests {
    @Test("Linux takes the request for short slices, also a second time; other systems do nothing")
    func requests() {
        let taken = Atomic<Int>(0)
        let done = DispatchSemaphore(value: 0)
        let started = startThread {
            for _ in 0..<2 where TimeSlices.askForShort() { taken.add(1, ordering: .sequentiallyConsistent) }
            done.signal()
        }
        #expect(started)
        done.wait()
        #if os(Linux)
            #expect(taken.load(ordering: .sequentiallyConsistent) == 2)
        #else
            #expect(taken.load(ordering: .sequentiallyConsistent) == 0)
        #endif
    }
}
