// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModels
import ParleySystem

/// The form of models in the answers of `/v1/models`.
enum ModelForm {
    /// The list of models, the one for speech last.
    static func list(_ models: [ServedModel], speech: ServedSpeech? = nil) -> JSONValue {
        ["object": "list", "data": .array(models.map(json) + (speech.map { [json($0)] } ?? []))]
    }

    /// The model that writes down speech.
    static func json(_ speech: ServedSpeech) -> JSONValue {
        [
            "id": .string(speech.id), "object": "model", "created": 0, "owned_by": "parley",
            "capabilities": ["transcriptions", "translations"], "architecture": ["input_modalities": ["audio"]],
        ]
    }

    /// One model.
    static func json(_ model: ServedModel) -> JSONValue {
        var members: JSONObject = [
            "id": .string(model.id), "object": "model", "created": .integer(model.created), "owned_by": "parley",
            "status": .string(model.status.rawValue),
        ]
        members["context_length"] = model.contextSize.map(JSONValue.integer)
        members["max_model_len"] = model.contextSize.map(JSONValue.integer)
        if let capabilities = model.capabilities {
            members["capabilities"] = .array(names(capabilities))
            members["architecture"] = [
                "input_modalities": capabilities.contains(.vision) ? ["text", "image"] : ["text"]
            ]
        }
        members["quantization"] = model.quantization.map(JSONValue.string)
        members["size"] = model.size.map { .integer(Int(clamping: $0.bytes)) }
        return .object(members)
    }

    /// The list of models in Anthropic's form.
    static func anthropicList(_ models: [ServedModel]) -> JSONValue {
        [
            "data": .array(models.map(anthropic)), "has_more": false,
            "first_id": models.first.map { .string($0.id) } ?? .null,
            "last_id": models.last.map { .string($0.id) } ?? .null,
        ]
    }

    /// One model in Anthropic's form.
    static func anthropic(_ model: ServedModel) -> JSONValue {
        let created = Date(timeIntervalSince1970: TimeInterval(model.created)).formatted(.iso8601)
        return [
            "type": "model", "id": .string(model.id), "display_name": .string(model.title ?? model.id),
            "created_at": .string(created),
        ]
    }

    static func names(_ capabilities: ModelCapabilities) -> [JSONValue] {
        if capabilities == .embeddings { return ["embeddings"] }
        var names: [JSONValue] = ["chat", "schema"]
        if capabilities.contains(.functions) { names.append("tools") }
        if capabilities.contains(.reasoning) { names.append("reasoning") }
        if capabilities.contains(.vision) { names.append("images") }
        return names
    }
}
