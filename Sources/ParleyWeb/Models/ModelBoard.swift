// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyModels
import ParleyServer
import ParleySystem

/// The models as the page shows them: those that are here, those that could be fetched, and the jobs that fetch.
@MainActor
final class ModelBoard {
    private let admitted: AdmittedModels
    private let hub: EventHub
    private var fractions: [String: Double] = [:]
    private var watching: Task<Void, Never>?
    /// The part of a load by which what is shown lags behind: each telling costs a list of all models.
    private static let step = 0.05

    init(_ admitted: AdmittedModels, hub: EventHub) { (self.admitted, self.hub) = (admitted, hub) }

    private var managed: (any ManagedModels)? { admitted.models as? any ManagedModels }

    /// Tells the page from now on what happens to the models.
    ///
    /// - Parameter onFetch: called when a model has come.
    func watch(onFetch: @escaping @MainActor @Sendable () -> Void) {
        guard watching == nil, let managed else { return }
        watching = Task { [weak self] in
            for await event in managed.events() {
                guard let self else { return }
                switch event {
                case .loading(let model, let fraction):
                    if let shown = fractions[model], (shown..<min(shown + Self.step, 1)).contains(fraction) { continue }
                    fractions[model] = fraction
                case .status(let model, _): fractions[model] = nil
                case .job(let job):
                    hub.publish([PageEvent(type: "fetch.progress", data: ["job": ManagedForm.json(job)])])
                    // What has come is listed before its job is done.
                    if job.status == .done { onFetch() }
                    if job.status == .running, job.received > 0 { continue }
                }
                let json = await json()
                hub.publish([PageEvent(type: "model.updated", data: ["models": json])])
            }
        }
    }

    /// Everything about the models.
    func json() async -> JSONValue {
        let list = await admitted.models.list()
        let installed = list.map { model in
            var json = ManagedForm.json(model)
            json["fraction"] = fractions[model.id].map { .number($0) } ?? .null
            return JSONValue.object(json)
        }
        return [
            "loaded": .array(list.filter { $0.status == .loaded }.map { .string($0.id) }),
            "default": list.first.map { .string($0.id) } ?? .null, "installed": .array(installed),
            "catalog": .array(await managed?.catalog().map(ManagedForm.json) ?? []),
            "jobs": .array(await managed?.jobs().map(ManagedForm.json) ?? []),
        ]
    }

    func load(_ id: String) async throws { try await manager().load(id) }

    func unload(_ id: String) async throws { try await manager().unload(id) }

    func fetch(_ name: String) async throws -> JSONValue { ManagedForm.json(try await manager().fetch(name)) }

    func pause(_ job: String) async throws { _ = try await manager().pauseJob(job) }

    func cancel(_ job: String) async throws { _ = try await manager().cancelJob(job) }

    func remove(_ id: String) async throws { try await manager().delete(id) }

    private func manager() throws(ServerError) -> any ManagedModels {
        guard let managed else { throw ServerError(404, .notFound, "The models of this server are not managed here.") }
        return managed
    }
}

/// The form of models for the page.
enum ManagedForm {
    static func json(_ model: ServedModel) -> JSONObject {
        [
            "id": .string(model.id), "title": .string(model.title ?? model.id),
            "status": .string(model.status.rawValue),
            "size": model.size.map { .integer(Int(clamping: $0.bytes)) } ?? .null,
            "quantization": model.quantization.map { .string($0) } ?? .null,
            "context_length": model.contextSize.map { .integer($0) } ?? .null,
            "capabilities": model.capabilities.map { .array(names($0)) } ?? .null,
            "licence": model.license.map { .string($0) } ?? .null,
            "memory": model.memory.map { .integer(Int(clamping: $0.bytes)) } ?? .null,
            "largest_context": model.largestContext.map { .integer($0) } ?? .null,
            "failure": model.failure.map { .string($0) } ?? .null,
            "engine": model.engine.map { .string($0) } ?? .null, "engines": .array(model.engines.map { .string($0) }),
            "removable": .bool(model.isRemovable),
        ]
    }

    static func json(_ model: FetchableModel) -> JSONValue {
        [
            "name": .string(model.name), "title": .string(model.title),
            "size": model.size.map { .integer(Int(clamping: $0.bytes)) } ?? .null,
            "memory": .integer(Int(clamping: model.memory.bytes)), "installed": .bool(model.isInstalled),
            "capabilities": .array(names(model.capabilities)),
            "licence": model.license.map { .string($0) } ?? .null,
            "largest_context": model.largestContext.map { .integer($0) } ?? .null,
        ]
    }

    static func json(_ job: FetchJob) -> JSONValue {
        [
            "id": .string(job.id), "model": .string(job.model), "status": .string(job.status.rawValue),
            "received": .integer(Int(clamping: job.received)), "total": .integer(Int(clamping: job.total)),
            "rate": job.rate.map { .integer(Int($0.rounded())) } ?? .null,
            "seconds_left": job.secondsLeft.map { .integer(Int($0.rounded(.up))) } ?? .null,
            "error": job.failure.map { .string($0) } ?? .null, "can_be_retried": .bool(job.canBeRetried),
        ]
    }

    private static func names(_ capabilities: ModelCapabilities) -> [JSONValue] {
        [
            (.chat, "chat"), (.functions, "tools"), (.reasoning, "reasoning"), (.vision, "images"),
            (.embeddings, "embeddings"),
        ].compactMap { (one: ModelCapabilities, name: String) in capabilities.contains(one) ? .string(name) : nil }
    }
}
