// SPDX-License-Identifier: Apache-2.0

public import ParleyHTTP
import ParleyJSON

/// A model that a server has, as far as the server describes it.
public struct RemoteModel: Hashable, Sendable, Identifiable {
    /// The name by which requests ask for it.
    public var id: String
    /// The size of its context in tokens; nil if the server does not state it.
    public var contextSize: Int?
    /// What it can do, in the server's words, such as `chat` and `tools`; nil if the server does not state it.
    public var capabilities: Set<String>?
    /// What may be shown to it, such as `text` and `image`; nil if the server does not state it.
    public var inputModalities: Set<String>?
    /// Whether it is ready, in the server's words, such as `loaded`; nil if the server does not state it.
    public var status: String?

    /// Creates a model.
    public init(id: String, contextSize: Int? = nil) {
        self.id = id
        self.contextSize = contextSize
    }

    /// The largest number of models that are read.
    private static let most = 10_000

    /// Reads a model of a server's list; nil if it has no name that can be shown.
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string ?? json["name"]?.string, (1...512).contains(id.utf8.count),
            id.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        // Parley and OpenRouter, vLLM, llama.cpp, LM Studio, Groq.
        let sizes = [
            json["context_length"], json["max_model_len"], json["meta"]?["n_ctx"], json["max_context_length"],
            json["context_window"], json["meta"]?["n_ctx_train"],
        ]
        self.init(id: id, contextSize: sizes.lazy.compactMap { $0?.integer }.first { $0 > 0 })
        capabilities = Self.words(json["capabilities"])
        inputModalities = Self.words(json["architecture"]?["input_modalities"])
        status = json["status"]?.string ?? json["status"]?["value"]?.string
    }

    private static func words(_ json: JSONValue?) -> Set<String>? {
        if let object = json?.object { return Set(object.filter { $0.value.bool == true }.keys) }
        return json?.array.map { Set($0.prefix(64).compactMap(\.string)) }
    }

    /// Reads a server's list of models.
    ///
    /// - Returns: the models; nil if it is no such list.
    static func list(_ json: JSONValue) -> [RemoteModel]? {
        // Some servers answer the list alone, and some write null for one without models.
        if json["data"]?.isNull == true { return [] }
        return (json["data"]?.array ?? json.array)?.prefix(most).compactMap(RemoteModel.init)
    }
}

extension RemoteEndpoint {
    /// Asks the server for its models.
    ///
    /// - Parameter client: sends the request.
    /// - Returns: the models, in the server's order.
    /// - Throws: ``RemoteError``; `CancellationError`.
    public func models(client: any HTTPClient = URLSessionClient()) async throws -> [RemoteModel] {
        var endpoint = self
        endpoint.limits.attempts = 1
        endpoint.limits.answer = min(limits.answer, .seconds(30))
        let json = try await RemoteClient(endpoint: endpoint, http: client).json(
            endpoint.request("models"), hiding: .init(key: key))
        guard let models = RemoteModel.list(json) else {
            throw RemoteError(.invalidAnswer, "\(host) does not answer with a list of models.")
        }
        return models
    }
}
