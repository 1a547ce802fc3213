// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
package import ParleyHTTP

/// A search engine, as an option or the settings name it: `brave`, or `searxng=URL`.
package enum SearchEngine: Hashable, Sendable {
    /// Brave's API, with the key in `BRAVE_API_KEY`.
    case brave
    /// An instance of SearXNG.
    case searxng(URL)

    /// Reads a name.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` that says what a name looks like.
    package init(_ text: String) throws(AssistantError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        switch parts.first?.lowercased() {
        case "brave" where parts.count == 1: self = .brave
        case "searxng" where parts.count == 2:
            let address = parts[1].contains("://") ? parts[1] : "https://" + parts[1]
            guard let url = URL(string: address), url.isOfWeb else {
                throw Self.wrong("\(parts[1]) is no address of a SearXNG, such as http://localhost:8888.")
            }
            self = .searxng(url)
        default:
            throw Self.wrong("There is no search engine \"\(text)\". Use brave, or searxng=URL.")
        }
    }

    private static func wrong(_ message: String) -> AssistantError { AssistantError(.invalidInput, message) }

    /// The name of the engine, as it is read.
    package var name: String {
        switch self {
        case .brave: "brave"
        case .searxng(let url): "searxng=\(url.absoluteString)"
        }
    }

    /// Whom the user's questions are sent to.
    package var host: String {
        switch self {
        case .brave: "api.search.brave.com"
        case .searxng(let url): url.host() ?? "SearXNG"
        }
    }

    /// What searches with it.
    ///
    /// - Throws: ``AssistantError`` with code `refused` if the key is missing.
    package func searcher(environment: ProcessEnvironment) throws(AssistantError) -> any WebSearcher {
        switch self {
        case .searxng(let url): return SearXNGSearcher(instance: url)
        case .brave:
            guard let key = environment["BRAVE_API_KEY"] else {
                throw AssistantError(
                    .refused,
                    "Brave's search needs a key: put it into the variable BRAVE_API_KEY. Keys are given out at "
                        + "https://api-dashboard.search.brave.com.")
            }
            return BraveSearcher(key: key)
        }
    }
}
