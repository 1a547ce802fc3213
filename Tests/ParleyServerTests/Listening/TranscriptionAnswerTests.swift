// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import ParleyAudio
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleySpeech
import ParleyTesting
import Synchronization
import Testing

@Suite("Transcriptions over HTTP", .serialized, .timeLimit(.minutes(15)))
struct TranscriptionAnswerTests {
    /// Says how it was asked, in one segment with two words.
    private struct Echoing: SpeechRecognizer {
        var languages = ["en", "de"]
        var gate: Gate?
        var failure: SpeechError?
        var ends = AsyncStream<Bool>.makeStream()

        func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) {
            ("de", 0.75)
        }

        func recognize(_ request: RecognitionRequest) async throws -> Recognition {
            defer { ends.continuation.yield(Task.isCancelled) }
            try await gate?.wait()
            if let failure { throw failure }
            let text = "\(request.task) \(request.language) & \(request.prompt ?? "-") \(request.temperatures)"
            var segment = TranscriptionSegment(text: text, range: .milliseconds(250)..<Duration.milliseconds(1250))
            if request.timestamps == .word {
                segment.words = [
                    WordTiming(word: "one", range: .milliseconds(250)..<Duration.milliseconds(500), probability: 0.5),
                    WordTiming(word: "two", range: .milliseconds(500)..<Duration.milliseconds(1250), probability: 0.25),
                ]
            }
            segment.averageLogProbability = -0.25
            return Recognition(
                text: text, segments: [segment], consumed: request.audio.duration, language: request.language)
        }
    }

    /// A WAV file of 8-bit samples below 128, so that it is text: half a second of silence, speech, silence.
    private static func sound(isSilent: Bool = false) -> [UInt8] {
        let samples = (0..<16_256).map { index -> UInt8 in
            let isLoud = !isSilent && (4000..<12_000).contains(index) && index % 1600 < 1200
            return isLoud ? (index % 9 < 4 ? 20 : 110) : 64
        }
        func bytes(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        return Array("RIFF____WAVEfmt ".utf8) + bytes(16, 4) + bytes(1, 2) + bytes(1, 2) + bytes(8000, 4)
            + bytes(8000, 4) + bytes(1, 2) + bytes(8, 2) + Array("data".utf8) + bytes(UInt32(samples.count), 4)
            + samples
    }

    private static func request(
        _ fields: [(String, String)] = [], file: [UInt8]? = sound(), path: String = "transcriptions",
        model: String? = "whisper-1"
    ) -> [UInt8] {
        var body: [UInt8] = []
        for (name, value) in fields + (model.map { [("model", $0)] } ?? []) {
            body += Array("--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
        }
        if let file {
            body += Array("--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n".utf8)
            body += file + Array("\r\n".utf8)
        }
        body += Array("--XX--\r\n".utf8)
        let head = [
            "POST /v1/audio/\(path) HTTP/1.1", "Host: localhost", "Content-Type: multipart/form-data; boundary=XX",
            "Content-Length: \(body.count)",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// A page that writes down what is dictated once its gate opens.
    private final class DictatingPage: ServedPage {
        let gate = Gate()
        let ends = AsyncStream<Bool>.makeStream()

        func answer(_ request: PageRequest) async throws -> PageAnswer {
            defer { ends.continuation.yield(Task.isCancelled) }
            try await gate.wait()
            return .bytes(try await request.body(), type: "application/json")
        }
    }

    /// Shows a page on a server, and sends it what is dictated.
    private func dictate<Value: Sendable>(
        to page: DictatingPage, speech: ServedSpeech?,
        _ body: @escaping @Sendable (ServerTrial, RawClient) async throws -> Value
    ) async throws -> Value {
        let (key, secret) = AccessKey.make(name: "page", scopes: [.data])
        return try await ServerTrial.with(ScriptedRunner(replies: []), speech: speech) {
            $0.keys = KeyRing([key])
        } _: { trial in
            trial.server.show(page)
            let client = try RawClient(port: trial.port)
            client.send(
                "POST /app/v1/transcribe HTTP/1.1\r\nHost: localhost\r\nContent-Type: audio/wav\r\n"
                    + "Authorization: Bearer \(secret)\r\nContent-Length: 4\r\n\r\nRIFF")
            return try await body(trial, client)
        }
    }

    @Test("What is dictated in the page is 404 where nothing hears, as all that is said is.")
    func deafPage() async throws {
        let page = DictatingPage()
        page.gate.open()
        let answer = try await dictate(to: page, speech: nil) { _, client in
            RawAnswer(await client.text { RawAnswer($0).isWhole })
        }
        #expect(answer.status == 404 && answer.json["error"]?["code"] == "model_not_found")
        #expect(answer.json["error"]?["message"]?.string?.contains("--speech") == true)
        let heard = try await dictate(to: page, speech: Self.speech()) { _, client in
            RawAnswer(await client.text { RawAnswer($0).isWhole })
        }
        #expect(heard.status == 200 && heard.body == "RIFF")
    }

    @Test("What is dictated in the page has its turn among the requests, and ends when its client goes.")
    func leavingPage() async throws {
        let page = DictatingPage()
        let isCancelled = try await dictate(to: page, speech: Self.speech()) { trial, client in
            await page.gate.arrival()
            try #require(trial.server.isBusy)
            client.reset()
            return await page.ends.stream.first { _ in true }
        }
        #expect(isCancelled == true)
    }

    private func answers(_ requests: [(String, [UInt8])], speech: ServedSpeech?) async throws -> JSONObject {
        try await ServerTrial.with(ScriptedRunner(replies: []), speech: speech) { trial in
            var answers: JSONObject = [:]
            for (title, request) in requests {
                answers[title] = AnswerGoldens.form(try await RawClient(port: trial.port).ask(request))
            }
            return answers
        }
    }

    private static func speech(_ recognizer: Echoing = Echoing()) -> ServedSpeech {
        ServedSpeech(id: "echo") { SpeechModel(recognizer: recognizer) }
    }

    @Test("Why the model could not be loaded is in the log that the answer speaks of.")
    func failure() async throws {
        let handler = InMemoryLogHandler()
        let speech = ServedSpeech(id: "echo") { throw SpeechError(.modelNotLoaded, "Its file is damaged.") }
        let logger = Logger(label: "test") { _ in handler }
        let answer = try await ServerTrial.with(ScriptedRunner(replies: []), logger: logger, speech: speech) {
            try await RawClient(port: $0.port).ask(Self.request())
        }
        // As for every model, and not to be tried again by the second.
        #expect(answer.status == 500 && answer.json["error"]?["code"] == "model_failed")
        #expect(answer["retry-after"] == nil)
        #expect(handler.entries.contains { "\($0.metadata)".contains("Its file is damaged.") })
    }

    /// Replies never, and tells when it is unloaded.
    private struct Leaving: ModelRunner {
        let modelID = "idle"
        let onUnload: @Sendable () -> Void

        func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
            GenerationOutcome(.stop)
        }

        func promptTokenCount(
            messages: [ChatMessage], functions: [Function], options: GenerationOptions?
        ) async throws -> Int { 0 }

        func unload() async { onUnload() }
    }

    @Test("A speech model has the memory of a model that nobody uses, and not of one in use.")
    func memory() async throws {
        let hasRoom = Mutex(false)
        let speech = ServedSpeech(id: "echo") {
            guard hasRoom.withLock({ $0 }) else {
                throw SpeechError(.insufficientMemory, "It does not fit.")
            }
            return SpeechModel(recognizer: Echoing())
        }
        let model = ServedModel(id: "idle", created: 0)
        let pool = ModelPool([model]) { _, _ in
            LoadedRunner(model, runner: Leaving { hasRoom.withLock { $0 = true } })
        }
        try await ServerTrial.with(pool, speech: speech) { trial in
            var lease: ModelLease? = try await pool.lease("idle")
            let refused = try await RawClient(port: trial.port).ask(Self.request())
            #expect(refused.status == 503 && refused.json["error"]?["code"] == "insufficient_memory")
            #expect(lease?.loaded.model.id == "idle")
            lease = nil
            #expect(try await RawClient(port: trial.port).ask(Self.request()).status == 200)
            #expect(await pool.list().map(\.status) == [.unloaded])
        }
    }

    @Test("Why a recognition failed is in the log by its kind, without its message.")
    func failedRecognition() async throws {
        let handler = InMemoryLogHandler()
        let speech = ServedSpeech(id: "echo") {
            SpeechModel(recognizer: Echoing(failure: SpeechError(.transcriptionFailed, "quagga", cause: Broken())))
        }
        let logger = Logger(label: "test") { _ in handler }
        let answer = try await ServerTrial.with(ScriptedRunner(replies: []), logger: logger, speech: speech) {
            try await RawClient(port: $0.port).ask(Self.request())
        }
        #expect(answer.status == 500 && answer.json["error"]?["code"] == "engine_failed")
        let log = handler.entries.map { "\($0.metadata)" }.joined()
        #expect(log.contains("transcriptionFailed Broken") && !log.contains("quagga"))
    }

    private struct Broken: Error {}

    @Test("Texts in every form, and mistakes in requests for them.")
    func goldens() async throws {
        let requests: [(String, [UInt8])] = [
            ("json", Self.request()),
            ("text", Self.request([("response_format", "text")])),
            ("srt", Self.request([("response_format", "srt")])),
            ("vtt", Self.request([("response_format", "vtt")])),
            ("verbose", Self.request([("response_format", "verbose_json")])),
            (
                "words",
                Self.request([("response_format", "verbose_json"), ("timestamp_granularities[]", "word")])
            ),
            (
                "words and segments",
                Self.request([
                    ("response_format", "verbose_json"), ("timestamp_granularities[]", "word"),
                    ("timestamp_granularities[]", "segment"),
                ])
            ),
            (
                "options",
                Self.request([("language", "en"), ("prompt", "Names"), ("temperature", "0.5"), ("stream", "true")])
            ),
            ("a translation", Self.request(path: "translations", model: "echo")),
            ("silence", Self.request(file: Self.sound(isSilent: true))),
            ("a model that is not there", Self.request(model: "other")),
            ("no model", Self.request(model: nil)),
            ("no file", Self.request(file: nil)),
            ("a file that is no sound", Self.request(file: Array("no sound".utf8))),
            ("a form that is not known", Self.request([("response_format", "xml")])),
            ("a temperature that is none", Self.request([("temperature", "hot")])),
            ("a language that is not known", Self.request([("language", "tlh")])),
            ("times that are not known", Self.request([("timestamp_granularities[]", "letter")])),
            ("JSON", Array(ServerTrial.post("/v1/audio/transcriptions", ["model": "whisper-1"]).utf8)),
            ("the models", Array(ServerTrial.get("/v1/models").utf8)),
            ("the model", Array(ServerTrial.get("/v1/models/echo").utf8)),
        ]
        var all = try await answers(requests, speech: Self.speech())
        for (title, answer) in try await answers([("a server that hears nothing", Self.request())], speech: nil) {
            all[title] = answer
        }
        try AnswerGoldens.compare(all, in: "transcriptions")
    }

    @Test("Where only WAV is read, other forms are refused by their first bytes, before a library could read them.")
    func onlyWAV() async throws {
        let others = ["fLaC\0\0\0\"", "OggS\0\u{2}", "ID3\u{4}\0", "RIFF____AVI LIST", "RIF"].map { Array($0.utf8) }
        let answers = try await ServerTrial.with(ScriptedRunner(replies: []), speech: Self.speech()) {
            $0.onlyReadsWAV = true
        } _: { trial in
            var answers: [RawAnswer] = []
            for file in others + [Self.sound()] {
                answers.append(try await RawClient(port: trial.port).ask(Self.request(file: file)))
            }
            return answers
        }
        #expect(answers.map(\.status) == others.map { _ in 400 } + [200])
        #expect(answers.dropLast().allSatisfy { $0.json["error"]?["message"]?.string?.contains("WAV alone") == true })
    }

    @Test("A model that cannot be loaded is loaded again for the next request")
    func loading() async throws {
        let attempts = Mutex(0)
        let speech = ServedSpeech(id: "echo") {
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            if attempt == 1 { throw SpeechError(.modelNotLoaded, "It is not there.") }
            return SpeechModel(recognizer: Echoing())
        }
        let statuses = try await ServerTrial.with(ScriptedRunner(replies: []), speech: speech) { trial in
            var statuses: [Int] = []
            for _ in 0..<3 {
                statuses.append(try await RawClient(port: trial.port).ask(Self.request()).status)
            }
            return statuses
        }
        #expect(statuses == [500, 200, 200])
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test("The work on a request ends when its client goes, and no sound is left behind")
    func leaving() async throws {
        // Other servers of this machine keep theirs in the same folder.
        let others = try Self.sounds()
        let gate = Gate()
        let recognizer = Echoing(gate: gate)
        let (kept, isCancelled) = try await ServerTrial.with(
            ScriptedRunner(replies: []), speech: Self.speech(recognizer)
        ) { trial in
            let client = try RawClient(port: trial.port)
            client.send(Self.request())
            await gate.arrival()
            let kept = try Self.sounds().subtracting(others)
            client.reset()
            return (kept, await recognizer.ends.stream.first { _ in true })
        }
        #expect(!kept.isEmpty && isCancelled == true)
        // The work has ended, but what it was made of may be freed a moment later.
        while try !Self.sounds().isDisjoint(with: kept) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The sounds of requests that are kept in files.
    private static func sounds() throws -> Set<String> {
        let folder = FileManager.default.temporaryDirectory.path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Set(names.filter { $0.hasPrefix("parley-sound-") })
    }
}
