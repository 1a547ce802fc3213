// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyHTTP
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Search engines")
struct SearcherTests {
    private func server(_ status: Int = 200, _ body: String) throws -> WebServer {
        try WebServer { _ in
            WebServerReply(status, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
        }
    }

    /// No limit of time passes, however slow the machine is.
    private let client = URLSessionClient(environment: [:], clock: ManualClock())

    @Test("SearXNG is asked for JSON, and its results are bounded and of the web")
    func searxng() async throws {
        let server = try server(
            200,
            """
            {"results": [
              {"title": "One  &amp;\\n two", "url": "https://a.org/1", "content": "The <b>first</b> piece"},
              {"title": "bad", "url": "javascript:alert(1)", "content": ""}, {"title": "none"}, 7,
              {"title": "", "url": "https://b.org/", "content": "\(String(repeating: "x", count: 2_000))"},
              {"title": "three", "url": "https://c.org/", "content": ""}]}
            """)
        let searcher = SearXNGSearcher(instance: try server.url("/"), client: client)
        let results = try await searcher.results(for: "a & b + c=ü", limit: 2)
        #expect(results.map(\.title) == ["One & two", "b.org"])
        #expect(results.map(\.url.absoluteString) == ["https://a.org/1", "https://b.org/"])
        #expect(results.map(\.snippet.count) == [15, 500])
        #expect(server.requests.map(\.path) == ["/search?q=a%20%26%20b%20%2B%20c%3D%C3%BC&format=json"])
    }

    @Test("Brave is asked with the key in a header, and says what to do about a status")
    func brave() async throws {
        let server = try server(
            200,
            """
            {"type": "search", "web": {"results": [
              {"title": "One", "url": "https://a.org/", "description": "A <strong>piece</strong> &#39;of&#39; it"}]}}
            """)
        let searcher = BraveSearcher(key: " key\n", client: client, url: try server.url("/web"))
        let result = try await searcher.results(for: "question", limit: 5)
        let url = try #require(URL(string: "https://a.org/"))
        #expect(result == [WebResult(title: "One", url: url, snippet: "A piece 'of' it")])
        #expect(server.requests.map(\.path) == ["/web?q=question&count=5"])
        #expect(server.requests.first?.headers["x-subscription-token"] == "key")
    }

    @Test(
        "Failures say what to do, and name neither key nor query",
        arguments: [
            (401, "{}", AssistantError.Code.storeUnavailable, "key"), (429, "{}", .storeUnavailable, "quota"),
            (500, "{}", .storeUnavailable, "500"), (200, "<html>", .invalidAnswer, "JSON"),
            (200, "{}", .invalidAnswer, "no search"), (200, "[]", .invalidAnswer, "no search"),
        ])
    func failures(_ status: Int, _ body: String, _ code: AssistantError.Code, _ word: String) async throws {
        let server = try server(status, body)
        let searcher = BraveSearcher(key: "s3cret", client: client, url: try server.url("/web"))
        let error = await #expect(throws: AssistantError.self) {
            try await searcher.results(for: "my question", limit: 5)
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        let all = String(describing: error) + String(reflecting: error?.cause)
        #expect(!all.contains("s3cret"))
        #expect(!all.contains("question"))
    }

    @Test("A server that is not there is an error without the query")
    func unreachable() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let searcher = SearXNGSearcher(instance: url, client: client)
        let error = await #expect(throws: AssistantError.self) {
            try await searcher.results(for: "my question", limit: 5)
        }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.cause == nil)
        #expect(error?.message.contains("question") == false)
    }
}
