// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

extension EngineRun {
    /// The results as a JSON object.
    package var json: JSONValue {
        [
            "engine": .string(engine), "model": model.map(JSONValue.string) ?? .null, "success": .bool(failure == nil),
            "failure": failure.map(JSONValue.string) ?? .null, "load_seconds": .number(loadSeconds),
            "peak_memory_bytes": .integer(peakMemory),
            "prompts": .array(prompts.map(\.json)),
        ]
    }

    /// Reads the object that ``json`` returns; nil for anything else.
    package init?(json: JSONValue) {
        guard let engine = json["engine"]?.string, let prompts = json["prompts"]?.array?.map(PromptResult.init)
        else { return nil }
        self.init(engine: engine, failure: json["failure"]?.string)
        model = json["model"]?.string
        loadSeconds = json["load_seconds"]?.number ?? 0
        peakMemory = json["peak_memory_bytes"]?.integer ?? 0
        self.prompts = prompts.compactMap(\.self)
    }
}

extension PromptResult {
    fileprivate var json: JSONValue {
        [
            "prompt_tokens": .integer(promptTokens), "reply_tokens": .integer(replyTokens),
            "time_to_first_token_seconds": .object(firstToken.json), "prefill_tokens_per_second": .number(prefill),
            "decode_tokens_per_second": .object(decode.json),
        ]
    }

    fileprivate init?(_ json: JSONValue) {
        guard let promptTokens = json["prompt_tokens"]?.integer, let replyTokens = json["reply_tokens"]?.integer,
            let first = json["time_to_first_token_seconds"]?["samples"]?.array?.compactMap(\.number), !first.isEmpty,
            let decode = json["decode_tokens_per_second"]?["samples"]?.array?.compactMap(\.number), !decode.isEmpty
        else { return nil }
        self.init(
            promptTokens: promptTokens, replyTokens: replyTokens, firstToken: Samples(first), decode: Samples(decode))
    }
}
