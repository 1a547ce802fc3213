// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Thread count")
struct ThreadCountTests {
    @Test("numbers of threads out of range are refused", arguments: [0, -1, 1_025, 1_000_000_000, .max, .min])
    func refuses(threads: Int) {
        let error = #expect(throws: RuntimeError.self) { try threadCount(threads) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("\(threads)") == true)
    }

    @Test("the requested number is used, otherwise the number of usable cores")
    func takes() throws {
        #expect(try threadCount(1) == 1)
        #expect(try threadCount(1_024) == 1_024)
        #expect((1...1_024).contains(try threadCount(nil)))
    }
}
