// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyJSON

/// A reply that was generated again, beside the one that was kept.
package struct ReplayComparison: Hashable, Sendable {
    /// The place where two replies part.
    package struct Parting: Hashable, Sendable {
        /// The number of tokens before it.
        package var place: Int
        /// What is around it in the reply that was kept.
        package var kept: String
        /// What is around it in the reply that came now.
        package var now: String

        /// Describes a place.
        package init(place: Int, kept: String, now: String) {
            (self.place, self.kept, self.now) = (place, kept, now)
        }
    }

    /// How many tokens are shown before and after the place where two replies part.
    private static let around = 12

    /// The number of tokens that were kept.
    package let count: Int
    /// The number of tokens that came now.
    package let countNow: Int
    /// Where the replies part; nil if they are the same.
    package let parting: Parting?

    /// Compares.
    ///
    /// - Parameters:
    ///   - kept: the tokens that were kept.
    ///   - now: the tokens that were generated now.
    ///   - text: the text of some tokens.
    package init(_ kept: [Int32], _ now: [Int32], text: ([Int32]) async throws -> String) async rethrows {
        (count, countNow) = (kept.count, now.count)
        guard kept != now else {
            parting = nil
            return
        }
        let place = zip(kept, now).enumerated().first { $1.0 != $1.1 }?.offset ?? min(kept.count, now.count)
        func around(_ tokens: [Int32]) async throws -> String {
            try await text(Array(tokens[max(0, place - Self.around)..<min(tokens.count, place + Self.around)]))
        }
        parting = Parting(place: place, kept: try await around(kept), now: try await around(now))
    }

    /// Generates a reply again and compares; nothing of it is carried out or kept.
    ///
    /// - Parameters:
    ///   - reply: the reply.
    ///   - runner: its model.
    ///   - writer: receives the parts of the reply as they come.
    /// - Throws: what the runner throws; `CancellationError` if the task was cancelled before the end.
    package init(
        of reply: KeptReply, by runner: any Replaying, to writer: ResponseWriter = ResponseWriter { _ in }
    ) async throws {
        let outcome = try await runner.generate(again: reply.prompt, to: writer)
        if outcome.finishReason == .cancelled { throw CancellationError() }
        try await self.init(reply.receipt.tokens, outcome.tokens ?? []) { try await runner.text(of: $0) }
    }

    /// Whether the replies have the same tokens.
    package var isSame: Bool { parting == nil }

    /// What a program is told.
    package var json: JSONObject {
        var members: JSONObject = ["same": .bool(isSame), "tokens": .integer(count), "tokens_now": .integer(countNow)]
        if let parting {
            members["parts_at"] = .integer(parting.place)
            (members["kept"], members["now"]) = (.string(parting.kept), .string(parting.now))
        }
        return members
    }
}
