// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI
import Synchronization

/// What the requests of a server share.
final class ServerState: Sendable {
    /// A job, with the key of its client.
    private struct Work {
        var job: ReplyJob
        var key: AccessKey?
    }

    private struct State {
        var admissions: [String: Admission] = [:]
        var work: [ObjectIdentifier: Work] = [:]
        var keyLimits = KeyLimits()
        var bodies: BodyRoom
        var isDraining = false
        /// Whether new requests are refused.
        var refuses = false
        var idle: [CheckedContinuation<Void, Never>] = []
        var page: (any ServedPage)?
    }

    let configuration: ServerConfiguration
    let models: any ServedModels
    /// The speech model; nil for a server without one.
    let speech: ServedSpeech?
    let requestGuard: RequestGuard
    let metrics = ServerMetrics()
    /// No other lock is taken while this one is held.
    private let state: Mutex<State>

    init(_ configuration: ServerConfiguration, models: any ServedModels, speech: ServedSpeech? = nil) {
        self.configuration = configuration
        self.models = models
        self.speech = speech
        let limits = configuration.limits
        state = Mutex(State(bodies: BodyRoom(size: max(limits.allBodyBytes, 2 * limits.bodyBytes))))
        requestGuard = RequestGuard(
            hosts: HostRule(names: configuration.hosts), origins: configuration.origins,
            keys: KeyStore(configuration.keys, file: configuration.keyFile),
            ownKey: configuration.ownKey, alwaysNeedsKey: configuration.alwaysNeedsKey)
        requestGuard.keys.onChange { [weak self] in self?.endUnknown() }
    }

    /// Whether the server is about to end.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Whether requests for replies or other work run or wait.
    var isBusy: Bool { state.withLock { !$0.work.isEmpty } }

    /// The page; nil for a server without one.
    var page: (any ServedPage)? { state.withLock { $0.page } }

    /// Answers the page's requests with a page from now on.
    func show(_ page: any ServedPage) { state.withLock { $0.page = page } }

    /// The queue of a model.
    func admission(for model: String) -> Admission {
        state.withLock { state in
            if let known = state.admissions[model] { return known }
            let new = Admission(
                parallel: configuration.parallel, capacity: configuration.queue, patience: configuration.queueTime)
            state.admissions[model] = new
            return new
        }
    }

    /// What runs and waits, for each model that has been asked for.
    var counts: [(model: String, counts: Admission.Counts)] {
        let admissions = state.withLock { $0.admissions }
        return admissions.sorted { $0.key < $1.key }.map { ($0.key, $0.value.counts) }
    }

    /// Adds a job, so that draining ends it, and the removal of its client's key.
    ///
    /// - Throws: ``ServerError`` with code `draining`, or `invalid_api_key` for a key that has been removed meanwhile.
    func begin(_ job: ReplyJob, _ key: AccessKey?) throws(ServerError) {
        let isRefused = state.withLock { state in
            if !state.refuses { state.work[ObjectIdentifier(job)] = Work(job: job, key: key) }
            return state.refuses
        }
        if isRefused { throw .drainingNow }
        // Whoever removes the key now ends this job too; whoever did before has not found it.
        if let key, !requestGuard.stillKnows(key) {
            end(job)
            throw .keyRemoved
        }
    }

    /// Ends the jobs of keys that have been removed.
    private func endUnknown() {
        for work in state.withLock({ Array($0.work.values) }) {
            if let key = work.key, !requestGuard.stillKnows(key) { work.job.cancel(.keyRemoved) }
        }
    }

    /// The model that a request asks for by a name or alias.
    ///
    /// - Throws: ``ServerError`` if there is none.
    func model(named name: String) async throws(ServerError) -> ServedModel {
        let known = await models.list()
        let id = configuration.model(named: name, among: known.map(\.id))
        guard let model = known.first(where: { $0.id == id }) else {
            throw ServerError.modelNotFound(name, among: known.map(\.id))
        }
        return model
    }

    /// Removes a job that has ended.
    func end(_ job: ReplyJob) {
        let waiting = state.withLock { state in
            state.work[ObjectIdentifier(job)] = nil
            guard state.work.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.idle = [] }
            return state.idle
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Counts a request among those of its key.
    ///
    /// - Throws: ``ServerError`` with code `rate_limit_exceeded` if a limit of the key is reached.
    func enter(_ key: AccessKey) throws(ServerError) {
        try state.withLock { state throws(ServerError) in try state.keyLimits.begin(key, now: .now) }
    }

    /// Counts a request that ``enter(_:)`` has counted no longer; so many tokens were read and generated for it.
    func leave(_ key: AccessKey, tokens: Int) {
        state.withLock { $0.keyLimits.end(key, tokens: tokens, now: .now) }
    }

    /// Takes room for the body of a request.
    ///
    /// - Throws: ``ServerError`` with status 429 or 503 if there is none.
    func takeRoom(_ count: Int, of client: String) throws(ServerError) {
        try state.withLock { state throws(ServerError) in try state.bodies.take(count, of: client) }
    }

    /// Gives back what ``takeRoom(_:of:)`` has taken.
    func giveBackRoom(_ count: Int, of client: String) {
        state.withLock { $0.bodies.giveBack(count, of: client) }
    }

    /// Waits for the requests that run, and ends them with an error after the given time.
    ///
    /// - Parameters:
    ///   - time: how long requests may run on.
    ///   - refuses: whether no new requests are taken from now on, or only after that time.
    func drain(for time: Duration, refuses: Bool) async {
        state.withLock { ($0.isDraining, $0.refuses) = (true, refuses) }
        let timer = Task {
            try await Task.sleep(for: time)
            let work = state.withLock { state in
                state.refuses = true
                return Array(state.work.values)
            }
            for one in work { one.job.cancel(.drainingNow) }
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.work.isEmpty { state.idle.append(continuation) }
                return state.work.isEmpty
            }
            if isIdle { continuation.resume() }
        }
        // What still comes where nobody is refused ends by then too.
        if refuses { timer.cancel() }
    }
}

extension ServerError {
    /// The end of a request whose key has been removed since it came.
    static let keyRemoved = ServerError(401, .invalidAPIKey, "The key has been removed, so the request was ended.")

    /// The answer while the server drains.
    static let drainingNow = ServerError(
        503, .draining, "The server is about to end. Send the request again later.", retryAfter: 10)
}
