// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// What `/parley/v1/status` tells: what runs, waits and is cached, and how much of the machine it may use.
enum StatusReport {
    static func json(_ state: ServerState) async -> JSONValue {
        let counts = Dictionary(state.counts.map { ($0.model, $0.counts) }) { $1 }
        var cached: [String: RunnerFigures] = [:]
        for one in await state.models.loaded() { cached[one.model.id] = await one.figures }
        let models = await state.models.list().map { model -> JSONValue in
            var members: JSONObject = ["id": .string(model.id), "status": .string(model.status.rawValue)]
            let now = counts[model.id]
            members["running"] = .integer(now?.running ?? 0)
            members["waiting"] = .integer(now?.waiting ?? 0)
            members["longest_wait_seconds"] = .number((now?.longestWait ?? .zero) / .seconds(1))
            if let cached = cached[model.id] {
                members["sequences"] = cached.sequences.map(JSONValue.integer)
                members["kv_bytes"] = cached.cacheBytes.map(JSONValue.integer)
                members["kv_reserved_bytes"] = cached.reservedCacheBytes.map(JSONValue.integer)
                members["power"] = cached.power?.json
            }
            return .object(members)
        }
        return [
            "draining": .bool(state.isDraining), "parallel": .integer(state.configuration.parallel),
            "queue": .integer(state.configuration.queue), "models": .array(models),
        ]
    }
}
