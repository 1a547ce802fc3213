// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
package import ParleyCommandLine
package import ParleyJSON
package import ParleyTokenizer

/// The probabilities that a model assigns to the tokens of a text.
package struct TextScore: Sendable {
    /// A token and its logarithmic probability.
    package struct Candidate: Sendable, Hashable {
        /// The token.
        package var id: TokenID
        /// The natural logarithm of its probability.
        package var logprob: Double
    }

    /// The tokens.
    package let tokens: [TokenID]
    /// The natural logarithm of each token's probability given those before it; nil for the first.
    package private(set) var logprobs: [Double?] = [nil]
    /// The likeliest tokens at each position given those before it; none at the first.
    package private(set) var top: [[Candidate]]?

    /// Creates the score of a text before any of its tokens is predicted.
    package init(tokens: [TokenID]) {
        self.tokens = tokens
    }

    /// Adds the logits that predict the next token.
    ///
    /// - Parameters:
    ///   - logits: one for each token of the vocabulary.
    ///   - topCount: the number of likeliest tokens to record; 0 records none.
    /// - Throws: ``CommandError`` if the logits are invalid: NaN, all minus infinity, or without one for the next
    ///   token.
    package mutating func append(
        predictions logits: UnsafeMutableBufferPointer<Float>, topCount: Int
    ) throws(CommandError) {
        if topCount > 0, top == nil { top = [[]] }
        let position = logprobs.count
        let normalizer = Self.logSumExp(logits)
        guard normalizer.isFinite else {
            throw CommandError(
                "The model's logits at token \(position) of the text are not valid. Its file is damaged or has "
                    + "numbers out of range; download it again or use another.")
        }
        guard position < tokens.count else { return }
        guard logits.indices.contains(Int(tokens[position])) else {
            throw CommandError("The model computes no logit for token \(tokens[position]) of its tokenizer.")
        }
        logprobs.append(Double(logits[Int(tokens[position])]) - normalizer)
        guard topCount > 0 else { return }
        let best = Self.largest(topCount, of: logits)
        top?.append(best.map { Candidate(id: TokenID($0), logprob: Double(logits[$0]) - normalizer) })
    }

    /// The exponential of the mean negative log probability; nil if there is only one token.
    package var perplexity: Double? {
        let known = logprobs.compactMap(\.self)
        return known.isEmpty ? nil : exp(-known.reduce(0, +) / Double(known.count))
    }

    /// The score as one object.
    package var json: JSONValue {
        var object: JSONObject = [
            "tokens": .array(tokens.map { .integer(Int($0)) }),
            "logprobs": .array(logprobs.map { $0.map(Self.number) ?? .null }),
            "perplexity": perplexity.map(Self.number) ?? .null,
        ]
        if let top {
            object["top"] = .array(
                top.map { candidates in
                    .array(candidates.map { ["id": .integer(Int($0.id)), "logprob": Self.number($0.logprob)] })
                })
        }
        return .object(object)
    }

    /// Rounds to six decimals, the precision of 32-bit logits. Infinities become null, because JSON has none.
    private static func number(_ value: Double) -> JSONValue {
        value.isFinite ? .number((value * 1e6).rounded() / 1e6) : .null
    }

    private static func logSumExp(_ logits: UnsafeMutableBufferPointer<Float>) -> Double {
        let largest = logits.reduce(-Float.infinity, max)
        var sum = 0.0
        for logit in logits { sum += exp(Double(logit) - Double(largest)) }
        return Double(largest) + log(sum)
    }

    /// The indices of the largest logits, largest first; of equal ones the smaller index first.
    private static func largest(_ count: Int, of logits: UnsafeMutableBufferPointer<Float>) -> [Int] {
        var best: [Int] = []
        for index in logits.indices {
            if best.count == count, let last = best.last, logits[index] <= logits[last] { continue }
            let place = best.firstIndex { logits[$0] < logits[index] } ?? best.count
            best.insert(index, at: place)
            if best.count > count { best.removeLast() }
        }
        return best
    }
}
