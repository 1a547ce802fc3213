// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

import ParleySystem

/// A wish for a second reply, which answers the user's question from the results of a search on the web.
///
/// Only reading is possible in that reply: pass it to the runner with the mode ``FinishedReply/Mode/readOnly``.
public struct WebPass: Hashable, Sendable, Codable {
    /// What the user asked.
    public var question: String
    /// The words that were searched for.
    public var query: String
    /// The results.
    public var results: [WebResult]

    static let maxTitle = 200
    static let maxAddress = 500
    static let maxSnippet = 1000

    /// Creates a pass.
    public init(question: String, query: String, results: [WebResult]) {
        (self.question, self.query, self.results) = (question, query, results)
    }

    /// The results for the model: numbered from 1, each with title, address and snippet, of bounded length and without
    /// the beginnings of blocks.
    public var text: String {
        guard !results.isEmpty else { return "The search found nothing." }
        return results.enumerated().map { index, result in
            """
            \(index + 1). \(Self.line(result.title, Self.maxTitle))
            \(Self.line(result.url.absoluteString, Self.maxAddress))
            \(Self.line(result.snippet, Self.maxSnippet))
            """
        }.joined(separator: "\n\n")
    }

    /// One line of untrusted text: a line break could imitate another result.
    private static func line(_ text: String, _ limit: Int) -> String {
        ActionTag.defusing(PlainText.line(text, upTo: limit))
    }
}
