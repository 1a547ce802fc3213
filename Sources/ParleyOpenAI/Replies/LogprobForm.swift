// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Writes the probabilities of tokens in OpenAI's forms, and reads those of a chat reply.
enum LogprobForm {
    /// The `logprobs` of a chat reply.
    static func chat(_ probabilities: [TokenProbability]) -> JSONValue {
        let content = probabilities.map { probability -> JSONValue in
            var json = json(probability.chosen)
            json["top_logprobs"] = .array(probability.top.map(Self.json))
            return json
        }
        return ["content": .array(content), "refusal": .null]
    }

    /// Reads the `logprobs` of a chat reply or a part of one; what is not of the form is left out.
    ///
    /// Servers do not state the ids of tokens, which are therefore -1.
    static func read(_ json: JSONValue, upTo limit: Int) -> [TokenProbability] {
        (json["content"]?.array ?? []).prefix(limit).compactMap { entry in
            guard let chosen = candidate(entry) else { return nil }
            return TokenProbability(chosen, top: (entry["top_logprobs"]?.array ?? []).prefix(64).compactMap(candidate))
        }
    }

    private static func candidate(_ json: JSONValue) -> TokenProbability.Candidate? {
        guard let text = json["token"]?.string, let logprob = json["logprob"]?.number else { return nil }
        let bytes = json["bytes"]?.array?.prefix(1_024).compactMap { $0.integer.flatMap(UInt8.init(exactly:)) }
        return .init(
            token: -1, bytes: bytes ?? Array(text.utf8), logprob: logprob <= -9_999 ? -.infinity : Float(logprob))
    }

    private static func json(_ candidate: TokenProbability.Candidate) -> JSONValue {
        [
            "token": .string(text(candidate)), "logprob": number(candidate.logprob),
            "bytes": .array(candidate.bytes.map { .integer(Int($0)) }),
        ]
    }

    /// The `logprobs` of a continued text.
    ///
    /// - Parameters:
    ///   - probabilities: the tokens.
    ///   - offset: the number of characters before the first of them.
    ///   - hasStart: whether the first token is the text's first, before which there is nothing.
    /// - Returns: the member.
    static func text(_ probabilities: [TokenProbability], offset: Int, hasStart: Bool) -> JSONValue {
        var offsets: [JSONValue] = []
        var told = CharacterCount()
        for probability in probabilities {
            offsets.append(.integer(offset + told.value))
            told.add(probability.chosen.bytes)
        }
        func values(_ make: (TokenProbability) -> JSONValue) -> JSONValue {
            .array(probabilities.enumerated().map { $0 == 0 && hasStart ? .null : make($1) })
        }
        return [
            "tokens": .array(probabilities.map { .string(text($0.chosen)) }),
            "token_logprobs": values { number($0.chosen.logprob) },
            "top_logprobs": values { probability in
                var members: JSONObject = [:]
                for candidate in probability.top { members[text(candidate)] = number(candidate.logprob) }
                return .object(members)
            },
            "text_offset": .array(offsets),
        ]
    }

    /// The text of a token; what is no whole character is spelled as its bytes, as OpenAI does it.
    private static func text(_ candidate: TokenProbability.Candidate) -> String {
        if let text = String(validating: candidate.bytes, as: UTF8.self) { return text }
        return "bytes:" + candidate.bytes.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A logarithm; JSON has no infinity, for which OpenAI's documentation names -9999.
    private static func number(_ logprob: Float) -> JSONValue {
        JSONValue(number: logprob.isFinite ? "\(logprob)" : "-9999.0") ?? .number(-9_999)
    }
}

/// Counts the characters of a text that comes in pieces, which may end inside a character.
private struct CharacterCount {
    private var settled = 0
    /// The last character, as far as it has come.
    private var rest: [UInt8] = []

    /// The number of characters so far; one that is not whole counts as what it is decoded to.
    var value: Int { settled + Self.count(rest[...]) }

    mutating func add(_ bytes: [UInt8]) {
        rest += bytes
        // A character ends where another begins, and has at most four bytes.
        let last = rest.lastIndex { $0 & 0xC0 != 0x80 } ?? rest.endIndex
        let end = rest.endIndex - last < 4 ? last : rest.endIndex
        settled += Self.count(rest[..<end])
        rest.removeFirst(end)
    }

    private static func count(_ bytes: ArraySlice<UInt8>) -> Int {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.count
    }
}
