// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleySystem

/// Answers requests that manage models.
struct ManagingService: Sendable {
    let state: ServerState

    /// Answers a request.
    ///
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func answer(_ match: Route.Match, _ asked: ServerRequest) async throws -> Response {
        guard let models = state.models as? any ManagedModels else {
            throw ServerError(404, .notFound, "The models of this server are not managed through it.")
        }
        switch match.route {
        case .managedModels:
            return Answer.json([
                "models": .array(await models.list().map(ManagingForm.json)),
                "catalog": .array(await models.catalog().map(ManagingForm.json)),
                "jobs": .array(await models.jobs().map(ManagingForm.json)),
            ])
        case .fetchModel:
            return Answer.json(ManagingForm.json(try await models.fetch(try await name(in: asked))), status: 202)
        case .loadModel:
            let name = meant(by: try await name(in: asked))
            return try await answer("loaded", asked) { try await models.load(name) }
        case .unloadModel:
            let name = meant(by: try await name(in: asked))
            return try await answer("unloaded", asked) { try await models.unload(name) }
        case .deleteModel:
            let name = meant(by: match.name ?? "")
            return try await answer("deleted", asked) { try await models.delete(name) }
        case .deleteJob:
            return Answer.json(ManagingForm.json(try await models.cancelJob(match.name ?? "")))
        default:
            let lines = models.events().map { ManagingForm.line($0) }
            return EventStreamAnswer.response(lines, state, key: asked.client.key)
        }
    }

    /// Does what may take long, so that a server that drains ends it; its end is answered by a word.
    private func answer(
        _ word: String, _ asked: ServerRequest, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Response {
        let job = WholeAnswer<String>(state: state) { _ in 0 }
        let status = try await job.value(for: asked) { _ in
            try await work()
            return word
        }
        return Answer.json(["status": .string(status)])
    }

    /// The name of the model that a name or alias stands for. An alias for any name does not count: a wrong name must
    /// not remove a model.
    private func meant(by name: String) -> String { state.configuration.aliases[name] ?? name }

    private func name(in asked: ServerRequest) async throws -> String {
        let limits = state.configuration.limits
        let bytes = try await asked.bodyReader(limits).json(asked.request)
        guard let name = try limits.wire.parse(bytes)["model"]?.string, !name.isEmpty, name.utf8.count <= 1_024 else {
            throw ServerError(400, .invalidType, "model must be the name of a model.", param: "model")
        }
        return name
    }
}

/// The form of what is managed.
enum ManagingForm {
    static func json(_ model: ServedModel) -> JSONValue {
        var members = ModelForm.json(model).object ?? [:]
        members["removable"] = .bool(model.isRemovable)
        return .object(members)
    }

    static func json(_ model: FetchableModel) -> JSONValue {
        var members: JSONObject = [
            "name": .string(model.name), "title": .string(model.title),
            "memory": .integer(Int(clamping: model.memory.bytes)), "installed": .bool(model.isInstalled),
            "capabilities": .array(ModelForm.names(model.capabilities)),
        ]
        members["size"] = model.size.map { .integer(Int(clamping: $0.bytes)) }
        members["licence"] = model.license.map(JSONValue.string)
        members["largest_context"] = model.largestContext.map { .integer($0) }
        return .object(members)
    }

    static func json(_ job: FetchJob) -> JSONValue {
        var members: JSONObject = [
            "id": .string(job.id), "object": "parley.job", "model": .string(job.model),
            "status": .string(job.status.rawValue), "received": .integer(Int(clamping: job.received)),
            "total": .integer(Int(clamping: job.total)),
        ]
        members["rate"] = job.rate.map { .integer(Int($0.rounded())) }
        members["seconds_left"] = job.secondsLeft.map { .integer(Int($0.rounded(.up))) }
        members["error"] = job.failure.map(JSONValue.string)
        return .object(members)
    }

    /// An event of a stream.
    static func line(_ event: ModelEvent) -> String {
        let json: JSONValue =
            switch event {
            case .status(let model, let status):
                ["type": "model.status", "model": .string(model), "status": .string(status.rawValue)]
            case .loading(let model, let fraction):
                ["type": "model.loading", "model": .string(model), "fraction": .number(fraction)]
            case .job(let job): ["type": "job", "job": Self.json(job)]
            }
        return StreamEvent(json).text
    }
}
