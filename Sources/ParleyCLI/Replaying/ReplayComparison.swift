// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleySystem

/// A reply that was generated again, beside the one that was kept.
struct ReplayComparison {
    /// How many tokens are shown before and after the place where two replies part.
    private static let around = 12

    private let reply: KeptReply
    private let count: Int
    private let nowCount: Int
    /// Where the replies part, from 0, and what is around it in both; nil if they are the same.
    private let parting: (place: Int, kept: String, now: String)?

    /// Compares.
    ///
    /// - Parameters:
    ///   - reply: the reply that was kept.
    ///   - tokens: the tokens that were generated now.
    ///   - text: the text of some tokens.
    init(_ reply: KeptReply, _ tokens: [Int32], text: ([Int32]) throws -> String) rethrows {
        let kept = reply.receipt.tokens
        (self.reply, count, nowCount) = (reply, kept.count, tokens.count)
        guard kept != tokens else {
            parting = nil
            return
        }
        let place = zip(kept, tokens).enumerated().first { $1.0 != $1.1 }?.offset ?? min(kept.count, tokens.count)
        func around(_ tokens: [Int32]) throws -> String {
            try text(Array(tokens[max(0, place - Self.around)..<min(tokens.count, place + Self.around)]))
        }
        parting = (place, try around(kept), try around(tokens))
    }

    /// Whether the replies have the same tokens.
    var isSame: Bool { parting == nil }

    /// What a person is told.
    var text: String {
        guard let parting else { return "The same \(count) tokens." }
        func quoted(_ text: String) -> String { JSONValue.string(PlainText.clean(text)).text() }
        return """
            The replies part at token \(parting.place + 1): \(count) were kept, \(nowCount) came now.
            kept: \(quoted(parting.kept))
            now:  \(quoted(parting.now))
            """
    }

    /// What a program is told.
    var json: JSONValue {
        var members: JSONObject = [
            "chat": .string(reply.chat.uuidString), "turn": .integer(reply.turn), "reply": .integer(reply.pass),
            "message": .string(reply.message.uuidString), "model": .string(reply.receipt.model),
        ]
        members["model_digest"] = reply.receipt.modelDigest.map { .string($0) }
        members["prompt_digest"] = reply.receipt.promptDigest.map { .string($0) }
        members["same"] = .bool(isSame)
        (members["tokens"], members["tokens_now"]) = (.integer(count), .integer(nowCount))
        if let parting {
            members["parts_at"] = .integer(parting.place)
            (members["kept"], members["now"]) = (.string(parting.kept), .string(parting.now))
        }
        return .object(members)
    }
}
