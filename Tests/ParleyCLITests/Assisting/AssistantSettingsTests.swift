// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyTestSupport
import Testing

@Suite("AssistantSettings")
struct AssistantSettingsTests {
    @Test("Settings name a search engine, folders and tools that are never used")
    func settings() throws {
        let text =
            #"{"search":"searxng=http://localhost:8888","notes":"/v","deny":["web"],"serach":1,"contacts":null,"enrich":true}"#
        let settings = try AssistantSettings(parsing: Data(text.utf8))
        #expect(try settings.search == .searxng(#require(URL(string: "http://localhost:8888"))))
        #expect(settings.notes?.path == "/v" && settings.contacts == nil)
        #expect(settings.enrichesNotes && !AssistantSettings().enrichesNotes)
        #expect(settings.denied == ["web"] && settings.unknown == ["serach"])
    }

    @Test(
        "A setting of the wrong kind is an error that names it",
        arguments: [
            (#"{"notes":1}"#, "notes"), (#"{"deny":"web"}"#, "deny"), (#"{"enrich":1}"#, "enrich"),
            (#"{"search":"gogle"}"#, "gogle"),
            ("[]", "object"),
            ("{", "JSON"),
        ])
    func wrong(text: String, named: String) {
        let error = #expect(throws: CommandError.self) { try AssistantSettings(parsing: Data(text.utf8)) }
        #expect(error?.message.contains(named) == true)
    }

    @Test("Without a file nothing is set")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect(try AssistantSettings(in: directory.url) == AssistantSettings())
    }

    @Test("A search engine is brave or an address of a SearXNG")
    func engines() throws {
        #expect(try SearchEngine("brave") == .brave)
        #expect(try SearchEngine("searxng=search.example.org") == SearchEngine("searxng=https://search.example.org"))
        for text in ["", "searxng", "searxng=", "searxng=ftp://a", "brave=key", "duck"] {
            #expect(throws: CommandError.self) { try SearchEngine(text) }
        }
    }
}
