// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyModels
import ParleySystem

/// The form of models in the answers of `/v1/models`.
enum ModelForm {
    /// The list of models.
    static func list(_ models: [ServedModel]) -> JSONValue {
        ["object": "list", "data": .array(models.map(json))]
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

    static func names(_ capabilities: ModelCapabilities) -> [JSONValue] {
        if capabilities == .embeddings { return ["embeddings"] }
        var names: [JSONValue] = ["chat", "schema"]
        if capabilities.contains(.functions) { names.append("tools") }
        if capabilities.contains(.reasoning) { names.append("reasoning") }
        if capabilities.contains(.vision) { names.append("images") }
        return names
    }
}
