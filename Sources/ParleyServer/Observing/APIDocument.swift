// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import ParleyJSON

/// The document of the server's API, in OpenAPI's form, made from the routes themselves.
enum APIDocument {
    /// The document.
    static func json(version: String) -> JSONValue {
        var paths: JSONObject = [:]
        for route in Route.allCases where !route.isOfPage {
            for path in route.paths {
                let isNamed = path.hasSuffix("/")
                var members: JSONObject = [
                    "operationId": .string(operation(route, path)), "summary": .string(summary(route)),
                    "responses": [
                        "200": ["description": "The answer."],
                        "default": [
                            "description": "An error.",
                            "content": ["application/json": ["schema": ["$ref": .string(error(of: path))]]],
                        ],
                    ],
                ]
                if isNamed {
                    members["parameters"] = [
                        ["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]
                    ]
                }
                if let body = RequestSchemas.body(of: route) {
                    members["requestBody"] = [
                        "required": true, "content": .object([RequestSchemas.mediaType(of: route): ["schema": body]]),
                    ]
                }
                if route.scope == nil { members["security"] = [] }
                let place = isNamed ? path + "{id}" : path
                var item = paths[place]?.object ?? [:]
                item[route.method.rawValue.lowercased()] = .object(members)
                paths[place] = .object(item)
            }
        }
        return [
            "openapi": "3.1.0", "info": ["title": "Parley", "version": .string(version)],
            "paths": .object(paths), "security": [["key": []], [:]],
            "components": [
                "securitySchemes": ["key": ["type": "http", "scheme": "bearer"]],
                "schemas": ["Error": error, "AnthropicError": anthropicError],
            ],
        ]
    }

    private static func operation(_ route: Route, _ path: String) -> String {
        route.paths.first == path ? route.rawValue : route.rawValue + "V1"
    }

    private static func summary(_ route: Route) -> String {
        switch route {
        case .health: "Whether the server takes requests."
        case .models: "The models."
        case .model: "One model."
        case .chatCompletions: "Replies to a conversation, whole or streamed."
        case .completions: "Continues texts, whole or streamed."
        case .embeddings: "Vectors of texts, such that those of similar texts have similar directions."
        case .transcriptions: "What is said in a sound file, in the language in which it is spoken."
        case .translations: "What is said in a sound file, in English."
        case .responses: "Replies to items, in the form of OpenAI's responses, whole or streamed."
        case .messages: "Replies to messages, in Anthropic's form, whole or streamed."
        case .countTokens: "The number of tokens in the prompt of messages in Anthropic's form."
        case .inputTokens: "The number of tokens in the prompt of a conversation."
        case .responseTokens: "The number of tokens in the prompt of items in the form of OpenAI's responses."
        case .tokenize: "The tokens of a text."
        case .detokenize: "The text of tokens."
        case .applyTemplate: "The prompt of a conversation, as the model's template writes it."
        case .metrics: "Figures for Prometheus."
        case .status: "What runs, waits and is cached."
        case .openAPI: "This document."
        case .managedModels: "The models here, those that could be fetched, and the jobs that fetch."
        case .fetchModel: "Begins to fetch a model."
        case .loadModel: "Loads a model."
        case .unloadModel: "Frees the memory of a model."
        case .deleteModel: "Removes a model from this machine."
        case .deleteJob: "Ends a job that fetches a model."
        case .modelEvents: "What happens to models, as server-sent events."
        case .page, .pageReading, .pageWriting, .pageFilling: "The page, for people."
        }
    }

    private static func error(of path: String) -> String {
        "#/components/schemas/" + (Route.hasAnthropicErrors(path) ? "AnthropicError" : "Error")
    }

    private static let anthropicError: JSONValue = [
        "type": "object", "required": ["type", "error"],
        "properties": [
            "type": ["const": "error"],
            "error": [
                "type": "object", "required": ["type", "message"],
                "properties": ["type": ["type": "string"], "message": ["type": "string"]],
            ],
            "request_id": ["type": "string"],
        ],
    ]

    private static let error: JSONValue = [
        "type": "object", "required": ["error"],
        "properties": [
            "error": [
                "type": "object", "required": ["message", "type", "param", "code"],
                "properties": [
                    "message": ["type": "string"], "type": ["type": "string"], "param": ["type": ["string", "null"]],
                    "code": ["type": ["string", "null"]],
                ],
            ]
        ],
    ]
}
