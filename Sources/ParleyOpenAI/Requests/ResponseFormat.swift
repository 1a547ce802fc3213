// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

/// The form that a reply must have.
public enum ResponseFormat: Hashable, Sendable {
    /// Any text.
    case text
    /// Any JSON object.
    case jsonObject
    /// JSON that conforms to a schema, which has a name.
    case jsonSchema(JSONSchema, name: String = "reply", description: String? = nil, isStrict: Bool? = nil)

    /// The schema to which the reply must conform; nil for any text.
    public var schema: JSONSchema? {
        switch self {
        case .text: nil
        case .jsonObject: JSONSchema(["type": "object"])
        case .jsonSchema(let schema, _, _, _): schema
        }
    }

    init(_ field: Field, limits: WireLimits) throws(OpenAIError) {
        try self.init(field, schema: field["json_schema"], limits: limits)
    }

    /// Reads the form of `/v1/responses`, where the members of a schema stand beside the type.
    init(flat field: Field, limits: WireLimits) throws(OpenAIError) {
        try self.init(field, schema: field, limits: limits)
    }

    private init(_ field: Field, schema format: Field, limits: WireLimits) throws(OpenAIError) {
        if field.isMissing {
            self = .text
            return
        }
        try field.requireObject()
        switch try field["type"].requiredString() {
        case "text": self = .text
        case "json_object":
            // Some servers take a schema here; left out it would be broken in silence.
            let schema = try ToolForm.schema(field["schema"], limits: limits)
            self = schema.map { .jsonSchema($0) } ?? .jsonObject
        case "json_schema":
            guard let schema = try ToolForm.schema(format["schema"], limits: limits) else {
                throw format["schema"].missing
            }
            self = .jsonSchema(
                schema, name: try format["name"].string() ?? "reply", description: try format["description"].string(),
                isStrict: try format["strict"].bool())
        default: throw field["type"].failure(.unsupportedValue, "must be text, json_object or json_schema")
        }
    }

    /// The format in JSON; nil for any text, which is the default.
    var json: JSONValue? {
        switch self {
        case .text: return nil
        case .jsonObject: return ["type": "json_object"]
        case .jsonSchema(let schema, let name, let description, let isStrict):
            var format: JSONObject = ["name": .string(name)]
            if let description { format["description"] = .string(description) }
            format["schema"] = schema.value
            if let isStrict { format["strict"] = .bool(isStrict) }
            return ["type": "json_schema", "json_schema": .object(format)]
        }
    }

    /// The format in the form of `/v1/responses`.
    var flatJSON: JSONValue {
        guard let json else { return ["type": "text"] }
        var members: JSONObject = ["type": json["type"] ?? .null]
        members.merge(json["json_schema"]?.object ?? [:]) { own, _ in own }
        return .object(members)
    }
}
