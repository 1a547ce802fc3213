// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("The step that a library runs")
struct RunningStepTests {
    @Test("a step is interrupted whose task was cancelled just before it began, and the next one is not")
    func cancelledBefore() throws {
        let (running, cache, cancellation) = (RunningStep<InterruptedCache>(), InterruptedCache(), Cancellation())
        cancellation.set()
        try running.run(cache, for: cancellation) { #expect(cache.isInterrupted) }
        #expect(!cache.isInterrupted)
        try running.run(cache, for: Cancellation()) { #expect(!cache.isInterrupted) }
    }

    @Test("a cancellation while a step runs interrupts it, and one of another task does not")
    func cancelledMeanwhile() throws {
        let (running, cache, cancellation) = (RunningStep<InterruptedCache>(), InterruptedCache(), Cancellation())
        try running.run(cache, for: cancellation) {
            running.noticeCancellation()
            #expect(!cache.isInterrupted)
            cancellation.set()
            running.noticeCancellation()
            #expect(cache.isInterrupted)
        }
        #expect(!cache.isInterrupted)
    }
}

/// Notes whether it is interrupted. `@unchecked Sendable`: one test uses it, on one thread.
private final class InterruptedCache: SerialCache, @unchecked Sendable {
    private(set) var isInterrupted = false

    func run(_ tokens: ArraySlice<TokenID>, wanted: Int) throws {}

    func withLogits<Result>(_ body: (UnsafeBufferPointer<Float>) throws -> Result) throws -> Result {
        try body(UnsafeBufferPointer(start: nil, count: 0))
    }

    func rewind(to position: Int) throws {}
    func interrupt() { isInterrupted = true }
    func resume() { isInterrupted = false }
}
