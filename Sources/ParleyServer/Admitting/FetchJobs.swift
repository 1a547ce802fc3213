// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI
import Synchronization

/// Runs the jobs that fetch models.
final class FetchJobs: Sendable {
    private struct State {
        var next = 0
        var jobs: [FetchJob] = []
        var tasks: [String: Task<Void, Never>] = [:]
    }

    /// How many jobs may run, and how many ended ones are remembered.
    private static let limits = (running: 4, kept: 64)

    /// No other lock is taken while this one is held.
    private let state = Mutex(State())
    private let library: any ModelLibrary
    private let onEvent: @Sendable (FetchJob) -> Void
    private let onFetch: @Sendable (ServedModel) -> Void

    init(
        _ library: any ModelLibrary, onEvent: @escaping @Sendable (FetchJob) -> Void,
        onFetch: @escaping @Sendable (ServedModel) -> Void
    ) {
        self.library = library
        self.onEvent = onEvent
        self.onFetch = onFetch
    }

    /// All jobs, the oldest first.
    var all: [FetchJob] { state.withLock { $0.jobs } }

    /// Begins a job; one that runs for the same model goes on instead.
    ///
    /// - Throws: ``ServerError`` if too many run.
    func begin(_ reference: String) throws(ServerError) -> FetchJob {
        let (job, isNew) = try state.withLock { state throws(ServerError) in
            if let running = state.jobs.first(where: { $0.model == reference && $0.status == .running }) {
                return (running, false)
            }
            guard state.jobs.count(where: { $0.status == .running }) < Self.limits.running else {
                throw ServerError(
                    503, .queueFull, "\(Self.limits.running) models are being fetched. Try again when one is here.",
                    retryAfter: 60)
            }
            state.next += 1
            let job = FetchJob(id: "job-\(state.next)", model: reference)
            state.jobs.append(job)
            let ended = state.jobs.filter { $0.status != .running }
            for old in ended.dropLast(Self.limits.kept) { state.jobs.removeAll { $0.id == old.id } }
            return (job, true)
        }
        guard isNew else { return job }
        onEvent(job)
        let task = Task { await run(job) }
        let hasEnded = state.withLock { state in
            let hasEnded = state.jobs.first { $0.id == job.id }?.status != .running
            if !hasEnded { state.tasks[job.id] = task }
            return hasEnded
        }
        if hasEnded { task.cancel() }
        return job
    }

    private func run(_ job: FetchJob) async {
        do {
            let model = try await library.fetch(job.model) { received, total in
                self.change(job.id) { ($0.received, $0.total) = (received, total) }
            }
            onFetch(model)
            change(job.id) { $0.status = .done }
        } catch {
            change(job.id) { job in
                guard job.status == .running else { return }
                job.status = Task.isCancelled ? .cancelled : .failed
                job.failure = Task.isCancelled ? nil : "\(error)"
            }
        }
        state.withLock { $0.tasks[job.id] = nil }
    }

    /// Ends a job.
    ///
    /// - Throws: ``ServerError`` if there is none of the name.
    func cancel(_ id: String) throws(ServerError) -> FetchJob {
        guard state.withLock({ $0.jobs.contains { $0.id == id } }) else {
            throw ServerError(404, .notFound, "There is no such job; GET /parley/v1/models lists what there is.")
        }
        state.withLock { $0.tasks[id] }?.cancel()
        change(id) { if $0.status == .running { $0.status = .cancelled } }
        return state.withLock { $0.jobs.first { $0.id == id } } ?? FetchJob(id: id, model: "", status: .cancelled)
    }

    private func change(_ id: String, _ body: (inout FetchJob) -> Void) {
        let changed = state.withLock { state -> FetchJob? in
            guard let index = state.jobs.firstIndex(where: { $0.id == id }) else { return nil }
            let before = state.jobs[index]
            body(&state.jobs[index])
            return state.jobs[index] == before ? nil : state.jobs[index]
        }
        if let changed { onEvent(changed) }
    }
}
