// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import ParleyServer
import Synchronization
import Testing

/// Fetches a model in steps: each waits for what is to be reported.
private final class SteppedLibrary: ModelLibrary {
    enum Step: Sendable {
        case report(InstallEvent)
        case fail
        case miss
        case end
    }

    private struct State {
        var runs: [(AsyncStream<Step>.Continuation, @Sendable (InstallEvent) -> Void)] = []
    }

    private let state = Mutex(State())
    private let arrivals = AsyncStream<Void>.makeStream()

    /// Waits until a fetch has begun.
    func begin() async { for await _ in arrivals.stream { return } }

    func step(_ step: Step, run: Int) { state.withLock { $0.runs[run].0 }.yield(step) }

    /// Reports although the run may have been stopped.
    func report(_ event: InstallEvent, run: Int) { state.withLock { $0.runs[run].1 }(event) }

    func catalog() async -> [FetchableModel] { [] }

    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel {
        let (steps, continuation) = AsyncStream.makeStream(of: Step.self)
        state.withLock { $0.runs.append((continuation, report)) }
        arrivals.continuation.yield()
        for await step in steps {
            switch step {
            case .report(let event): report(event)
            case .fail: throw ServerError(503, .queueFull, "The disk is full: 1 MB free, 5 MB needed.")
            case .miss: throw ModelStoreError(.notFound, "There is no such model.")
            case .end: return ServedModel(id: reference, created: 0)
            }
        }
        throw CancellationError()
    }

    func remove(_ id: String) async throws {}
}

@Suite("Jobs that fetch models", .timeLimit(.minutes(15)))
struct FetchJobsTests {
    private let library = SteppedLibrary()
    private let events = AsyncStream<FetchJob>.makeStream()
    private let jobs: FetchJobs
    private let time: Time

    /// A clock that is moved by hand.
    private final class Time: Sendable {
        private let value = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { value.withLock { $0 } }
        func move(_ duration: Duration) { value.withLock { $0 += duration } }
    }

    init() {
        let time = Time()
        self.time = time
        jobs = FetchJobs(
            library, now: { time.now }, onEvent: { [events] in events.continuation.yield($0) }, onFetch: { _ in })
    }

    /// Waits for an event of which something holds.
    private func event(_ isMeant: (FetchJob) -> Bool) async throws -> FetchJob {
        for await job in events.stream where isMeant(job) { return job }
        throw CancellationError()
    }

    @Test("Rate and time left are told while bytes come, not while the file is checked.")
    func rate() async throws {
        let job = try jobs.begin("m")
        await library.begin()
        library.report(.started(.web(try #require(.init(string: "https://example.org/m")))), run: 0)
        time.move(.seconds(2))
        library.report(.received(bytes: 20_000, of: 100_000), run: 0)
        let during = try await event { $0.received == 20_000 }
        #expect(during.rate == 10_000 && during.secondsLeft == 8)
        // Progress is told from time to time, and known at once.
        library.report(.received(bytes: 20_001, of: 100_000), run: 0)
        #expect(jobs.all.first?.received == 20_001)
        time.move(.seconds(1))
        library.report(.received(bytes: 100_000, of: 100_000), run: 0)
        library.report(.unpacking, run: 0)
        #expect(try await event { $0.received > 20_000 }.received == 100_000)
        let unpacking = try await event { $0.status == .unpacking }
        #expect(unpacking.rate == nil && unpacking.secondsLeft == nil)
        #expect(try jobs.begin("m").id == job.id, "it is at work")
        library.report(.verifying, run: 0)
        let checking = try await event { $0.status == .verifying }
        #expect(checking.id == job.id && checking.rate == nil && checking.secondsLeft == nil)
        library.step(.end, run: 0)
        #expect(try await event { $0.status == .done }.failure == nil)
    }

    @Test("A job that is paused keeps what it has, and goes on when the model is fetched again.")
    func pausing() async throws {
        let job = try jobs.begin("m")
        await library.begin()
        library.report(.received(bytes: 20, of: 100), run: 0)
        let paused = try jobs.pause(job.id)
        #expect(paused.status == .paused && paused.received == 20 && paused.total == 100 && paused.rate == nil)
        let again = try jobs.begin("m")
        #expect(again.id == job.id && again.status == .running && again.received == 20)
        await library.begin()
        // What the stopped run still reports does not count, nor does its end.
        library.report(.received(bytes: 7, of: 100), run: 0)
        library.step(.fail, run: 0)
        library.report(.resumed(bytes: 20), run: 1)
        time.move(.seconds(1))
        library.report(.received(bytes: 30, of: 100), run: 1)
        #expect(jobs.all.first?.received == 30)
        // What was there before is not counted in the rate.
        #expect(jobs.all.first?.rate == 10)
        library.step(.end, run: 1)
        _ = try await event { $0.status == .done }
        #expect(jobs.all.map(\.status) == [.done])
        #expect(try jobs.pause(job.id).status == .done)
    }

    @Test("What happens to a job is told in its order, also what happens while something else is told.")
    func order() async throws {
        let (library, told) = (SteppedLibrary(), Told())
        let jobs = FetchJobs(
            library,
            onEvent: { job in
                if job.status == .running, job.received > 0 { told.pause(job.id) }
                told.add(job.status)
            }, onFetch: { _ in })
        told.follow(jobs)
        _ = try jobs.begin("m")
        await library.begin()
        library.report(.received(bytes: 20, of: 100), run: 0)
        #expect(told.all == [.running, .running, .paused])
    }

    /// What was told of jobs, one of which can be paused meanwhile.
    private final class Told: Sendable {
        private let state = Mutex<(jobs: FetchJobs?, all: [FetchJob.Status])>((nil, []))

        var all: [FetchJob.Status] { state.withLock { $0.all } }

        func follow(_ jobs: FetchJobs) { state.withLock { $0.jobs = jobs } }

        func add(_ status: FetchJob.Status) { state.withLock { $0.all.append(status) } }

        func pause(_ id: String) {
            let jobs = state.withLock { $0.jobs }
            _ = try? jobs?.pause(id)
        }
    }

    @Test("A job that has failed says why, runs again when it is asked for, and can be put away.")
    func failing() async throws {
        let job = try jobs.begin("m")
        await library.begin()
        library.step(.fail, run: 0)
        #expect(try await event { $0.status == .failed }.failure?.contains("1 MB free, 5 MB needed") == true)
        #expect(try jobs.begin("m").id == job.id)
        await library.begin()
        #expect(jobs.all.map(\.failure) == [nil])
        library.step(.fail, run: 1)
        #expect(try await event { $0.status == .failed }.canBeRetried)
        #expect(try jobs.begin("m").id == job.id)
        await library.begin()
        library.step(.miss, run: 2)
        #expect(try await event { $0.status == .failed }.canBeRetried == false)
        #expect(try jobs.cancel(job.id).status == .cancelled)
        #expect(try jobs.begin("m").id != job.id)
    }

    @Test("A paused job that is ended is gone; the same model begins another one.")
    func ending() async throws {
        let job = try jobs.begin("m")
        await library.begin()
        _ = try jobs.pause(job.id)
        #expect(try jobs.cancel(job.id).status == .cancelled)
        #expect(try jobs.begin("m").id != job.id)
        #expect(throws: ServerError.self) { try jobs.pause("x") }
    }
}
