// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyJSON
import Testing

@Suite("Samples")
struct SamplesTests {
    @Test(
        "the median is the middle value, or the mean of the two in the middle",
        arguments: [([4], 4), ([9, 1, 5], 5), ([1, 8, 2, 4], 3)] as [([Double], Double)])
    func median(values: [Double], median: Double) {
        #expect(Samples(values).median == median)
    }

    @Test("the spread is reported, and the values keep their order")
    func spread() {
        let samples = Samples([3, 1, 2])
        #expect(samples.least == 1)
        #expect(samples.most == 3)
        let expected: JSONValue = ["median": 2.0, "least": 1.0, "most": 3.0, "samples": [3.0, 1.0, 2.0]]
        #expect(.object(samples.json) == expected)
    }
}
