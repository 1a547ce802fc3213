// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyModels
import ParleyRuntime
import ParleySystem
import Testing

@Suite("ChunkPlan")
struct ChunkPlanTests {
    @Test("chunks are assigned in order, each once, and the last one is shorter")
    func order() throws {
        var plan = try #require(ChunkPlan(byteCount: 25, chunkSize: 10))
        #expect(plan.take()?.range == 0..<10)
        #expect(plan.take()?.range == 10..<20)
        #expect(plan.take()?.range == 20..<25)
        #expect(plan.take() == nil)
    }

    @Test("a released chunk is assigned again, without its downloaded bytes")
    func release() throws {
        var plan = try #require(ChunkPlan(byteCount: 25, chunkSize: 10))
        _ = plan.take()
        plan.advance(0, by: 4)
        plan.release(0)
        #expect(plan.take()?.range == 4..<10)
    }

    @Test("the prefix ends at the first gap, the number of received bytes does not")
    func prefix() throws {
        var plan = try #require(ChunkPlan(byteCount: 25, chunkSize: 10, written: [10, 3, 5]))
        #expect(plan.prefix == 13)
        #expect(plan.received == 18)
        plan.advance(1, by: 7)
        #expect(plan.prefix == 25)
        #expect(plan.isComplete)
    }

    @Test("impossible numbers are clamped", arguments: [[-5, 99, 99, 99], [], [1]] as [[Int64]])
    func badNumbers(written: [Int64]) throws {
        let plan = try #require(ChunkPlan(byteCount: 25, chunkSize: 10, written: written))
        #expect(plan.written.count == 3)
        #expect((0...25).contains(plan.received))
    }

    @Test("in whatever order chunks are downloaded, every byte is downloaded once", arguments: 0..<50)
    func anyOrder(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let byteCount = Int64.random(in: 1...2_000, using: &random)
        let chunkSize = ByteSize(clamping: Int.random(in: 1...300, using: &random))
        var plan = try #require(ChunkPlan(byteCount: ByteSize(clamping: byteCount), chunkSize: chunkSize))
        var open: [ChunkPlan.Assignment] = []
        var total: Int64 = 0
        while !plan.isComplete {
            if open.isEmpty || Bool.random(using: &random), let assignment = plan.take() { open.append(assignment) }
            guard let index = open.indices.randomElement(using: &random) else { continue }
            let chunk = open[index].chunk
            let gap = plan.gap(in: chunk)
            let count = Int64.random(in: 0...Int64(gap.count), using: &random)
            plan.advance(chunk, by: count)
            total += count
            #expect(plan.received == plan.written.reduce(0, +))
            let whole = plan.written.prefix { $0 == chunkSize.bytes }
            #expect(plan.prefix == (whole + plan.written.dropFirst(whole.count).prefix(1)).reduce(0, +))
            if plan.gap(in: chunk).isEmpty || Int.random(in: 0..<8, using: &random) == 0 {
                plan.release(chunk)
                open.remove(at: index)
            }
        }
        #expect(total == byteCount)
        #expect(plan.prefix == byteCount)
    }
}
