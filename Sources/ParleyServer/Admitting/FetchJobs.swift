// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import ParleyOpenAI
import Synchronization

/// Runs the jobs that fetch models.
package final class FetchJobs: Sendable {
    /// A job with what is behind it.
    private struct Entry {
        var job: FetchJob
        /// The number of the run; what an earlier run, which was stopped, reports late does not count.
        var run = 1
        var task: Task<Void, Never>?
        var rate: DownloadRate?
        /// When its progress was told.
        var told: ContinuousClock.Instant?
    }

    private struct State {
        var next = 0
        var entries: [Entry] = []
        /// What has changed and is to be told, in its order; somebody is telling it as long as there is any.
        var news: [FetchJob] = []

        /// Adds a change to the news.
        ///
        /// - Returns: what the caller has to ``FetchJobs/tell(_:)``; nil if somebody else is telling.
        mutating func note(_ job: FetchJob) -> FetchJob? {
            news.append(job)
            return news.count == 1 ? job : nil
        }
    }

    /// How many jobs may run, how many ended ones are remembered, and how often progress is told.
    private static let limits = (running: 4, kept: 64, interval: Duration.milliseconds(200))

    /// No other lock is taken while this one is held.
    private let state = Mutex(State())
    private let library: any ModelLibrary
    private let now: @Sendable () -> ContinuousClock.Instant
    private let onEvent: @Sendable (FetchJob) -> Void
    private let onFetch: @Sendable (ServedModel) -> Void

    package init(
        _ library: any ModelLibrary, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onEvent: @escaping @Sendable (FetchJob) -> Void, onFetch: @escaping @Sendable (ServedModel) -> Void
    ) {
        self.library = library
        self.now = now
        self.onEvent = onEvent
        self.onFetch = onFetch
    }

    /// All jobs, the oldest first.
    package var all: [FetchJob] { state.withLock { $0.entries.map(\.job) } }

    /// Begins a job. One that runs for the same model goes on instead; one that is paused or has failed runs again.
    ///
    /// - Throws: ``ServerError`` if too many run.
    package func begin(_ reference: String) throws(ServerError) -> FetchJob {
        let (entry, isNew, news) = try state.withLock { state throws(ServerError) in
            let known = state.entries.firstIndex { entry in
                entry.job.model == reference && entry.job.status != .done && entry.job.status != .cancelled
            }
            if let known, state.entries[known].job.isBusy { return (state.entries[known], false, FetchJob?.none) }
            guard state.entries.count(where: { $0.job.isBusy }) < Self.limits.running else {
                throw ServerError(
                    503, .queueFull, "\(Self.limits.running) models are being fetched. Try again when one is here.",
                    retryAfter: 60)
            }
            if let known {
                state.entries[known].run += 1
                (state.entries[known].rate, state.entries[known].told) = (nil, nil)
                (state.entries[known].job.status, state.entries[known].job.failure) = (.running, nil)
                state.entries[known].job.canBeRetried = true
                return (state.entries[known], true, state.note(state.entries[known].job))
            }
            state.next += 1
            let entry = Entry(job: FetchJob(id: "job-\(state.next)", model: reference))
            state.entries.append(entry)
            let ended = state.entries.filter { !$0.job.isBusy && $0.job.status != .paused }
            for old in ended.dropLast(Self.limits.kept) { state.entries.removeAll { $0.job.id == old.job.id } }
            return (entry, true, state.note(entry.job))
        }
        guard isNew else { return entry.job }
        tell(news)
        let (job, run) = (entry.job, entry.run)
        let task = Task { await fetch(job, run) }
        let isWanted = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.job.id == job.id && $0.run == run }),
                state.entries[index].job.isBusy
            else { return false }
            state.entries[index].task = task
            return true
        }
        if !isWanted { task.cancel() }
        return job
    }

    private func fetch(_ job: FetchJob, _ run: Int) async {
        do {
            let model = try await library.fetch(job.model) { self.record($0, job.id, run) }
            onFetch(model)
            change(job.id, run) { entry in
                (entry.job.status, entry.job.rate, entry.job.secondsLeft) = (.done, nil, nil)
            }
        } catch {
            change(job.id, run) { entry in
                guard entry.job.isBusy else { return }
                (entry.job.rate, entry.job.secondsLeft) = (nil, nil)
                entry.job.status = Task.isCancelled ? .cancelled : .failed
                entry.job.failure = Task.isCancelled ? nil : "\(error)"
                entry.job.canBeRetried = Task.isCancelled || !Self.lasts(error)
            }
        }
    }

    /// Whether an error comes again however often the same is fetched.
    private static func lasts(_ error: any Error) -> Bool {
        guard let code = (error as? ModelStoreError)?.code else { return false }
        let lasting: [ModelStoreError.Code] = [
            .unknownModel, .notFound, .invalidReference, .nameTaken, .fileNotFound, .offline, .invalidQuota,
        ]
        return lasting.contains(code)
    }

    private func record(_ event: InstallEvent, _ id: String, _ run: Int) {
        let now = now()
        change(id, run) { entry in
            guard entry.job.isBusy else { return }
            switch event {
            case .started:
                // Another source begins anew, or says what is there already.
                entry.rate = DownloadRate(present: entry.job.received, now: now)
                (entry.job.status, entry.job.rate, entry.job.secondsLeft) = (.running, nil, nil)
            case .resumed(let bytes):
                entry.job.received = bytes
                entry.rate = DownloadRate(present: bytes, now: now)
            case .received(let bytes, let total):
                let goesOn = bytes >= entry.job.received
                var rate = entry.rate.flatMap { goesOn ? $0 : nil } ?? DownloadRate(now: now)
                (entry.job.status, entry.job.received, entry.job.total) = (.running, bytes, total)
                rate.update(received: bytes, now: now)
                entry.rate = rate
                (entry.job.rate, entry.job.secondsLeft) = (
                    rate.bytesPerSecond(of: total), rate.secondsLeft(of: total)
                )
            case .unpacking:
                (entry.job.status, entry.job.rate, entry.job.secondsLeft) = (.unpacking, nil, nil)
            case .verifying:
                (entry.job.status, entry.job.rate, entry.job.secondsLeft) = (.verifying, nil, nil)
            case .waiting, .retrying, .failed: break
            }
        }
    }

    /// Stops a job, which goes on when its model is fetched again; one that has ended stays as it is.
    ///
    /// - Throws: ``ServerError`` if there is none of the name.
    package func pause(_ id: String) throws(ServerError) -> FetchJob { try stop(id, as: .paused) { $0.isBusy } }

    /// Ends a job.
    ///
    /// - Throws: ``ServerError`` if there is none of the name.
    package func cancel(_ id: String) throws(ServerError) -> FetchJob {
        try stop(id, as: .cancelled) { $0.status != .done }
    }

    private func stop(
        _ id: String, as status: FetchJob.Status, where isMeant: (FetchJob) -> Bool
    ) throws(ServerError) -> FetchJob {
        let found = state.withLock { $0.entries.first { $0.job.id == id } }
        guard let found else {
            throw ServerError(404, .notFound, "There is no such job; GET /parley/v1/models lists what there is.")
        }
        let task = state.withLock { state in
            state.entries.firstIndex { $0.job.id == id && isMeant($0.job) }.flatMap { state.entries[$0].task.take() }
        }
        change(id, found.run) { entry in
            guard isMeant(entry.job) else { return }
            (entry.job.status, entry.job.failure) = (status, nil)
            (entry.job.rate, entry.job.secondsLeft) = (nil, nil)
        }
        // Only now, so that the end of the task finds that it was stopped.
        task?.cancel()
        return state.withLock { $0.entries.first { $0.job.id == id }?.job } ?? found.job
    }

    /// Changes a job as long as the run is its latest, and tells it; mere progress only from time to time.
    private func change(_ id: String, _ run: Int, _ body: (inout Entry) -> Void) {
        let now = now()
        let news = state.withLock { state -> FetchJob? in
            guard let index = state.entries.firstIndex(where: { $0.job.id == id && $0.run == run }) else { return nil }
            let before = state.entries[index].job
            body(&state.entries[index])
            let entry = state.entries[index]
            guard entry.job != before else { return nil }
            let isProgress = entry.job.status == before.status && entry.job.received < entry.job.total
            if isProgress, let told = entry.told, told.duration(to: now) < Self.limits.interval { return nil }
            state.entries[index].told = now
            return state.note(entry.job)
        }
        tell(news)
    }

    /// Tells the news in their order, also those that others add meanwhile: a job that was paused would else seem to run,
    /// because its progress was told late.
    private func tell(_ first: FetchJob?) {
        var next = first
        while let job = next {
            onEvent(job)
            next = state.withLock { state in
                state.news.removeFirst()
                return state.news.first
            }
        }
    }
}
