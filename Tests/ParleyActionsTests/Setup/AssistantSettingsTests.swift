// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleySystem
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
        let error = #expect(throws: AssistantError.self) { try AssistantSettings(parsing: Data(text.utf8)) }
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
            #expect(throws: AssistantError.self) { try SearchEngine(text) }
        }
    }

    @Test("Settings name what actions may do and how long replies are, in the words of the command line")
    func policy() throws {
        let text = """
            {"policy":{"calendar":{"delete":"deny","create":"ask"},"web":{"read":"ask"}},"deny":["notes","a.b"],
             "history_window":7,"answer_tokens":5,"thinking_tokens":0,"deadline_seconds":3,"temperature":0.7}
            """
        let settings = try AssistantSettings(parsing: Data(text.utf8))
        let limits = settings.limits
        #expect(limits.policy[.calendar, .delete] == .deny && limits.policy[.calendar, .create] == .ask)
        #expect(limits.policy[.calendar, .change] == .ask && limits.policy[.webSearch, .read] == .ask)
        #expect(limits.policy[.note, .read] == .deny && settings.deniedTools == ["a.b"])
        let chat = settings.chat(memory: 1 << 40)
        #expect(chat.historyWindow == 7 && chat.answerTokens == 5 && chat.thinkingTokens == 0)
        #expect(chat.deadline == .seconds(3) && chat.sampling.temperature == 0.7)
        #expect(AssistantSettings().chat(memory: 1 << 40).historyWindow == 50)
        // The limit of a container counts.
        let memory = UInt64(clamping: MachineMemory.current().physical)
        #expect(AssistantSettings().chat() == AssistantSettings().chat(memory: memory))
    }

    @Test(
        "A policy or a number that means nothing is an error that names it",
        arguments: [
            (#"{"policy":[]}"#, "policy"), (#"{"policy":{"gate":{"read":"ask"}}}"#, "gate"),
            (#"{"policy":{"calendar":{"reed":"ask"}}}"#, "policy.calendar.reed"),
            (#"{"policy":{"calendar":{"read":"yes"}}}"#, "policy.calendar.read"),
            (#"{"policy":{"calendar":"ask"}}"#, "policy.calendar"), (#"{"history_window":0}"#, "history_window"),
            (#"{"deadline_seconds":1.5}"#, "deadline_seconds"), (#"{"temperature":9}"#, "temperature"),
            (#"{"answer_tokens":"9"}"#, "answer_tokens"),
        ])
    func wrongNumbers(text: String, named: String) {
        let error = #expect(throws: AssistantError.self) { try AssistantSettings(parsing: Data(text.utf8)) }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains(named) == true)
    }

    @Test("A change is written into the file, which keeps what is not known and how folders are spelt")
    func writing() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: AssistantSettings.fileName)
        let text = #"{"colour":{"a":[1]},"notes":"~/Vault","enrich":true,"policy":{"notes":{"delete":"deny"}}}"#
        try Data(text.utf8).write(to: file)
        let changed = try AssistantSettings.change(in: directory.url) { settings in
            (settings.enrichesNotes, settings.historyWindow, settings.temperature) = (false, 30, 0.7)
            settings.search = .brave
            settings.policy[.calendar, .delete] = .deny
            settings.policy[.note, .delete] = .ask
        }
        let written = try JSONValue(parsing: Data(contentsOf: file))
        #expect(
            written == [
                "colour": ["a": [1]], "notes": "~/Vault", "policy": ["calendar": ["delete": "deny"]],
                "search": "brave", "history_window": 30, "temperature": 0.7,
            ])
        #expect(try AssistantSettings(in: directory.url) == changed)
        #expect(changed.unknown == ["colour"] && changed.notes?.path.hasSuffix("/Vault") == true)
        // Nothing changes, not even a byte of what is read, when nothing is set.
        try AssistantSettings.change(in: directory.url) { $0.policy[.note, .change] = .ask }
        #expect(try JSONValue(parsing: Data(contentsOf: file)) == written)
    }

    @Test("A file that cannot be understood, and a value that could not be read again, leave the file as it is")
    func refusedChanges() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: AssistantSettings.fileName)
        for (text, window) in [("{", 5), (#"{"deny":["web"]}"#, 0)] {
            try Data(text.utf8).write(to: file)
            let error = #expect(throws: AssistantError.self) {
                try AssistantSettings.change(in: directory.url) { $0.historyWindow = window }
            }
            #expect(error?.code == .invalidInput)
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        }
    }
}
