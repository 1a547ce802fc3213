// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import ParleyAssistant
public import ParleyHTTP
import ParleyJSON

/// Searches with [Brave's API](https://api-dashboard.search.brave.com/app/documentation/web-search), which needs a key.
public struct BraveSearcher: WebSearcher {
    private let url: URL
    private let key: String
    private let client: any HTTPClient

    /// Creates a searcher.
    ///
    /// - Parameters:
    ///   - key: the key, which is sent to Brave alone and is in no error.
    ///   - client: sends the requests.
    public init(key: String, client: any HTTPClient = URLSessionClient()) {
        self.init(key: key, client: client, url: URL(string: "https://api.search.brave.com/res/v1/web/search"))
    }

    package init(key: String, client: any HTTPClient, url: URL?) {
        self.url = url ?? URL(filePath: "/")
        (self.key, self.client) = (key.trimmingCharacters(in: .whitespacesAndNewlines), client)
    }

    /// The results for a query.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `invalidAnswer` or `tooLarge`; `CancellationError`.
    public func results(for query: String, limit: Int) async throws -> [WebResult] {
        // More words or characters are refused.
        let words = query.split(whereSeparator: \.isWhitespace).prefix(50).joined(separator: " ")
        let count = min(max(limit, 1), 20)
        let json = try await WebExchange.json(
            url, query: [("q", String(words.prefix(400))), ("count", "\(count)")],
            headers: ["X-Subscription-Token": key], by: client,
            remedies: [
                401: "Check the key.", 403: "Check the key.", 422: "Check the key.",
                429: "The quota of the key is used up for now.",
            ])
        guard json["type"]?.string == "search" || json["web"] != nil else {
            throw AssistantError(.invalidAnswer, "The answer of Brave is no search.")
        }
        // Without hits there is no member.
        let entries = json["web"]?["results"]?.array ?? []
        return Array(
            entries.lazy.compactMap { entry in
                WebExchange.result(
                    title: entry["title"]?.string, url: entry["url"]?.string, snippet: entry["description"]?.string)
            }.prefix(max(limit, 0)))
    }
}
