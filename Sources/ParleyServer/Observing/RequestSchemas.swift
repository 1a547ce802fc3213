// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// What the bodies of requests have to be, for the document of the API.
enum RequestSchemas {
    /// The schema of a route's body; nil if it takes none. Every new route says here what it takes.
    static func body(of route: Route) -> JSONValue? {
        switch route {
        case .health, .models, .model, .metrics, .status, .openAPI, .managedModels, .modelEvents: nil
        case .page, .pageReading, .pageWriting, .pageFilling: nil
        case .deleteModel, .deleteJob: nil
        case .tokenize:
            object(
                ["content"],
                [
                    "content": ["type": "string"], "add_special": maybe("boolean"), "with_pieces": maybe("boolean"),
                    "model": maybe("string"),
                ])
        case .detokenize:
            object(
                ["tokens"], ["tokens": ["type": "array", "items": ["type": "integer"]], "model": maybe("string")])
        case .fetchModel, .loadModel, .unloadModel: object(["model"], ["model": ["type": "string"]])
        case .completions: texts
        case .chatCompletions: object(["model", "messages"], chat)
        case .inputTokens, .applyTemplate: object(["messages"], chat)
        case .responses: object(["model", "input"], responses)
        case .responseTokens: object(["input"], responses)
        case .embeddings:
            object(
                ["model", "input"],
                [
                    "model": ["type": "string"],
                    "input": ["type": ["string", "array"], "minLength": 1, "minItems": 1],
                    "encoding_format": ["enum": ["float", "base64", .null]],
                    "dimensions": maybe("integer", ["minimum": 1]),
                    "truncation": ["enum": ["auto", "disabled", .null]],
                ])
        case .transcriptions:
            sound([
                "language": ["type": "string"],
                "timestamp_granularities[]": ["type": "array", "items": ["enum": ["word", "segment"]]],
            ])
        case .translations: sound([:])
        case .messages: object(["model", "messages", "max_tokens"], messages)
        case .countTokens: object(["model", "messages"], messages)
        }
    }

    /// What the body of a route is: JSON, but for those that take a file.
    static func mediaType(of route: Route) -> String {
        switch route {
        case .transcriptions, .translations: "multipart/form-data"
        default: "application/json"
        }
    }

    private static func sound(_ more: JSONObject) -> JSONValue {
        let fields: JSONObject = [
            "file": ["type": "string", "contentMediaType": "application/octet-stream"],
            "model": ["type": "string", "minLength": 1], "prompt": ["type": "string"],
            "response_format": ["enum": ["json", "text", "srt", "verbose_json", "vtt"]],
            "temperature": ["type": "number", "minimum": 0, "maximum": 1],
        ]
        return object(["file", "model"], fields.merging(more) { $1 })
    }

    private static func object(_ required: [JSONValue], _ properties: JSONObject) -> JSONValue {
        ["type": "object", "required": .array(required), "properties": .object(properties)]
    }

    /// A member that may be null, which is the same as leaving it out.
    private static func maybe(_ type: JSONValue, _ limits: JSONObject = [:]) -> JSONValue {
        let members: JSONObject = ["type": [type, "null"]]
        return .object(members.merging(limits) { $1 })
    }

    /// The members that all requests for replies have.
    private static let common: JSONObject = [
        "model": ["type": "string"], "stream": maybe("boolean"),
        "temperature": maybe("number", ["minimum": 0]),
        "top_p": maybe("number", ["minimum": 0, "maximum": 1]),
    ]

    private static let texts = object(
        ["model", "prompt"],
        common.merging([
            "prompt": ["type": ["string", "array"], "minItems": 1], "suffix": maybe("string"),
            "echo": maybe("boolean"), "max_tokens": maybe("integer", ["minimum": -1]),
            "logprobs": maybe("integer", ["minimum": 0, "maximum": 20]), "seed": maybe("integer"),
            "n": maybe("integer", ["minimum": 1, "maximum": 8]),
        ]) { $1 })

    private static let chat: JSONObject = common.merging([
        "messages": [
            "type": "array", "minItems": 1, "maxItems": 4_096,
            "items": object(
                ["role"],
                [
                    "role": ["enum": ["system", "developer", "user", "assistant", "tool"]],
                    "content": ["type": ["string", "array", "null"]],
                ]),
        ],
        "max_completion_tokens": maybe("integer", ["minimum": -1]), "seed": maybe("integer"),
        "n": maybe("integer", ["minimum": 1, "maximum": 8]),
    ]) { $1 }

    private static let messages: JSONObject = common.merging([
        "messages": [
            "type": "array", "minItems": 1, "maxItems": 4_096,
            "items": object(
                ["role", "content"],
                ["role": ["enum": ["user", "assistant"]], "content": ["type": ["string", "array"]]]),
        ],
        "max_tokens": maybe("integer", ["minimum": 1]), "system": ["type": ["string", "array", "null"]],
        "stop_sequences": maybe("array", ["maxItems": 16, "items": ["type": "string", "minLength": 1]]),
        "top_k": maybe("integer", ["minimum": -1]),
    ]) { $1 }

    private static let responses: JSONObject = common.merging([
        "input": ["type": ["string", "array"], "minItems": 1, "maxItems": 4_096, "items": ["type": "object"]],
        "instructions": maybe("string"), "max_output_tokens": maybe("integer", ["minimum": 1]),
        "truncation": ["enum": ["auto", "disabled", .null]],
        "top_logprobs": maybe("integer", ["minimum": 0, "maximum": 20]),
    ]) { $1 }
}
