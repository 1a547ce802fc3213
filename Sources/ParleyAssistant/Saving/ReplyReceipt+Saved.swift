// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON

extension ReplyReceipt {
    /// The receipt as JSON, without its rule. The tokens are written in base64 as variable-length integers (LEB128),
    /// because there are as many as in the whole history before.
    var saved: JSONValue {
        var members: JSONObject = ["model": .string(model)]
        members["model_digest"] = modelDigest.map { .string($0) }
        members["prompt_digest"] = promptDigest.map { .string($0) }
        if !promptTokens.isEmpty { members["prompt_tokens"] = .string(Self.packed(promptTokens)) }
        if !tokens.isEmpty { members["tokens"] = .string(Self.packed(tokens)) }
        if startsInsideReasoning { members["starts_inside_reasoning"] = true }
        members["finish_reason"] = finishReason.map { .string($0.rawValue) }
        members["max_tokens"] = maxTokens.map { .integer($0) }
        members["max_reasoning_tokens"] = maxReasoningTokens.map { .integer($0) }
        if !stop.isEmpty { members["stop"] = .array(stop.map { .string($0) }) }
        for (name, count) in [
            ("prompt", promptTokenCount), ("cached", cachedPromptTokens), ("completion", completionTokens),
            ("reasoning", reasoningTokens), ("dropped_turns", droppedTurns),
            ("summarised_turns", summarisedTurns), ("dropped_images", droppedImages),
            ("images", images),
        ] where count > 0 { members[name] = .integer(count) }
        for (name, value) in [
            ("temperature", sampling.temperature), ("top_p", sampling.topP), ("min_p", sampling.minP),
            ("repetition_penalty", sampling.repetitionPenalty),
        ] { members[name] = value.map { .number(Double($0)) } }
        members["tokens_per_second"] = tokensPerSecond.map { .number($0) }
        members["first_token_seconds"] = firstTokenSeconds.map { .number($0) }
        members["top_k"] = sampling.topK.map { .integer($0) }
        members["penalty_window"] = sampling.penaltyWindow.map { .integer($0) }
        // As text: a seed has 64 bits, of which other programs' numbers keep 53.
        members["seed"] = sampling.seed.map { .string(String($0)) }
        return .object(members)
    }

    /// Reads a receipt; nil if it has no model.
    init?(saved value: JSONValue?) {
        guard let value, let model = value["model"]?.string else { return nil }
        func number(_ name: String) -> Float? {
            value[name]?.number.map { Float($0) }.flatMap { $0.isFinite ? $0 : nil }
        }
        self.init(
            model: model,
            sampling: SamplingOptions(
                temperature: number("temperature"), topK: value["top_k"]?.integer, topP: number("top_p"),
                minP: number("min_p"), repetitionPenalty: number("repetition_penalty"),
                penaltyWindow: value["penalty_window"]?.integer, seed: value["seed"]?.string.flatMap { UInt64($0) }))
        (modelDigest, promptDigest) = (value["model_digest"]?.string, value["prompt_digest"]?.string)
        promptTokens = value["prompt_tokens"]?.string.flatMap(Self.unpacked) ?? []
        finishReason = value["finish_reason"]?.string.flatMap(FinishReason.init(rawValue:))
        (maxTokens, maxReasoningTokens) = (value["max_tokens"]?.integer, value["max_reasoning_tokens"]?.integer)
        stop = value["stop"]?.array?.compactMap(\.string) ?? []
        (cachedPromptTokens, completionTokens) = (Chat.count(value["cached"]), Chat.count(value["completion"]))
        // A receipt of an earlier Parley has the tokens alone.
        promptTokenCount = value["prompt"].map { Chat.count($0) } ?? promptTokens.count
        reasoningTokens = Chat.count(value["reasoning"])
        (tokensPerSecond, firstTokenSeconds) = (
            value["tokens_per_second"]?.number, value["first_token_seconds"]?.number
        )
        droppedTurns = Chat.count(value["dropped_turns"])
        summarisedTurns = Chat.count(value["summarised_turns"])
        droppedImages = Chat.count(value["dropped_images"])
        tokens = value["tokens"]?.string.flatMap(Self.unpacked) ?? []
        images = Chat.count(value["images"])
        startsInsideReasoning = value["starts_inside_reasoning"]?.bool ?? false
    }

    // MARK: - Tokens

    private static func packed(_ tokens: [Int32]) -> String {
        var bytes = Data()
        for token in tokens {
            var rest = UInt32(bitPattern: token)
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        return bytes.base64EncodedString()
    }

    private static func unpacked(_ text: String) -> [Int32]? {
        guard let bytes = Data(base64Encoded: text) else { return nil }
        var tokens: [Int32] = []
        var (value, shift): (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            value |= UInt64(byte & 0x7F) << shift
            guard byte & 0x80 == 0 else {
                shift += 7
                if shift > 28 { return nil }
                continue
            }
            guard let bits = UInt32(exactly: value) else { return nil }
            tokens.append(Int32(bitPattern: bits))
            (value, shift) = (0, 0)
        }
        return shift == 0 ? tokens : nil
    }
}
