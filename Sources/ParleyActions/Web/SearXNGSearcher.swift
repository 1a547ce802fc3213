// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
public import ParleyHTTP
import ParleyJSON

/// Searches with an instance of [SearXNG](https://docs.searxng.org/dev/search_api.html), whose settings must allow the
/// format JSON.
public struct SearXNGSearcher: WebSearcher {
    private let url: URL
    private let client: any HTTPClient

    /// Creates a searcher.
    ///
    /// - Parameters:
    ///   - instance: the address of the instance, such as `http://localhost:8888`.
    ///   - client: sends the requests.
    public init(instance: URL, client: any HTTPClient = URLSessionClient()) {
        url = instance.lastPathComponent == "search" ? instance : instance.appending(path: "search")
        self.client = client
    }

    /// The results for a query.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `invalidAnswer` or `tooLarge`; `CancellationError`.
    public func results(for query: String, limit: Int) async throws -> [WebResult] {
        let json = try await WebExchange.json(
            url, query: [("q", query.cut(to: 1_000)), ("format", "json")], headers: [:], by: client,
            remedies: [
                403: "Add json to search.formats in its settings.yml.", 429: "Its limiter asks to wait.",
            ])
        guard let entries = json["results"]?.array else {
            throw AssistantError(.invalidAnswer, "The answer of SearXNG has no results.")
        }
        return Array(
            entries.lazy.compactMap { entry in
                WebExchange.result(
                    title: entry["title"]?.string, url: entry["url"]?.string, snippet: entry["content"]?.string)
            }.prefix(max(limit, 0)))
    }
}
