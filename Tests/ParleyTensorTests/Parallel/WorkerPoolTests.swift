// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTensor
import Synchronization
import Testing

@Suite("Worker pool")
struct WorkerPoolTests {
    @Test("every lane takes part in every step", arguments: [1, 2, 5])
    func runsAllLanes(lanes: Int) throws {
        let pool = WorkerPool(lanes: lanes)
        #expect(pool.laneCount == lanes)
        let steps = 4_000 / (lanes * lanes)
        // Each lane writes its own cell only.
        let counts = try AlignedBuffer(byteCount: lanes * 64)
        let cells = counts.pointer.bindMemory(to: Int.self, capacity: lanes * 8)
        cells.initialize(repeating: 0, count: lanes * 8)
        for step in 0..<steps {
            pool.run { cells[$0.index * 8] += 1 }
            // When `run` returns, all of them are done.
            guard (0..<lanes).allSatisfy({ cells[$0 * 8] == step + 1 }) else {
                Issue.record("step \(step) returned too early")
                return
            }
        }
    }

    @Test("after lanes synchronise, each sees what the others wrote", arguments: [1, 2, 5])
    func publishesWrites(lanes: Int) throws {
        let pool = WorkerPool(lanes: lanes)
        let rounds = 500
        let values = try AlignedBuffer(zeroedFloats: lanes)
        let mistakes = Atomic<Int>(0)
        pool.run { lane in
            for round in 1...rounds {
                values.floats[lane.index] = Float(round * 10 + lane.index)
                lane.synchronize()
                for other in 0..<lane.count where values.floats[other] != Float(round * 10 + other) {
                    mistakes.add(1, ordering: .relaxed)
                }
                lane.synchronize()
            }
        }
        #expect(mistakes.load(ordering: .relaxed) == 0)
    }

    @Test("fewer than one lane is one", arguments: [0, -1, .min])
    func hasOneLaneAtLeast(lanes: Int) {
        let pool = WorkerPool(lanes: lanes)
        var ran = 0
        pool.run { ran += $0.count }
        #expect(ran == 1)
    }

    @Test("pools stand beside each other")
    func sharesTheMachine() async {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let pool = WorkerPool(lanes: 2)
                    let sum = Atomic<Int>(0)
                    for _ in 0..<200 { pool.run { sum.add($0.index + 1, ordering: .relaxed) } }
                    return sum.load(ordering: .relaxed)
                }
            }
            for await sum in group { #expect(sum == 600) }
        }
    }

    @Test("a product has the same bits on any number of lanes", arguments: [1, 2, 5])
    func sharesProducts(lanes: Int) throws {
        var random = OpsRandom(seed: 8)
        let (rows, columns, tokens) = (45, 64, 9)
        let weights = random.floats(rows * columns)
        let input = random.floats(tokens * columns)
        func product(_ pool: WorkerPool) throws -> [Float] {
            let matrix = try #require(
                try weights.withUnsafeBytes {
                    try PackedMatrix(type: .f32, rows: rows, columns: columns, source: $0, pool: pool)
                })
            let x = try AlignedBuffer(zeroedFloats: input.count)
            for (index, value) in input.enumerated() { x.floats[index] = value }
            let y = try AlignedBuffer(zeroedFloats: tokens * rows)
            let quantized = try QuantizedRows(count: tokens, columns: columns)
            pool.run { lane in
                lane.multiply(
                    FloatRows(pointer: x.floats, count: tokens, width: columns), by: matrix,
                    into: FloatRows(pointer: y.floats, count: tokens, width: rows), quantized: quantized)
            }
            return (0..<tokens * rows).map { y.floats[$0] }
        }
        let alone = try product(WorkerPool(lanes: 1, instructionSet: .generic))
        #expect(try product(WorkerPool(lanes: lanes)).bits == alone.bits)
        let exact = (0..<columns).reduce(0.0) { $0 + Double(weights[$1]) * Double(input[$1]) }
        #expect(abs(Double(alone[0]) - exact) < 1e-4)
    }

    @Test("the threads of a pool end with it", .enabled(if: threadCount() != nil, "needs /proc"))
    func endsThreads() async throws {
        let before = try #require(threadCount())
        for round in 0..<50 {
            let pool = WorkerPool(lanes: 4)
            if round.isMultiple(of: 2) { pool.run { $0.synchronize() } }
        }
        // Nobody waits for the threads to end, and other tests have threads too.
        let deadline = ContinuousClock.now + .seconds(10)
        while try #require(threadCount()) >= before + 50, ContinuousClock.now < deadline { await Task.yield() }
        #expect(try #require(threadCount()) < before + 50)
    }
}

/// How many threads the process has, where the system tells.
private func threadCount() -> Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
}
