// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("Threads that compute together")
struct ThreadCountTests {
    @Test(
        "Without a request there is one for each core, within the range",
        arguments: [(-1, 1), (0, 1), (1, 1), (300, 300), (5_000, 1_024)])
    func usual(processors: Int, threads: Int) {
        #expect(ThreadCount.usual(processors: processors) == threads)
        #expect(ThreadCount.range.contains(ThreadCount.usual))
    }
}
