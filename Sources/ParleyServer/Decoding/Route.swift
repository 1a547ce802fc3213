// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HTTPTypes
import ParleyOpenAI

/// What a request asks for.
package enum Route: String, Hashable, Sendable, CaseIterable {
    case health
    case models
    case model
    case chatCompletions
    case completions
    case responses
    case embeddings
    case transcriptions
    case translations
    case messages
    case countTokens
    case inputTokens
    case responseTokens
    case tokenize
    case detokenize
    case applyTemplate
    case metrics
    case status
    case openAPI
    case managedModels
    case fetchModel
    case loadModel
    case unloadModel
    case deleteModel
    case deleteJob
    case modelEvents
    case page
    case pageReading
    case pageWriting
    case pageFilling

    /// A route with what its path names.
    package struct Match: Hashable, Sendable {
        package var route: Route
        /// The rest of the path, for routes that end in a name.
        package var name: String?

        /// Creates a match.
        package init(route: Route, name: String? = nil) {
            self.route = route
            self.name = name
        }
    }

    /// Whether it belongs to the page, which is no part of the API for programs.
    package var isOfPage: Bool {
        switch self {
        case .page, .pageReading, .pageWriting, .pageFilling: true
        default: false
        }
    }

    /// The paths; one that ends in a slash takes a name after it, which may contain slashes itself. The page itself is at
    /// the root.
    package var paths: [String] {
        switch self {
        case .health: ["/health", "/v1/health"]
        case .models: ["/v1/models"]
        case .model: ["/v1/models/"]
        case .completions: ["/v1/completions"]
        case .chatCompletions: ["/v1/chat/completions"]
        case .responses: ["/v1/responses"]
        case .embeddings: ["/v1/embeddings"]
        case .transcriptions: ["/v1/audio/transcriptions"]
        case .translations: ["/v1/audio/translations"]
        case .messages: ["/v1/messages"]
        case .countTokens: ["/v1/messages/count_tokens"]
        case .inputTokens: ["/v1/chat/completions/input_tokens"]
        case .responseTokens: ["/v1/responses/input_tokens"]
        case .tokenize: ["/tokenize"]
        case .detokenize: ["/detokenize"]
        case .applyTemplate: ["/apply-template"]
        case .metrics: ["/metrics"]
        case .status: ["/parley/v1/status"]
        case .openAPI: ["/openapi.json"]
        case .managedModels, .fetchModel: ["/parley/v1/models"]
        case .loadModel: ["/parley/v1/models/load"]
        case .unloadModel: ["/parley/v1/models/unload"]
        case .deleteModel: ["/parley/v1/models/"]
        case .deleteJob: ["/parley/v1/jobs/"]
        case .modelEvents: ["/parley/v1/events"]
        case .page: ["/", "/page/"]
        case .pageReading, .pageWriting, .pageFilling: ["/app/v1/"]
        }
    }

    /// The method.
    package var method: HTTPRequest.Method {
        switch self {
        case .health, .models, .model, .metrics, .status, .openAPI, .managedModels, .modelEvents, .page, .pageReading:
            .get
        case .deleteModel, .deleteJob: .delete
        case .fetchModel, .loadModel, .unloadModel, .pageWriting: .post
        case .pageFilling: .put
        case .chatCompletions, .completions, .responses, .messages, .embeddings, .transcriptions, .translations: .post
        case .countTokens, .inputTokens, .responseTokens, .tokenize, .detokenize, .applyTemplate: .post
        }
    }

    /// What a key must be for; nil where nobody needs one.
    package var scope: KeyScope? {
        switch self {
        case .health, .page: nil
        case .pageReading, .pageWriting, .pageFilling: .data
        case .metrics, .status: .metrics
        case .managedModels, .fetchModel, .loadModel, .unloadModel, .deleteModel, .deleteJob, .modelEvents: .admin
        case .models, .model, .openAPI: .api
        case .chatCompletions, .completions, .responses, .messages, .embeddings, .transcriptions, .translations: .api
        case .countTokens, .inputTokens, .responseTokens, .tokenize, .detokenize, .applyTemplate: .api
        }
    }

    /// Whether errors at a path have the form of Anthropic's API, also where it is no route's.
    package static func hasAnthropicErrors(_ path: String) -> Bool {
        path == "/v1/messages" || path.hasPrefix("/v1/messages/")
    }

    /// Finds the route of a request.
    ///
    /// - Throws: ``ServerError`` with status 404 or 405.
    package static func match(_ method: HTTPRequest.Method, _ path: String) throws(ServerError) -> Match {
        var found: [Match] = []
        for route in allCases {
            for known in route.paths {
                if known.hasSuffix("/"), known != "/" {
                    let name = path.dropFirst(known.utf8.count)
                    if path.hasPrefix(known), !name.isEmpty, let decoded = String(name).removingPercentEncoding {
                        found.append(Match(route: route, name: decoded))
                    }
                } else if path == known {
                    found.append(Match(route: route))
                }
            }
        }
        let wanted = method == .head ? .get : method
        if let match = found.first(where: { $0.route.method == wanted }) { return match }
        guard !found.isEmpty else {
            throw ServerError(404, .notFound, "There is no such path here; /openapi.json lists what there is.")
        }
        var methods = Set(found.map(\.route.method.rawValue))
        // What is read can be asked for its head too.
        if methods.contains("GET") { methods.insert("HEAD") }
        let allowed = methods.sorted()
        var error = ServerError(
            405, .methodNotAllowed, "The path does not have this method; it has \(allowed.joined(separator: ", ")).")
        error.allowed = allowed
        throw error
    }
}
