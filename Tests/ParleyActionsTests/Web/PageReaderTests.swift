// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import Synchronization
import Testing

@Suite("The reader of pages")
struct PageReaderTests {
    private struct Names: HostResolver {
        func addresses(of host: String) async -> [IPAddress] {
            [IPAddress(host: host.hasPrefix("inside") ? "10.0.0.1" : "93.184.215.14")].compactMap { $0 }
        }
    }

    /// A web of scripted answers, which remembers what was asked of it.
    private final class Web: HTTPClient {
        let asked = Mutex<[HTTPRequest]>([])
        private let pages: [String: HTTPAnswer]

        init(_ pages: [String: HTTPAnswer]) { self.pages = pages }

        func withResponse<Result: Sendable>(
            to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
        ) async throws -> Result {
            asked.withLock { $0.append(request) }
            let answer = pages[request.url.absoluteString] ?? HTTPAnswer(status: 404)
            return try await use(
                HTTPResponse(status: answer.status, headers: answer.headers, body: HTTPBody([answer.body])))
        }
    }

    private func page(_ text: String, type: String = "text/html; charset=utf-8") -> HTTPAnswer {
        HTTPAnswer(status: 200, headers: ["Content-Type": type], body: Data(text.utf8))
    }

    private func redirect(_ target: String) -> HTTPAnswer {
        HTTPAnswer(status: 302, headers: ["Location": target])
    }

    private func read(_ web: Web, _ address: String, _ limits: PageReader.Limits = .init()) async throws -> DocumentText
    {
        var limits = limits
        // No page is late, however busy the machine is.
        limits.time = .seconds(600)
        let reader = PageReader(client: web, addresses: AddressGuard(resolver: Names()), limits: limits)
        return try await reader.text(at: try #require(URL(string: address)))
    }

    @Test("HTML is read as Markdown with its title and whole links")
    func html() async throws {
        let web = Web(["https://a.org/x/": page("<title>A &amp; B</title><h1>Hi</h1><p><a href='../y'>Why</a></p>")])
        let text = try await read(web, "https://a.org/x/")
        #expect(text == DocumentText(title: "A & B", text: "# Hi\n\n[Why](https://a.org/y)"))
    }

    @Test("Other text is read as it is, and cut at the limit")
    func plain() async throws {
        var limits = PageReader.Limits()
        limits.characters = 5
        let web = Web(["https://a.org/": page("ÄÖÜ <b>\n", type: "text/plain")])
        #expect(
            try await read(web, "https://a.org/", limits) == DocumentText(title: "a.org", text: "ÄÖÜ <", isCut: true))
    }

    @Test("No more bytes than the limit are read")
    func bytes() async throws {
        var limits = PageReader.Limits()
        limits.bytes = 10
        let web = Web(["https://a.org/": page("<p>0123456789", type: "text/html")])
        #expect(
            try await read(web, "https://a.org/", limits) == DocumentText(title: "a.org", text: "0123456", isCut: true))
    }

    @Test("The bytes are read in the charset of the header, the page or the mark")
    func charsets() async throws {
        let latin = HTTPAnswer(
            status: 200, headers: ["Content-Type": "text/html"],
            body: Data("<meta charset=iso-8859-1><p>".utf8) + Data([0xFC, 0x80]))
        let named = HTTPAnswer(
            status: 200, headers: ["Content-Type": "text/html; charset=\"ISO-8859-1\""], body: Data([0xE4]))
        let wide = HTTPAnswer(
            status: 200, headers: ["Content-Type": "text/html"],
            body: Data([0xFF, 0xFE, 0x3C, 0x00, 0x20, 0x00, 0xE4, 0x00]))
        let web = Web(["https://a.org/1": latin, "https://a.org/2": named, "https://a.org/3": wide])
        #expect(try await read(web, "https://a.org/1").text == "ü€")
        #expect(try await read(web, "https://a.org/2").text == "ä")
        #expect(try await read(web, "https://a.org/3").text == "< ä")
    }

    @Test("Redirects are followed, and each is checked again")
    func redirects() async throws {
        let web = Web([
            "https://a.org/": redirect("/b"), "https://a.org/b": redirect("https://c.org/"),
            "https://c.org/": page("<p>there"), "https://evil.org/": redirect("http://169.254.169.254/"),
            "https://plain.org/": redirect("http://c.org/"), "http://named.org/": redirect("http://inside.org/"),
            "https://round.org/": redirect("/"), "http://script.org/": redirect("javascript:alert(1)"),
        ])
        #expect(try await read(web, "https://a.org/").text == "there")
        for (address, code) in [
            ("https://evil.org/", AssistantError.Code.refused), ("https://plain.org/", .refused),
            ("http://named.org/", .refused), ("http://script.org/", .refused),
            ("https://round.org/", .storeUnavailable),
            ("https://nothing.org/", .storeUnavailable), ("http://inside.org/", .refused),
        ] {
            let error = await #expect(throws: AssistantError.self, "\(address)") { try await read(web, address) }
            #expect(error?.code == code, "\(address)")
        }
        let hosts = Set(web.asked.withLock { $0 }.compactMap { $0.url.host() })
        #expect(hosts.isDisjoint(with: ["169.254.169.254", "inside.org"]))
        #expect(web.asked.withLock { $0 }.allSatisfy { !$0.followsRedirects })
    }

    @Test("A file that is no text is not read")
    func files() async throws {
        let web = Web(["https://a.org/": page("PK", type: "application/zip")])
        let error = await #expect(throws: AssistantError.self) { try await read(web, "https://a.org/") }
        #expect(error?.code == .invalidAnswer)
    }
}
