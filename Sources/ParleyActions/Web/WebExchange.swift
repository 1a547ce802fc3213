// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyHTTP
import ParleyJSON

/// What searches share: one bounded request, and results without surprises.
enum WebExchange {
    /// The time for a search.
    static let time = Duration.seconds(10)
    private static let mostBytes = 2 << 20

    /// The JSON of an answer with the status 200.
    ///
    /// - Parameters:
    ///   - url: the address without its query.
    ///   - query: the parameters.
    ///   - headers: the headers.
    ///   - client: sends the request.
    ///   - remedies: what to do about a status, by status.
    /// - Returns: the JSON.
    /// - Throws: ``AssistantError``, without cause, or `CancellationError`.
    static func json(
        _ url: URL, query: [(String, String)], headers: HTTPHeaders, by client: any HTTPClient,
        remedies: [Int: String]
    ) async throws -> JSONValue {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw AssistantError(.invalidInput, "The address of the search engine cannot be used.")
        }
        components.percentEncodedQuery = query.map { "\($0.0)=\(encoded($0.1))" }.joined(separator: "&")
        guard let target = components.url else {
            throw AssistantError(.invalidInput, "The address of the search engine cannot be used.")
        }
        var request = HTTPRequest(target, headers: headers)
        request.headers["Accept"] = "application/json"
        // The credentials are meant for this address.
        request.followsRedirects = false
        request.limits.answer = time
        request.limits.whole = time
        let answer: HTTPAnswer
        do {
            answer = try await client.answer(to: request, upTo: mostBytes)
        } catch let error as HTTPError {
            throw self.error(error)
        }
        let host = url.host() ?? "The search engine"
        guard answer.status == 200 else {
            let remedy = remedies[answer.status].map { " \($0)" } ?? ""
            throw AssistantError(.storeUnavailable, "\(host) answered with the status \(answer.status).\(remedy)")
        }
        guard let json = try? JSONValue(parsing: answer.body, limits: JSONLimits(depth: 32, bytes: mostBytes)) else {
            throw AssistantError(.invalidAnswer, "\(host) did not answer with JSON.")
        }
        return json
    }

    /// A result within bounds; nil for one that has no address of the web.
    static func result(title: String?, url: String?, snippet: String?) -> WebResult? {
        guard let url, url.utf8.count <= 2_048, let address = URL(string: url), address.isOfWeb else { return nil }
        let title = line(title ?? "", upTo: 200)
        return WebResult(
            title: title.isEmpty ? address.host() ?? "" : title, url: address, snippet: line(snippet ?? "", upTo: 500))
    }

    /// An error without its cause, which could name the whole address and so the query.
    static func error(_ error: HTTPError) -> AssistantError {
        let code: AssistantError.Code =
            switch error.code {
            case .tooLarge: .tooLarge
            case .refusedRedirect: .refused
            default: .storeUnavailable
            }
        // The message of a failed connection has the system's words in brackets, which may name the address.
        let message = String(error.message.prefix { $0 != "(" }).trimmingCharacters(in: .whitespaces)
        return AssistantError(code, message.hasSuffix(".") ? message : message + ".")
    }

    /// Text that may be marked up, as one line.
    private static func line(_ text: String, upTo limit: Int) -> String {
        let plain = HTMLMarkdown.convert(text.cut(to: 10_000), base: nil, limit: 10_000).text
        return plain.split(whereSeparator: \.isWhitespace).joined(separator: " ").cut(to: limit)
    }

    private static func encoded(_ text: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.formIntersection(CharacterSet(charactersIn: "\u{21}"..."\u{7E}"))
        allowed.insert(charactersIn: "-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
