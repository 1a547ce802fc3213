// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// Hands out the probabilities of an answer's tokens together with the answer's text, some of which is held back.
struct AnswerLikelihoods: Sendable {
    private var waiting: [(probability: TokenProbability, bytes: Int)] = []
    /// The bytes of the text of the tokens that were handed out, and those of the whole text.
    private var tokenBytes = 0
    private var textBytes = 0

    /// Adds a token of the answer, which has so many bytes of its text; without any it is left out.
    mutating func append(_ probability: TokenProbability, bytes: Int) {
        if bytes > 0 { waiting.append((probability, bytes)) }
    }

    /// The tokens whose text is complete with these parts.
    mutating func take(with parts: [ResponsePart]) -> [TokenProbability] {
        textBytes += Self.bytes(of: parts)
        var count = 0
        var end = tokenBytes
        while count < waiting.count, end + waiting[count].bytes <= textBytes {
            end += waiting[count].bytes
            count += 1
        }
        return hand(count)
    }

    /// Leaves out the tokens that are waiting, because they were the beginning of a tag.
    mutating func leaveOutTag() {
        waiting.removeAll()
        tokenBytes = textBytes
    }

    /// The remaining tokens, at the end of the reply; those of a stop string are left out.
    mutating func finish(with parts: [ResponsePart], hasStopped: Bool) -> [TokenProbability] {
        textBytes += Self.bytes(of: parts)
        guard hasStopped else { return hand(waiting.count) }
        var count = 0
        var start = tokenBytes
        while count < waiting.count, start < textBytes {
            start += waiting[count].bytes
            count += 1
        }
        return hand(count)
    }

    private mutating func hand(_ count: Int) -> [TokenProbability] {
        let handed = waiting.prefix(count)
        waiting.removeFirst(count)
        tokenBytes += handed.reduce(0) { $0 + $1.bytes }
        return handed.map(\.probability)
    }

    private static func bytes(of parts: [ResponsePart]) -> Int {
        parts.reduce(0) { sum, part in if case .text(let text) = part { sum + text.utf8.count } else { sum } }
    }
}
