// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A result of a web search. All of its text is untrusted.
public struct WebResult: Hashable, Sendable, Codable {
    /// The title of the page.
    public var title: String
    /// The address of the page; `http` or `https`.
    public var url: URL
    /// A piece of the page's text that fits the query.
    public var snippet: String

    /// Creates a result.
    public init(title: String, url: URL, snippet: String) {
        (self.title, self.url, self.snippet) = (title, url, snippet)
    }
}

/// A search engine of the web.
public protocol WebSearcher: Sendable {
    /// The results for a query, best first.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `invalidAnswer` or `tooLarge`.
    func results(for query: String, limit: Int) async throws -> [WebResult]
}

/// A page of the web or a document as text. All of its text is untrusted.
public struct DocumentText: Hashable, Sendable {
    /// The title of the page or the name of the file.
    public var title: String
    /// The text, in Markdown where the document has structure.
    public var text: String
    /// Whether the document has more text than ``text``, which is cut at a limit.
    public var isCut: Bool

    /// Creates the text of a document.
    public init(title: String, text: String, isCut: Bool = false) {
        (self.title, self.text, self.isCut) = (title, text, isCut)
    }
}

/// Reads pages of the web, or files, as text.
public protocol DocumentReader: Sendable {
    /// The text of a page or a file.
    ///
    /// - Throws: ``AssistantError`` with code `refused` for an address that may not be read, `storeUnavailable`,
    ///   `invalidAnswer` or `tooLarge`.
    func text(at url: URL) async throws -> DocumentText
}
