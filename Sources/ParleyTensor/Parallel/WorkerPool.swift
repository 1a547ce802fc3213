// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Dispatch
import ParleySystem
import Synchronization

/// Threads that compute the steps of a model together with the thread that calls ``run(_:)``.
///
/// A pool belongs to one caller: calls of ``run(_:)`` must not overlap. Between steps the workers spin for a moment, so
/// that they are still awake for the next token, and then sleep. The caller never waits for a worker that has not
/// entered the step, because another program may be using the worker's core.
///
/// `@unchecked Sendable`: `job` is written before a step begins and read only by lanes that have entered it.
package final class WorkerPool: @unchecked Sendable {
    /// The largest number of lanes in a step, including the caller's.
    package let laneCount: Int
    /// The instruction set of the kernels that lanes use.
    package let instructionSet: InstructionSet

    private let state: State

    /// Starts the workers.
    ///
    /// - Parameters:
    ///   - lanes: how many threads share a step, including the caller's; the system may start fewer.
    ///   - instructionSet: the instruction set of the kernels.
    package convenience init(lanes: Int, instructionSet: InstructionSet = .best) {
        self.init(lanes: lanes, instructionSet: instructionSet, startThread: startThread)
    }

    /// Starts the workers with `startThread`, which runs a closure on a new thread, at once or later, and returns false
    /// if it cannot.
    package init(
        lanes: Int, instructionSet: InstructionSet = .best, startThread: (@escaping @Sendable () -> Void) -> Bool
    ) {
        self.instructionSet = instructionSet
        let state = State(workers: max(lanes, 1) - 1)
        var started = 0
        for worker in 0..<max(lanes, 1) - 1 {
            guard startThread({ state.serve(as: worker) }) else { break }
            started += 1
        }
        laneCount = started + 1
        state.begin(lanes: started + 1, kernels: instructionSet.kernels)
        self.state = state
    }

    /// Waits until no worker uses the pool's memory any more, and frees it.
    deinit {
        state.stop()
    }

    /// Enlarges every lane's scratch memory as needed; must not be called during a step.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package func reserve(positions: Int, columns: Int) throws(AllocationError) {
        for scratch in state.scratch { try scratch.reserve(positions: positions, columns: columns) }
    }

    /// The scratch memory of a pool of `lanes` lanes after ``reserve(positions:columns:)``, in bytes.
    package static func byteCount(lanes: Int, positions: Int, columns: Int) -> Int {
        lanes * (LaneScratch.workBytes(positions: positions) + LaneScratch.activationBytes(columns: columns))
    }

    /// Lets the following steps run on at most so many lanes, the caller's among them; must not be called during a step.
    ///
    /// - Parameter lanes: less than 1 counts as 1, and more than there are as all.
    package func limit(lanes: Int) {
        state.limit(lanes: lanes)
    }

    /// Runs a step on the lanes that are ready, and returns when each has finished.
    ///
    /// A step normally begins with the workers that respond at once, and each of its lanes does a fixed share of every
    /// operation; see ``LaneShares``. If other programs are using the cores, a long step does not wait for workers: they may join at any
    /// time, and the work is distributed in chunks.
    ///
    /// - Parameters:
    ///   - isLong: whether the work may be distributed in chunks; rows must then not be private, and lanes must not
    ///     call ``Lane/synchronize()``.
    ///   - step: runs on each lane. It is escaping because a worker may release it shortly after the step has ended.
    ///     Creating a closure that captures something allocates memory, so a closure that is run often should be
    ///     created only once.
    package func run(isLong: Bool = false, _ step: @escaping (Lane) -> Void) {
        state.run(isLong: isLong, step)
    }
}

/// The state shared by the pool and its workers; it is kept until the last worker has ended.
private final class State: @unchecked Sendable {
    private(set) var scratch: [LaneScratch] = []
    private var kernels = InstructionSet.generic.kernels
    private var job: ((Lane) -> Void)?
    private var crowding = Crowding()
    private var patience = LanePatience.calm
    /// How many lanes may take part in a step; it changes only between steps.
    private let mostLanes: Atomic<Int>
    private var shares = LaneShares(lanes: 1)
    /// The bounds of the shares, which are changed between steps.
    private var bounds = AlignedBuffer(smallByteCount: 0)
    /// Whether the lanes of the step have shares that differ, if all of them take part.
    private var isUneven = false
    /// Whether the step distributes its work in chunks; it may become true until the gate is closed.
    private let takesChunks = Atomic<Bool>(false)
    private let gate = StepGate()
    private let barrier: LaneBarrier
    private let claims: ChunkClaims
    private let finished = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    /// Where the workers sleep until the next step.
    private let workers: [Sleeper]
    /// Where lanes wait to learn how the step divides its work; lane 0 waits there for the end of the step.
    private let sleepers: [Sleeper]
    /// How many workers have begun; nil once the pool ends, after which a worker that starts late does nothing.
    private let workersInside = Mutex<Int?>(0)
    /// Signalled by each worker when it ends.
    private let hasLeft = DispatchSemaphore(value: 0)

    /// The number of checks before a worker sleeps: it is then still awake for the next token.
    private static let spins = Spinning.checks(in: 120_000)
    private static let spinsForLanes = LanePatience.calm.expected
    /// The number of checks for which the caller waits for workers: enough to wake one whose core was in a sleep state.
    private static let spinsForWorkers = Spinning.checks(in: 400_000)

    init(workers count: Int) {
        workers = (0..<count).map { _ in Sleeper() }
        sleepers = (0...count).map { _ in Sleeper() }
        barrier = LaneBarrier(lanes: count + 1)
        claims = ChunkClaims(lanes: count + 1)
        mostLanes = Atomic(count + 1)
    }

    func limit(lanes: Int) {
        mostLanes.store(min(max(lanes, 1), scratch.count), ordering: .sequentiallyConsistent)
    }

    func begin(lanes count: Int, kernels: UnsafePointer<parley_kernels>) {
        self.kernels = kernels
        scratch = (0..<count).map { _ in LaneScratch() }
        limit(lanes: count)
        shares = LaneShares(lanes: count)
        bounds = AlignedBuffer(smallByteCount: (count + 1) * MemoryLayout<Int>.size)
    }

    func run(isLong: Bool, _ step: @escaping (Lane) -> Void) {
        let lanes = mostLanes.load(ordering: .relaxed)
        guard lanes > 1 else { return step(lane(0, of: 1)) }
        let began = DispatchTime.now().uptimeNanoseconds
        job = step
        patience = crowding.isCrowded ? .crowded : .calm
        // What lanes wait for on a crowded machine says nothing about their cores.
        isUneven = !crowding.isCrowded && !shares.areEqual
        finished.store(0, ordering: .relaxed)
        claims.reset()
        takesChunks.store(isLong && crowding.isCrowded, ordering: .sequentiallyConsistent)
        gate.beginStep()
        for worker in workers.prefix(lanes - 1) { worker.wake() }
        if !takesChunks.load(ordering: .relaxed) {
            let allCame = spin(crowding.isCrowded ? Self.spins : Self.spinsForWorkers) { gate.entered == lanes }
            takesChunks.store(isLong && !allCame, ordering: .sequentiallyConsistent)
        }
        let sharesAreFixed = !takesChunks.load(ordering: .relaxed)
        let count: Int
        var closed = began
        if sharesAreFixed {
            count = gate.close()
            closed = DispatchTime.now().uptimeNanoseconds
            for lane in 1..<lanes { sleepers[lane].wake() }
            step(lane(0, of: count))
        } else {
            for lane in 1..<lanes { sleepers[lane].wake() }
            step(lane(0, of: lanes, claims: claims))
            count = gate.close()
        }
        let slept = sleepers[0].wait(spinning: Self.spinsForLanes) {
            finished.load(ordering: .sequentiallyConsistent) == count - 1
        }
        job = nil
        let ended = DispatchTime.now().uptimeNanoseconds
        let duration = Int(ended - began)
        // A worker that did not enter had no core in that time, so its whole time counts as waiting.
        let absent = (lanes - count) * duration
        crowding.record(
            duration: duration, lanes: lanes, waited: slept + barrier.takeWaited() + claims.takeSlept() + absent)
        if sharesAreFixed, count == scratch.count, !crowding.isCrowded { adjustShares(duration: Int(ended - closed)) }
    }

    /// Lets the lanes' shares follow how long they waited in a step, in which all took part.
    private func adjustShares(duration: Int) {
        let waited = scratch.lazy.map { Spinning.time(of: $0.counters.pointee.waited) }
        guard shares.record(duration: duration, waited: waited) else { return }
        let starts = bounds.pointer.bindMemory(to: Int.self, capacity: scratch.count + 1)
        for (index, bound) in shares.bounds.enumerated() { starts[index] = bound }
    }

    /// Ends the workers, waits until all that had begun have ended, and frees their memory.
    func stop() {
        let begun = workersInside.withLock { inside in
            defer { inside = nil }
            return inside ?? 0
        }
        stopping.store(true, ordering: .sequentiallyConsistent)
        for worker in workers { worker.wake() }
        for _ in 0..<begun { hasLeft.wait() }
        scratch.removeAll()
        bounds = AlignedBuffer(smallByteCount: 0)
    }

    /// The body of a worker's thread.
    func serve(as worker: Int) {
        let isWelcome = workersInside.withLock { inside in
            inside = inside.map { $0 + 1 }
            return inside != nil
        }
        guard isWelcome else { return }
        TimeSlices.askForShort()
        work(as: worker)
        hasLeft.signal()
    }

    private func work(as worker: Int) {
        var seen = 0
        while true {
            workers[worker].wait(spinning: Self.spins) {
                gate.step != seen || stopping.load(ordering: .sequentiallyConsistent)
            }
            if stopping.load(ordering: .relaxed) { return }
            seen = gate.step
            // One that still spins from the step before may see a step that is not for it.
            guard worker < mostLanes.load(ordering: .sequentiallyConsistent) - 1, let index = gate.enter(seen) else {
                continue
            }
            sleepers[index].wait(spinning: Self.spinsForLanes) {
                takesChunks.load(ordering: .sequentiallyConsistent) || gate.count != nil
            }
            if takesChunks.load(ordering: .sequentiallyConsistent) {
                job?(lane(index, of: mostLanes.load(ordering: .relaxed), claims: claims))
            } else {
                // If all take part, each thread has the number, and so the share, that it had before.
                let count = gate.count ?? 1
                job?(lane(count == scratch.count ? worker + 1 : index, of: count))
            }
            finished.add(1, ordering: .sequentiallyConsistent)
            sleepers[0].wake()
        }
    }

    private func lane(_ index: Int, of count: Int, claims: ChunkClaims? = nil) -> Lane {
        let isUneven = isUneven && claims == nil && count == scratch.count
        return Lane(
            index, of: count, kernels: kernels, scratch: scratch[index], barrier: barrier, patience: patience,
            claims: claims, bounds: isUneven ? UnsafePointer(bounds.pointer.assumingMemoryBound(to: Int.self)) : nil)
    }
}
