// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import ParleyModels

/// A search engine, as an option or the settings name it: `brave`, or `searxng=URL`.
package enum SearchEngine: Hashable, Sendable {
    /// Brave's API, with the key in `BRAVE_API_KEY`.
    case brave
    /// An instance of SearXNG.
    case searxng(URL)

    /// Reads a name.
    ///
    /// - Throws: ``CommandError`` that says what a name looks like.
    package init(_ text: String) throws(CommandError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        switch parts.first?.lowercased() {
        case "brave" where parts.count == 1: self = .brave
        case "searxng" where parts.count == 2:
            let address = parts[1].contains("://") ? parts[1] : "https://" + parts[1]
            guard let url = URL(string: address), ["http", "https"].contains(url.scheme?.lowercased()),
                url.host()?.isEmpty == false
            else { throw CommandError("\(parts[1]) is no address of a SearXNG, such as http://localhost:8888.") }
            self = .searxng(url)
        default:
            throw CommandError("There is no search engine \"\(text)\". Use brave, or searxng=URL.")
        }
    }

    /// Whom the user's questions are sent to.
    var host: String {
        switch self {
        case .brave: "api.search.brave.com"
        case .searxng(let url): url.host() ?? "SearXNG"
        }
    }

    /// What searches with it.
    ///
    /// - Throws: ``CommandError`` if the key is missing.
    func searcher(environment: ProcessEnvironment) throws(CommandError) -> any WebSearcher {
        switch self {
        case .searxng(let url): return SearXNGSearcher(instance: url)
        case .brave:
            guard let key = environment["BRAVE_API_KEY"] else {
                throw CommandError(
                    "Brave's search needs a key: put it into the variable BRAVE_API_KEY. Keys are given out at "
                        + "https://api-dashboard.search.brave.com.")
            }
            return BraveSearcher(key: key)
        }
    }
}
