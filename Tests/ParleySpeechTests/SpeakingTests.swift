// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySpeech
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Reading aloud", .timeLimit(.minutes(15)))
struct SpeakingTests {
    private static let text = """
        # The *plan*
        Meet at 3.30 p.m. on the 4. of May. "Really?" she asked! Yes…
        - one `thing`
        ```swift
        print("never. spoken.")
        ```
        ~~~
        neither
        ~~~
        ````markdown
        ```
        not. either。
        ~~~
        ```
        ````
        ```ls -l``` lists. Done
        ***
        See [the guide](https://example.org/a.b?c) or <https://example.org/long.path>. Then ![a cat](cat.png) waits.
        https://example.org/alone
        今日は。明日！
        The end
        """

    private static let sentences = [
        "The plan", "Meet at 3.30 p.m. on the 4. of May.", "\"Really?\"", "she asked!", "Yes…", "one thing",
        "ls -l lists.", "Done",
        "See the guide or .", "Then a cat waits.", "今日は。", "明日！", "The end",
    ]

    @Test("sentences end with their mark or line, however the text is cut", arguments: [1, 2, 3, 7, 1000])
    func cuts(step: Int) {
        var cutter = SentenceCutter()
        var result: [String] = []
        var rest = Self.text[...]
        while !rest.isEmpty {
            result += cutter.append(String(rest.prefix(step)))
            rest = rest.dropFirst(step)
        }
        result += [cutter.finish()].compactMap { $0 }
        #expect(result == Self.sentences)
    }

    /// Remembers what it is to say.
    private final class Listed: SpeechVoice {
        private let said = Mutex<[String]>([])

        var all: [String] { said.withLock { $0 } }

        func speak(_ text: String, language: String?) async throws {
            try Task.checkCancellation()
            said.withLock { $0.append("\(language ?? "-") \(text)") }
        }
    }

    @Test("a text that is still written is spoken sentence by sentence")
    func speaksStream() async throws {
        let voice = Listed()
        let (pieces, writer) = AsyncThrowingStream.makeStream(of: String.self)
        for piece in ["One. T", "wo", ". Thr", "ee"] { writer.yield(piece) }
        writer.finish()
        try await voice.speak(pieces, language: "en")
        #expect(voice.all == ["en One.", "en Two.", "en Three"])
    }

    #if os(Linux)
        private static func voice(_ script: String, in directory: TemporaryDirectory) throws -> SystemVoice {
            let url = directory.url.appending(path: "voice")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
            let programs = [
                SystemVoice.Program(name: "/nonexistent/voice", arguments: [], languageOption: "-v"),
                SystemVoice.Program(name: url.path, arguments: ["--stdin"], languageOption: "-v"),
            ]
            return SystemVoice(programs: programs, environment: ["PATH": "/usr/bin:/bin", "OUT": directory.url.path])
        }

        @Test("the first program that is there gets the text on its standard input, and the language if it is one")
        func runsProgram() async throws {
            let directory = try TemporaryDirectory()
            let voice = try Self.voice(#"echo "$@" >> "$OUT/said"; cat >> "$OUT/said""#, in: directory)
            try await voice.speak("Hello -v.", language: "de")
            try await voice.speak("Again", language: "--help; rm")
            let said = try String(contentsOf: directory.url.appending(path: "said"), encoding: .utf8)
            #expect(said == "--stdin -v de\nHello -v.\n--stdin\nAgain\n")
        }

        @Test("a language that the program has no voice for is read by its usual one")
        func lacksLanguage() async throws {
            let directory = try TemporaryDirectory()
            let script = #"[ "$2" = -v ] && exit 1; echo "$@" >> "$OUT/said"; cat >> "$OUT/said""#
            try await Self.voice(script, in: directory).speak("Magandang umaga.", language: "tl")
            let said = try String(contentsOf: directory.url.appending(path: "said"), encoding: .utf8)
            #expect(said == "--stdin\nMagandang umaga.\n")
        }

        @Test("a service is silenced as well, which goes on when its program is gone")
        func silencesService() async throws {
            let directory = try TemporaryDirectory()
            let url = directory.url.appending(path: "voice")
            let fifo = directory.url.appending(path: "began")
            #expect(mkfifo(fifo.path, 0o600) == 0)
            let script =
                #"#!/bin/sh\necho "$@" >> "$OUT/said"; [ "$1" = --cancel ] || { echo > "$OUT/began"; sleep 600; }\n"#
            try Data(script.replacing("\\n", with: "\n").utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
            let program = SystemVoice.Program(
                name: url.path, arguments: ["--wait"], languageOption: "-l", silencing: ["--cancel"])
            let environment = ["PATH": "/usr/bin:/bin", "OUT": directory.url.path]
            let reading = ReadingAloud(SystemVoice(programs: [program], environment: environment))
            reading.append("One. Two. ")
            #expect(await reading.begins())
            _ = try FileHandle(forReadingFrom: fifo).readToEnd()
            reading.stop()
            try await reading.ended()
            let said = try String(contentsOf: directory.url.appending(path: "said"), encoding: .utf8)
            #expect(said == "--wait\n--cancel\n")
        }

        @Test("a program that fails or is missing is an error that says what to do")
        func fails() async throws {
            let directory = try TemporaryDirectory()
            let failing = try Self.voice("exit 3", in: directory)
            let missing = SystemVoice(programs: [], environment: [:])
            for voice in [failing, missing] {
                let error = await #expect(throws: SpeechError.self) { try await voice.speak("x", language: nil) }
                #expect(error?.code == .voiceUnavailable)
            }
        }

        @Test("who stops it does not hear the rest")
        func stops() async throws {
            let directory = try TemporaryDirectory()
            let fifo = directory.url.appending(path: "began")
            #expect(mkfifo(fifo.path, 0o600) == 0)
            let voice = try Self.voice(#"echo > "$OUT/began"; sleep 600"#, in: directory)
            let task = Task { try await voice.speak("long", language: nil) }
            // Ends when the program has begun.
            _ = try FileHandle(forReadingFrom: fifo).readToEnd()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    #endif
}
