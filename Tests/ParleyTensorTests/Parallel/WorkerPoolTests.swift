// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Foundation
import ParleyRuntime
import ParleySystem
import ParleyTensor
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Worker pool", .timeLimit(.minutes(15)))
struct WorkerPoolTests {
    @Test("each lane of a step runs it once, before the step returns", arguments: [1, 2, 5], [false, true])
    func runsLanes(lanes: Int, isLong: Bool) throws {
        let pool = WorkerPool(lanes: lanes)
        #expect(pool.laneCount == lanes)
        // Each lane writes its own cell only.
        let counts = try AlignedBuffer(byteCount: lanes * 64)
        let cells = counts.pointer.bindMemory(to: Int.self, capacity: lanes * 8)
        for step in 0..<4_000 / (lanes * lanes) {
            cells.initialize(repeating: 0, count: lanes * 8)
            pool.run(isLong: isLong) { lane in
                cells[lane.index * 8] += 1
                cells[lane.index * 8 + 1] = lane.count
            }
            // When `run` returns, all that have begun are done.
            let begun = (0..<lanes).filter { cells[$0 * 8] > 0 }
            guard cells[0] == 1, begun == Array(0..<begun.count),
                begun.allSatisfy({ cells[$0 * 8] == 1 && cells[$0 * 8 + 1] == (isLong ? lanes : begun.count) })
            else {
                Issue.record("step \(step): \((0..<lanes).map { cells[$0 * 8] })")
                return
            }
        }
    }

    @Test("no more lanes run a step than are allowed, and later all again", arguments: [false, true])
    func limitsLanes(isLong: Bool) throws {
        let pool = WorkerPool(lanes: 4)
        let most = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        for round in 0..<400 {
            let limit = [2, 1, 4, 3, 9, 0][round % 6]
            pool.limit(lanes: limit)
            pool.run(isLong: isLong) { lane in
                let allowed = min(max(limit, 1), 4)
                if lane.index >= allowed || lane.count > allowed { wrong.add(1, ordering: .relaxed) }
                most.max(lane.count, ordering: .relaxed)
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(most.load(ordering: .relaxed) > 1)
        pool.limit(lanes: 2)
        #expect(try product(pool, isLong: isLong) == product(WorkerPool(lanes: 1), isLong: isLong))
    }

    @Test("workers that never begin do not delay a step", arguments: [false, true])
    func runsAlone(isLong: Bool) throws {
        let pool = WorkerPool(lanes: 3) { _ in true }
        #expect(pool.laneCount == 3)
        #expect(try product(pool, isLong: isLong) == product(WorkerPool(lanes: 1), isLong: isLong))
        var indices: [Int] = []
        for _ in 0..<20 { pool.run(isLong: isLong) { indices.append($0.index) } }
        #expect(indices == Array(repeating: 0, count: 20))
    }

    @Test("a worker may begin in the middle of a long step, and does what is left")
    func joinsLate() throws {
        let bodies = Bodies()
        let pool = WorkerPool(lanes: 2) {
            bodies.add($0)
            return true
        }
        let rows = 64
        let values = try AlignedBuffer(zeroedFloats: rows * 16)
        let y = FloatRows(pointer: values.floats, count: rows, width: 16)
        let one = try AlignedBuffer(zeroedFloats: 16)
        for index in 0..<16 { one.floats[index] = 1 }
        let joined = Atomic<Bool>(false)
        var startedLate = false
        pool.run(isLong: true) { lane in
            if lane.index == 1 { joined.store(true, ordering: .sequentiallyConsistent) }
            for operation in 0..<40 {
                if lane.index == 0, operation == 20 {
                    startedLate = bodies.start()
                    while startedLate, !joined.load(ordering: .sequentiallyConsistent) {}
                }
                lane.add(one, to: y)
            }
        }
        #expect(startedLate)
        #expect((0..<rows * 16).allSatisfy { values.floats[$0] == 40 })
    }

    @Test(
        "a worker that begins late passes the experts of operations that are over, though others are choosing new ones",
        arguments: [[0, 64, 0], [0, 0, 0]] as [[Int32]])
    func passesExperts(starts: [Int32]) throws {
        let bodies = Bodies()
        let pool = WorkerPool(lanes: 2) {
            bodies.add($0)
            return true
        }
        let (rows, experts, width) = (64, 2, 16)
        let memory = try AlignedBuffer(
            zeroedFloats: ExpertRoutes.floatCount(rows: rows, used: 1, experts: experts))
        let routes = ExpertRoutes(pointer: memory.floats, rows: rows, used: 1, experts: experts)
        // The last numbers of the routes are where the slots of each expert begin, and their end.
        let places = (memory.pointer + 4 * rows * MemoryLayout<Float>.stride).assumingMemoryBound(to: Int32.self)
        for (index, place) in [Int32(0), 32, 64].enumerated() { places[index] = place }
        let values = try AlignedBuffer(zeroedFloats: rows * width)
        let y = FloatRows(pointer: values.floats, count: rows, width: width)
        let bias = try AlignedBuffer(zeroedFloats: experts * width)
        for index in 0..<experts * width { bias.floats[index] = 1 }
        let hasPassed = Atomic<Bool>(false)
        let isLast = Atomic<Bool>(false)
        let hasHelped = Atomic<Bool>(false)
        let hasEnded = Atomic<Bool>(false)
        var startedLate = false
        pool.run(isLong: true) { lane in
            lane.add(bias, byExpertsOf: routes, to: y)
            if lane.index == 1 {
                hasPassed.store(true, ordering: .sequentiallyConsistent)
                while !isLast.load(ordering: .sequentiallyConsistent) {}
            }
            lane.divide(1) { _ in
                // As they are between the choices of two layers.
                for (index, place) in starts.enumerated() { places[index] = place }
                startedLate = bodies.start()
                while startedLate, !hasPassed.load(ordering: .sequentiallyConsistent) {}
            }
            lane.divide(8) { _ in
                isLast.store(true, ordering: .sequentiallyConsistent)
                if lane.index == 1 { hasHelped.store(true, ordering: .sequentiallyConsistent) }
                while startedLate, !hasHelped.load(ordering: .sequentiallyConsistent),
                    !hasEnded.load(ordering: .sequentiallyConsistent)
                {}
            }
            if lane.index == 1 { hasEnded.store(true, ordering: .sequentiallyConsistent) }
        }
        #expect(startedLate)
        let isInStep = hasHelped.load(ordering: .sequentiallyConsistent)
        #expect(isInStep, "the worker has lost count of the operations")
        #expect((0..<rows * width).allSatisfy { values.floats[$0] == 1 })
        withExtendedLifetime(memory) {}
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

    @Test("less than one lane counts as one", arguments: [0, -1, .min])
    func hasOneLaneAtLeast(lanes: Int) {
        let pool = WorkerPool(lanes: lanes)
        var ran = 0
        pool.run { ran += $0.count }
        #expect(ran == 1)
    }

    @Test("several pools can be used at the same time")
    func sharesTheMachine() async {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let pool = WorkerPool(lanes: 2)
                    let sum = Atomic<Int>(0)
                    for _ in 0..<200 { pool.run { sum.add(60 / $0.count, ordering: .relaxed) } }
                    return sum.load(ordering: .relaxed)
                }
            }
            for await sum in group { #expect(sum == 60 * 200) }
        }
    }

    @Test("a product has the same bits on any number of lanes", arguments: [1, 2, 5], [false, true])
    func sharesProducts(lanes: Int, isLong: Bool) throws {
        let alone = try product(WorkerPool(lanes: 1, instructionSet: .generic), isLong: false)
        let pool = WorkerPool(lanes: lanes)
        for _ in 0..<20 { #expect(try product(pool, isLong: isLong) == alone) }
    }

    /// The bits of a product of random values.
    private func product(_ pool: WorkerPool, isLong: Bool) throws -> [UInt32] {
        var random = SplitMix64(seed: 8)
        let (rows, columns, tokens) = (145, 64, 9)
        let weights = random.floats(rows * columns)
        let input = random.floats(tokens * columns)
        let matrix = try #require(
            try weights.withUnsafeBytes {
                try PackedMatrix(type: PARLEY_F32.matrixType, rows: rows, columns: columns, source: $0, pool: pool)
            })
        let x = try AlignedBuffer(zeroedFloats: input.count)
        for (index, value) in input.enumerated() { x.floats[index] = value }
        let y = try AlignedBuffer(zeroedFloats: tokens * rows)
        let quantized = try QuantizedRows(count: tokens, columns: columns)
        pool.run(isLong: isLong) { lane in
            lane.multiply(
                FloatRows(pointer: x.floats, count: tokens, width: columns), by: matrix,
                into: FloatRows(pointer: y.floats, count: tokens, width: rows), quantized: quantized)
        }
        let exact = (0..<columns).reduce(0.0) { $0 + Double(weights[$1]) * Double(input[$1]) }
        #expect(abs(Double(y.floats[0]) - exact) < 1e-4)
        return (0..<tokens * rows).map { y.floats[$0] }.bits
    }

    @Test("the threads of a pool end with it", .enabled(if: threadCountOfProcess() != nil, "needs /proc"))
    func endsThreads() async throws {
        let before = try #require(threadCountOfProcess())
        for round in 0..<50 {
            let pool = WorkerPool(lanes: 4)
            if round.isMultiple(of: 2) { pool.run { $0.synchronize() } }
        }
        // Nothing waits for the threads to end, and other tests have threads too.
        let deadline = ContinuousClock.now + .seconds(300)
        while try #require(threadCountOfProcess()) >= before + 50, ContinuousClock.now < deadline { await Task.yield() }
        #expect(try #require(threadCountOfProcess()) < before + 50)
    }
}

/// Collects the functions that a pool would run on threads.
private final class Bodies: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    func add(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
    }

    /// Runs the collected functions on threads.
    func start() -> Bool {
        waiting.withLock { bodies in
            defer { bodies = [] }
            return bodies.allSatisfy { startThread($0) }
        }
    }
}
