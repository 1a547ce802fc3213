// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("Limits of time")
struct ForeseeableDurationTests {
    @Test("A limit of 34 years or more is none")
    func limits() {
        let most = Duration.seconds(1 << 30) - .nanoseconds(1)
        for limit in [.zero, .seconds(-1), .seconds(60), most] as [Duration] { #expect(limit.foreseeable == limit) }
        for limit in [.seconds(1 << 30), .seconds(Int64.max)] as [Duration] { #expect(limit.foreseeable == nil) }
    }
}
