// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
public import ParleyHTTP

/// Reads pages of the public web as text: HTML as Markdown, other text as it is.
///
/// Addresses of this machine and its network are refused, however they are written, and so are names that lead to
/// them; each redirect is checked again. The text is untrusted.
public struct PageReader: DocumentReader {
    private let client: any HTTPClient
    private let addresses: AddressGuard
    private let limits: Limits

    /// The limits of a page.
    public struct Limits: Hashable, Sendable {
        /// The time for the page, with its redirects.
        public var time = Duration.seconds(10)
        /// The maximum number of bytes that are read of it; the rest is left.
        public var bytes = 4 << 20
        /// The maximum number of characters of its text; the rest is cut off.
        public var characters = 40_000
        /// The maximum number of redirects.
        public var redirects = 5

        /// Creates the usual limits.
        public init() {}
    }

    /// Creates a reader.
    public init(client: any HTTPClient = URLSessionClient(), limits: Limits = Limits()) {
        self.init(client: client, addresses: AddressGuard(), limits: limits)
    }

    package init(client: any HTTPClient, addresses: AddressGuard, limits: Limits = Limits()) {
        (self.client, self.addresses, self.limits) = (client, addresses, limits)
    }

    /// The text of a page.
    ///
    /// - Throws: ``AssistantError`` with code `refused`, `storeUnavailable` or `invalidAnswer`; `CancellationError`.
    public func text(at url: URL) async throws -> DocumentText {
        let deadline = ContinuousClock.now.advanced(by: limits.time)
        var url = try await checked(url, until: deadline)
        for _ in 0...limits.redirects {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { break }
            switch try await fetch(url, within: rest) {
            case .document(let text): return text
            case .redirect(let target):
                if url.scheme?.lowercased() == "https", target.scheme?.lowercased() != "https" {
                    throw AssistantError(.refused, "\(Self.host(url)) sends to an address without encryption.")
                }
                url = try await checked(target, until: deadline)
            }
        }
        throw AssistantError(.storeUnavailable, "\(Self.host(url)) did not answer in time, or redirects without end.")
    }

    private func checked(_ url: URL, until deadline: ContinuousClock.Instant) async throws -> URL {
        do {
            return try await addresses.check(url, within: ContinuousClock.now.duration(to: deadline))
        } catch {
            // A look-up that is cancelled finds nothing.
            try Task.checkCancellation()
            throw error
        }
    }

    private enum Answer: Sendable {
        case document(DocumentText)
        case redirect(URL)
    }

    private func fetch(_ url: URL, within time: Duration) async throws -> Answer {
        var request = HTTPRequest(url)
        request.headers["Accept"] = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, */*;q=0.1"
        request.headers["User-Agent"] = "Parley/1 (a reader of single pages)"
        request.followsRedirects = false
        request.limits.answer = time
        request.limits.whole = time
        do {
            return try await client.withResponse(to: request) { response in
                if (300..<400).contains(response.status), response.status != 304 {
                    guard let location = response.headers["Location"],
                        let target = URL(string: location, relativeTo: url)?.absoluteURL
                    else { throw AssistantError(.invalidAnswer, "\(Self.host(url)) redirects to no address.") }
                    return .redirect(target)
                }
                guard response.status == 200 else {
                    throw AssistantError(
                        .storeUnavailable, "\(Self.host(url)) answered with the status \(response.status).")
                }
                return .document(try await document(response, at: url))
            }
        } catch let error as HTTPError {
            throw WebExchange.error(error)
        }
    }

    private func document(_ response: HTTPResponse, at url: URL) async throws -> DocumentText {
        let kind = response.headers.mediaType
        let isMarkup = ["text/html", "application/xhtml+xml", nil].contains(kind)
        let isText = kind?.hasPrefix("text/") == true || kind.map(Self.textTypes.contains) == true
        guard isMarkup || isText else {
            throw AssistantError(.invalidAnswer, "\(Self.host(url)) sends a file that is no text.")
        }
        var data = Data()
        var isCut = false
        for try await piece in response.body {
            data += piece.prefix(limits.bytes - data.count)
            isCut = data.count >= limits.bytes
            if isCut { break }
        }
        let text = TextBytes.string(
            data, contentType: response.headers["Content-Type"], isMarkup: isMarkup)
        guard isMarkup else {
            let cut = text.cut(to: limits.characters)
            return DocumentText(title: Self.host(url), text: cut, isCut: isCut || cut.utf8.count < text.utf8.count)
        }
        let page = HTMLMarkdown.convert(text, base: url, limit: limits.characters)
        return DocumentText(
            title: page.title.isEmpty ? Self.host(url) : page.title, text: page.text, isCut: isCut || page.isCut)
    }

    private static let textTypes: Set = [
        "application/json", "application/xml", "application/rss+xml", "application/atom+xml", "application/yaml",
    ]

    private static func host(_ url: URL) -> String { url.host() ?? "The server" }
}
