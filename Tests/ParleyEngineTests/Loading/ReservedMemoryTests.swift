// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleySystem
import ParleyTensor
import ParleyTesting
import ParleyTokenizer
import Synchronization
import ParleyTestSupport
import Testing

@Suite("Reserved memory")
struct ReservedMemoryTests {
    private static let context = 4_096

    /// The available memory, as set by a test.
    private final class Reading: Sendable {
        let available = Atomic<Int>(.max)

        var ledger: MemoryLedger {
            MemoryLedger { [self] in
                MachineMemory(physical: .max, available: available.load(ordering: .relaxed))
            }
        }

        func set(_ bytes: Int) { available.store(bytes, ordering: .relaxed) }
    }

    private var tiny: TinyModel {
        var tiny = TinyModel(.llama)
        tiny.context = Self.context
        return tiny
    }

    @Test("the memory of a sequence is reserved; one that does not fit beside the others is refused with the sum")
    func refusesTheThird() async throws {
        let reading = Reading()
        let ledger = reading.ledger
        let model = try await NativeModel.load(tiny.writer(), context: Self.context, ledger: ledger)
        let cache = model.memoryPlan.cache(context: Self.context).count
        let scratch = model.memoryPlan.scratch(context: Self.context).count
        #expect(ledger.unwrittenBytes == scratch + cache, "the weights are there")
        reading.set(scratch + 2 * cache + cache / 2)
        var timelines = [try model.makeTimeline(), try model.makeTimeline()]
        let error = await expect(code: .insufficientMemory) { _ = try model.makeTimeline() }
        for part in ["4096 tokens", "takes \(ByteSize(clamping: cache))", "2 other sequences"] {
            #expect(error?.message.contains(part) == true, "“\(part)” is not in “\(error?.message ?? "")”")
        }
        _ = try model.makeTimeline(capacity: Self.context / 4)
        timelines.removeLast()
        _ = try model.makeTimeline()
        withExtendedLifetime(timelines) {}
    }

    @Test("memory that a sequence has written is counted once, by the system")
    func countsOnce() async throws {
        let reading = Reading()
        let ledger = reading.ledger
        let model = try await NativeModel.load(tiny.writer(), context: Self.context, ledger: ledger)
        let plan = model.memoryPlan
        let (cache, scratch) = (plan.cache(context: Self.context).count, plan.scratch(context: Self.context).count)
        let timeline = try model.makeTimeline()
        #expect(ledger.unwrittenBytes == scratch + cache)
        let tokens = randomTokens(Self.context / 2, vocabulary: model.info.vocabularySize)
        try await timeline.step(TimelineStep(tokens: tokens), into: LogitRows())
        #expect(ledger.unwrittenBytes == cache / 2, "the scratch has been used in full")
        timeline.rewind(to: 0)
        #expect(ledger.unwrittenBytes == cache, "what was cut off has gone back to the system")
        reading.set(2 * cache)
        let second = try model.makeTimeline()
        await expect(code: .insufficientMemory) { _ = try model.makeTimeline() }
        withExtendedLifetime((timeline, second)) {}
    }

    @Test("where all caches together have a limit, many sequences of whole contexts fit into little memory")
    func limit() async throws {
        let reading = Reading()
        let ledger = reading.ledger
        let tokens = randomTokens(1_024, vocabulary: 200)
        let plan = try await NativeModel.load(tiny.writer(), context: Self.context).memoryPlan
        let (cache, scratch) = (plan.cache(context: Self.context).count, plan.scratch(context: Self.context).count)
        let model = try await NativeModel.load(
            tiny.writer(), context: Self.context, ledger: ledger, cacheMemory: 2 * cache)
        reading.set(scratch + 2 * cache)
        let timelines = try (0..<64).map { _ in try model.makeTimeline() }
        #expect(ledger.unwrittenBytes == scratch + 2 * cache)
        for timeline in timelines.prefix(4) {
            try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: LogitRows())
        }
        #expect(ledger.unwrittenBytes == cache, "four have written a quarter each, and the scratch has been used")
        timelines[0].rewind(to: 0)
        #expect(ledger.unwrittenBytes == cache + cache / 4)
        withExtendedLifetime(timelines) {}
    }

    @Test("models loaded at the same time share the memory and release it")
    func sharesAmongModels() async throws {
        let reading = Reading()
        let ledger = reading.ledger
        do {
            let first = try await NativeModel.load(tiny.writer(), context: Self.context, ledger: ledger)
            let plan = first.memoryPlan
            let context = Self.context
            let both = plan.scratch(context: context) + plan.cache(context: context) + plan.total(context: context)
            reading.set(both.count - 1)
            await expect(code: .insufficientMemory) {
                _ = try await NativeModel.load(tiny.writer(), context: Self.context, ledger: ledger)
            }
            reading.set(both.count)
            _ = try await NativeModel.load(tiny.writer(), context: Self.context, ledger: ledger)
            let lifetime = first.lifetime
            withExtendedLifetime((first, lifetime)) {}
        }
        let last = try await NativeModel.load(tiny.writer(), context: Self.context, ledger: reading.ledger)
        withExtendedLifetime(last) {}
    }

    @Test("when the last reference to a model goes, its memory can be waited for")
    func waitsForMemory() async {
        await #expect(processExitsWith: .success) {
            let before = AlignedBuffer.liveByteCount
            let reading = Reading()
            for threads in [1, 3, 1, 4, 2] {
                let ledger = reading.ledger
                var model: NativeModel? = try await .load(TinyModel().writer(), threads: threads, ledger: ledger)
                var timeline = try model?.makeTimeline()
                try await timeline?.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
                let lifetime = model?.lifetime
                model = nil
                // The timeline keeps the model alive, so this returns immediately.
                await lifetime?.waitUntilFreed()
                #expect(AlignedBuffer.liveByteCount > before)
                timeline = nil
                await lifetime?.waitUntilFreed()
                #expect(AlignedBuffer.liveByteCount == before)
                #expect(ledger.unwrittenBytes == 0)
            }
        }
    }

    @Test(
        "when the process cannot map more memory, loading and new sequences fail without ending the process",
        .enabled(if: limitsAddressSpace, "the address space is limited on Linux with glibc only"))
    func survivesFailedMapping() async {
        await #expect(processExitsWith: .success) {
            let before = AlignedBuffer.liveByteCount
            var tiny = TinyModel(.llama)
            tiny.context = 1 << 22
            let reading = Reading()
            let model = try await NativeModel.load(tiny.writer(), context: 1 << 22, ledger: reading.ledger)
            try limitAddressSpace(to: 6 << 30)
            var timelines: [any TokenTimeline] = []
            await expect(code: .insufficientMemory) {
                for _ in 0..<16 { timelines.append(try model.makeTimeline()) }
            }
            timelines.removeAll()
            let timeline = try model.makeTimeline(capacity: 64)
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
            await expect(code: .insufficientMemory) {
                _ = try await NativeModel.load(tiny.writer(), context: 1 << 24, threads: 16, ledger: reading.ledger)
            }
            #expect(AlignedBuffer.liveByteCount > before)
        }
    }
}
