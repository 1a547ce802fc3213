// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
import ParleySpeech
import Testing

import struct ParleyRuntime.SplitMix64

/// Drives a live machine with sound cut anywhere and recognitions that take any time, without a clock.
private struct LiveScript {
    var machine: TranscriptionMachine
    var random: SplitMix64
    /// Recognitions end with this probability after each piece of sound.
    var readiness = 0.5
    var results: [TranscriptionResult] = []
    var requests: [RecognitionRequest] = []
    var abandoned: [Int] = []
    var isFinished = false
    private var running: (job: Int, request: RecognitionRequest?)?

    init(_ options: TranscriptionOptions, languages: [String] = ["en", "de"], seed: UInt64, live: Bool = true) throws {
        machine = try TranscriptionMachine(
            options, languages: languages, activity: EnergyVoiceActivity(), live: live)
        random = SplitMix64(seed: seed)
    }

    mutating func append(_ sound: ArraySlice<Float>, pieces: ClosedRange<Int>) {
        var rest = sound
        while !rest.isEmpty {
            let count = Int.random(in: pieces, using: &random)
            machine.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            act()
            if Double.random(in: 0..<1, using: &random) < readiness { report() }
        }
    }

    /// Does what the machine says, up to where it waits.
    mutating func act() {
        while !isFinished {
            switch machine.next() {
            case .wait: return
            case .detectLanguage(_, let job): running = (job, nil)
            case .recognize(let request, let job):
                requests.append(request)
                running = (job, request)
            case .abandon(let job):
                abandoned.append(job)
                #expect(running?.job == job)
                // The report of an abandoned job may still come, and is ignored.
                if Bool.random(using: &random) { report() }
                if running?.job == job { running = nil }
            case .deliver(let result): results.append(result)
            case .finish: isFinished = true
            }
        }
    }

    /// The recognition that runs ends.
    mutating func report() {
        guard let (job, request) = running else { return }
        running = nil
        if let request {
            machine.recognized(ScriptedRecognizer.fingerprint(request), by: job)
        } else {
            machine.detected(("de", 0.8), by: job)
        }
        act()
    }

    mutating func finish() {
        machine.finish()
        act()
        for _ in 0..<100 where !isFinished { report() }
    }

    var finals: [TranscriptionResult] { results.filter(\.isFinal) }
}

@Suite("The live state machine", .timeLimit(.minutes(15)))
struct TranscriptionMachineTests {
    private static let sound =
        Sounds.pause(1) + Sounds.speech(3) + Sounds.pause(1.2) + Sounds.speech(0.5, seed: 3) + Sounds.pause(0.9)
        + Sounds.speech(33, seed: 4) + Sounds.pause(0.4) + Sounds.speech(6, seed: 5) + Sounds.pause(2)
        + Sounds.speech(1.5, seed: 6) + Sounds.pause(0.3) + Sounds.speech(0.4, seed: 7) + Sounds.pause(0.5)
        + Sounds.speech(2, seed: 8)

    private static func finals(_ options: TranscriptionOptions) async throws -> [TranscriptionResult] {
        var results: [TranscriptionResult] = []
        let recognizer = ScriptedRecognizer(languages: ["en", "de"], detected: ("de", 0.8))
        let source = try ChunkedSound(sound)
        _ = try await SpeechModel(recognizer: recognizer).transcribe(
            source, options: options, onResult: { results.append($0) })
        return results
    }

    @Test("any cutting and any speed give the finals of the file with the same endpointing", arguments: 0..<12)
    func ignoresCuttingAndSpeed(seed: Int) async throws {
        let expected = try await Self.finals(.live)
        #expect(expected.count >= 5)
        var script = try LiveScript(.live, seed: UInt64(seed))
        script.readiness = [0, 0.05, 0.5, 1][seed % 4]
        script.append(Self.sound[...], pieces: [1...2000, 1...40_000, 160...160, 7...20_000][seed / 3])
        script.finish()
        #expect(script.isFinished)
        #expect(script.finals == expected)
        for (one, next) in zip(expected, expected.dropFirst()) {
            #expect(one.range.upperBound <= next.range.lowerBound)
        }
    }

    @Test("the final text is there with the end of the pause, having been recognised while it ran")
    func anticipates() throws {
        var script = try LiveScript(.init(language: "en"), seed: 1)
        script.readiness = 1
        script.append((Sounds.pause(1) + Sounds.speech(2) + Sounds.pause(0.4))[...], pieces: 160...160)
        let requests = script.requests.count
        let shown = try #require(script.results.last)
        #expect(script.requests.last?.timestamps == .segment && !shown.isFinal)
        script.readiness = 0
        script.append(Sounds.pause(0.4)[...], pieces: 160...160)
        #expect(script.finals.map(\.text) == [shown.text] && script.finals.map(\.range) == [shown.range])
        #expect(script.requests.count == requests)
    }

    @Test("a recognition that still runs when the pause ends is not begun again")
    func awaitsAnticipation() throws {
        var script = try LiveScript(.init(language: "en"), seed: 1)
        script.readiness = 1
        script.append((Sounds.pause(1) + Sounds.speech(2))[...], pieces: 160...160)
        script.readiness = 0
        script.append(Sounds.pause(0.8)[...], pieces: 160...160)
        #expect(script.finals.isEmpty && script.requests.last?.timestamps == .segment)
        let requests = script.requests.count
        script.report()
        #expect(script.finals.count == 1 && script.requests.count == requests)
    }

    @Test("who speaks on after a short pause is understood whole")
    func forgetsAnticipation() throws {
        let sound = Sounds.pause(1) + Sounds.speech(2) + Sounds.pause(0.5) + Sounds.speech(2, seed: 3) + Sounds.pause(1)
        var script = try LiveScript(.init(language: "en"), seed: 1)
        script.readiness = 1
        script.append(sound[...], pieces: 160...160)
        #expect(script.requests.count { $0.timestamps == .segment } == 2)
        #expect(script.finals.count == 1)
        #expect(script.finals.first.map { $0.range.upperBound - $0.range.lowerBound > .seconds(4) } == true)
    }

    @Test("while someone speaks, what is not final replaces what was not, and grows")
    func showsPasses() throws {
        var script = try LiveScript(.init(language: "en"), seed: 1)
        script.readiness = 1
        script.append((Sounds.pause(1) + Sounds.speech(6) + Sounds.pause(2))[...], pieces: 160...160)
        script.finish()
        let volatile = script.results.prefix { !$0.isFinal }
        #expect(volatile.count >= 8)
        #expect(script.finals.count == 1)
        #expect(zip(volatile, volatile.dropFirst()).allSatisfy { $0.range.upperBound < $1.range.upperBound })
        #expect(script.requests.dropLast().allSatisfy { $0.timestamps == .none && $0.temperatures == [0] })
        #expect(script.requests.last?.timestamps == .segment)
        #expect(script.requests.last?.prefix.isEmpty == true && script.requests.last?.draft.isEmpty == true)
    }

    @Test("a slow recogniser never has two passes waiting, and the last sound first")
    func queuesNothing() throws {
        var script = try LiveScript(.init(language: "en"), seed: 1)
        script.readiness = 0
        script.append(Sounds.speech(4)[...], pieces: 160...160)
        #expect(script.requests.count == 1)
        script.report()
        #expect(script.requests.count == 2)
        #expect(script.requests[1].audio.duration > .milliseconds(3900))
    }

    @Test("words on which two passes agree are forced, and the rest is a draft")
    func forcesStableWords() throws {
        var memory = PassMemory(utterance: 0)
        func recognition(_ tokens: [Int32], _ ends: [Int]) -> Recognition {
            var result = Recognition(text: "", segments: [], tokens: tokens, consumed: .zero, language: "en")
            result.wordEnds = ends
            return result
        }
        memory.pass(recognition([1, 2, 3, 4], [1, 3, 4]), upTo: 10)
        #expect(memory.prefix == [] && memory.draft == [1, 2, 3, 4])
        memory.pass(recognition([1, 2, 3, 5, 6], [1, 3, 5]), upTo: 20)
        #expect(memory.prefix == [1, 2, 3] && memory.draft == [5, 6])
        memory.pass(recognition([1, 2, 3, 5, 7], [1, 3, 4, 5]), upTo: 30)
        #expect(memory.prefix == [1, 2, 3] && memory.draft == [5, 7])
        memory.settle("words", upTo: 25)
        #expect(memory.prefix == [] && memory.draft == [] && memory.start == 25)
    }

    @Test("passes over long speech hear at most 15 s, and what precedes is kept as text")
    func settlesLongSpeech() throws {
        var script = try LiveScript(.init(language: "en"), seed: 1)
        script.readiness = 1
        script.append(Sounds.speech(27)[...], pieces: 1600...1600)
        #expect(script.requests.allSatisfy { $0.audio.duration <= .seconds(15) })
        #expect(script.results.last?.text.contains(" ") == true)
        #expect(script.results.last?.range.lowerBound == .zero)
        script.finish()
        #expect(script.finals.count == 1)
        #expect(script.finals.first?.text.contains(" ") == false)
    }

    @Test("a translation has blanks between its parts, whatever language is spoken", arguments: [false, true])
    func joinsTranslations(translates: Bool) throws {
        let options = TranscriptionOptions(task: translates ? .translate : .transcribe, language: "ja")
        var script = try LiveScript(options, languages: ["ja"], seed: 1)
        script.readiness = 1
        script.append(Sounds.speech(27)[...], pieces: 1600...1600)
        #expect(script.results.last?.text.contains(" ") == translates)
    }

    @Test("stopping in the middle of a word loses nothing")
    func finishesLastUtterance() throws {
        var script = try LiveScript(.init(language: "en"), seed: 2)
        script.append((Sounds.pause(1) + Sounds.speech(2.03))[...], pieces: 100...3000)
        script.finish()
        #expect(script.finals.count == 1)
        #expect(script.finals.first.map { $0.range.upperBound > .milliseconds(2950) } == true)
    }

    @Test("after cancelling nothing is delivered, whatever still ends", arguments: 0..<8)
    func cancels(seed: Int) throws {
        var script = try LiveScript(.live, seed: UInt64(seed))
        script.readiness = 0.1
        script.append(Self.sound[..<(60_000 + seed * 40_000)], pieces: 100...9000)
        let count = script.results.count
        script.machine.cancel()
        script.act()
        script.report()
        script.machine.append(Self.sound)
        script.machine.finish()
        script.act()
        #expect(script.results.count == count)
        #expect(script.isFinished)
    }

    @Test("an utterance without text leaves nothing on the screen")
    func clearsVolatileText() throws {
        var machine = try TranscriptionMachine(
            .init(language: "en"), languages: ["en"], activity: EnergyVoiceActivity(), live: true)
        var shown: [TranscriptionResult] = []
        var passes = 0
        machine.append(Sounds.pause(1) + Sounds.speech(2))
        for round in 0..<2 {
            loop: while true {
                switch machine.next() {
                case .recognize(let request, let job):
                    passes += 1
                    let text = request.timestamps == .none ? "maybe" : ""
                    machine.recognized(
                        Recognition(text: text, segments: [], consumed: request.audio.duration, language: "en"), by: job
                    )
                case .deliver(let result): shown.append(result)
                default: break loop
                }
            }
            if round == 0 { machine.append(Sounds.pause(2)) }
        }
        #expect(passes >= 2)
        #expect(shown.map(\.text) == ["maybe", ""])
        #expect(shown.allSatisfy { !$0.isFinal })
    }
}

@Suite("Live transcriptions", .timeLimit(.minutes(15)))
struct LiveSessionTests {
    @Test("the stream has the results and ends with the sound")
    func streams() async throws {
        let recognizer = ScriptedRecognizer()
        let model = SpeechModel(recognizer: recognizer)
        let source = try ChunkedSound(Sounds.pause(1) + Sounds.speech(2) + Sounds.pause(1) + Sounds.speech(2))
        var finals: [TranscriptionResult] = []
        for try await result in model.transcriptions(of: source.chunks()) where result.isFinal { finals.append(result) }
        var expected: [TranscriptionResult] = []
        _ = try await model.transcribe(source, options: .live, onResult: { expected.append($0) })
        #expect(finals == expected)
        #expect(finals.count == 2)
    }

    @Test("an error of the microphone or the recogniser ends the stream")
    func fails() async throws {
        let broken = AsyncThrowingStream<AudioSamples, any Error> { throw AudioError(.microphoneDenied, "No.") }
        let model = SpeechModel(recognizer: ScriptedRecognizer())
        let error = await #expect(throws: SpeechError.self) {
            for try await _ in model.transcriptions(of: broken) {}
        }
        #expect(error?.code == .microphoneDenied)
        let failing = SpeechModel(
            recognizer: ScriptedRecognizer { _ in throw SpeechError(.transcriptionFailed, "It failed.") })
        let source = try ChunkedSound(Sounds.speech(3))
        let other = await #expect(throws: SpeechError.self) {
            for try await _ in failing.transcriptions(of: source.chunks()) {}
        }
        #expect(other?.code == .transcriptionFailed)
    }

    @Test("cancelling ends the recognition that runs")
    func cancels() async throws {
        let recognizer = StuckRecognizer()
        let model = SpeechModel(recognizer: recognizer)
        let source = try ChunkedSound(Sounds.speech(5))
        let task = Task {
            var count = 0
            for try await _ in model.transcriptions(of: source.chunks(), options: .init(language: "en")) { count += 1 }
            return count
        }
        await recognizer.began.first { _ in true }
        task.cancel()
        #expect(try await task.value == 0)
        await recognizer.ended.first { _ in true }
    }
}

/// Never ends by itself.
private final class StuckRecognizer: SpeechRecognizer {
    let languages = ["en"]
    let began: AsyncStream<Void>
    let ended: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private let end: AsyncStream<Void>.Continuation

    init() {
        (began, begin) = AsyncStream.makeStream(of: Void.self)
        (ended, end) = AsyncStream.makeStream(of: Void.self)
    }

    func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) { ("en", 1) }

    func recognize(_ request: RecognitionRequest) async throws -> Recognition {
        begin.yield()
        defer { end.yield() }
        try await Task.sleep(for: .seconds(3600))
        throw CancellationError()
    }
}
