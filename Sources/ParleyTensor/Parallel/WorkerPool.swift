// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Dispatch
import Synchronization

/// Threads that run the steps of a model together with the thread that calls ``run(_:)``.
///
/// A pool belongs to one caller: calls of ``run(_:)`` must not overlap. Between steps its workers spin for a moment, so
/// that the next token finds them awake, and then sleep.
///
/// `@unchecked Sendable`: `job` is written before `epoch` is published and read only after it was seen.
public final class WorkerPool: @unchecked Sendable {
    /// How many lanes a step has, the caller's included.
    public let laneCount: Int
    /// The kernels that lanes use.
    public let instructionSet: InstructionSet

    private let state: State

    /// Starts the workers.
    ///
    /// - Parameters:
    ///   - lanes: how many threads share a step, the caller's included; fewer where the system gives no more.
    ///   - instructionSet: the kernels to use.
    public init(lanes: Int, instructionSet: InstructionSet = .best) {
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

    /// Returns when no worker touches the pool's memory any more, and it is freed.
    deinit {
        state.stop(workers: laneCount - 1)
    }

    /// Makes room in every lane's scratch. Not during a step.
    ///
    /// - Throws: ``AllocationError`` where the system has no memory for it.
    public func reserve(positions: Int, columns: Int) throws(AllocationError) {
        for lane in state.lanes { try lane.scratch.reserve(positions: positions, columns: columns) }
    }

    /// Runs a step on all lanes and returns when each has finished.
    ///
    /// - Parameter step: escapes only in that a worker may let go of it a moment later. Making such a closure allocates
    ///   where it captures anything; what runs often is made once.
    public func run(_ step: @escaping (Lane) -> Void) {
        state.run(step)
    }
}

/// What the workers share with the pool; it outlives the pool until the last worker has left.
private final class State: @unchecked Sendable {
    private(set) var lanes: [Lane] = []
    private var job: ((Lane) -> Void)?
    private let epoch = Atomic<Int>(0)
    private let finished = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)
    private let sleepers: [Sleeper]
    /// Signalled by each worker when it ends.
    private let hasLeft = DispatchSemaphore(value: 0)

    init(workers: Int) {
        sleepers = (0..<workers).map { _ in Sleeper(spins: 5_000) }
    }

    func begin(lanes count: Int, kernels: UnsafePointer<parley_kernels>) {
        let barrier = SpinBarrier(lanes: count)
        lanes = (0..<count).map {
            Lane(index: $0, count: count, kernels: kernels, scratch: LaneScratch(), barrier: barrier)
        }
    }

    func run(_ step: @escaping (Lane) -> Void) {
        guard lanes.count > 1 else { return step(lanes[0]) }
        job = step
        finished.store(0, ordering: .relaxed)
        publish()
        step(lanes[0])
        spin { finished.load(ordering: .acquiring) == lanes.count - 1 }
        job = nil
    }

    /// Ends the workers, waits until they have left, and frees their memory.
    func stop(workers: Int) {
        stopping.store(true, ordering: .relaxed)
        publish()
        for _ in 0..<workers { hasLeft.wait() }
        lanes.removeAll()
    }

    /// What a worker's thread does.
    func serve(as worker: Int) {
        work(as: worker)
        hasLeft.signal()
    }

    private func work(as worker: Int) {
        var seen = 0
        while true {
            sleepers[worker].wait { epoch.load(ordering: .sequentiallyConsistent) != seen }
            if stopping.load(ordering: .relaxed) { return }
            seen &+= 1
            job?(lanes[worker + 1])
            finished.add(1, ordering: .releasing)
        }
    }

    private func publish() {
        epoch.add(1, ordering: .sequentiallyConsistent)
        for sleeper in sleepers { sleeper.wake() }
    }
}
