// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
public import ParleyJSON

/// What an answer of OpenAI's completions, of conversations or of texts, tells beside its choices.
public struct CompletionHead: Hashable, Sendable {
    /// The response's id, such as `chatcmpl-…`.
    public var id: String
    /// The time at which the response was created, in seconds since 1970.
    public var created: Int
    /// The name of the model that replied.
    public var model: String
    /// The number of tokens used; nil if it is not stated here.
    public var usage: GenerationStats?
    /// Identifies the model and software that replied, including their versions; nil if the server does not state it.
    public var systemFingerprint: String?
    /// Members that OpenAI's API does not define, such as `timings`, in order; those of a response that was read are
    /// included.
    public var others: JSONObject

    /// Creates a head.
    public init(
        id: String, created: Int, model: String, usage: GenerationStats? = nil, systemFingerprint: String? = nil,
        others: JSONObject = [:]
    ) {
        self.id = id
        self.created = created
        self.model = model
        self.usage = usage
        self.systemFingerprint = systemFingerprint
        self.others = others
    }

    private static let members: Set<String> = [
        "id", "object", "created", "model", "choices", "usage", "system_fingerprint",
    ]

    /// Reads the head of a response; unknown members are kept in `others`.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    init(_ fields: Field) throws(OpenAIError) {
        self.init(
            id: try fields["id"].string() ?? "", created: try fields["created"].integer() ?? 0,
            model: try fields["model"].string() ?? "", usage: try GenerationStats(fields["usage"]),
            systemFingerprint: try fields["system_fingerprint"].string(),
            others: fields.value.object?.filter { !Self.members.contains($0.key) } ?? [:])
    }

    /// The whole response.
    func json(_ object: String, choices: [JSONValue]) -> JSONValue {
        var members: JSONObject = [
            "id": .string(id), "object": .string(object), "created": .integer(created), "model": .string(model),
            "choices": .array(choices),
        ]
        members["usage"] = usage?.usage
        members["system_fingerprint"] = systemFingerprint.map(JSONValue.string)
        members.merge(others) { own, _ in own }
        return .object(members)
    }
}
