// SPDX-License-Identifier: Apache-2.0

import ParleyAudio
import ParleySpeech
import Synchronization
import Testing

/// A microphone before which a sound is played; silent when it has ended, and never over.
private final class Tape: AudioSource {
    private let pieces: [AudioSamples]
    private let goesOn: Bool
    private let closed = Atomic(false)

    /// Whether nobody listens any more.
    var isClosed: Bool { closed.load(ordering: .relaxed) }

    init(_ samples: [Float], step: Int = 1600, goesOn: Bool = false) {
        pieces = stride(from: 0, to: samples.count, by: step).map { start in
            AudioSamples(samples: Array(samples[start..<min(samples.count, start + step)]))
        }
        self.goesOn = goesOn
    }

    func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: AudioSamples.self)
        continuation.onTermination = { [self] _ in closed.store(true, ordering: .relaxed) }
        for piece in pieces { continuation.yield(piece) }
        if !goesOn { continuation.finish() }
        return stream
    }
}

@Suite("A spoken message", .timeLimit(.minutes(15)))
struct DictationTests {
    private static let model = SpeechModel(
        recognizer: ScriptedRecognizer(rule: { request in
            Recognition(
                text: "Call Anna", segments: [TranscriptionSegment(text: "Call Anna", range: request.speech)],
                tokens: [7],
                consumed: request.audio.duration, language: request.language)
        }))

    private static func events(_ dictation: Dictation) async throws -> [DictationEvent] {
        var events: [DictationEvent] = []
        for try await event in dictation.events() { events.append(event) }
        return events
    }

    @Test(
        "it ends after a second and a half without speech, and is written down whole", arguments: [160, 1600, 40_000])
    func endsBySilence(step: Int) async throws {
        let recognizer = ScriptedRecognizer()
        let sound = Sounds.pause(0.6) + Sounds.speech(2) + Sounds.pause(0.9) + Sounds.speech(1) + Sounds.pause(20)
        let tape = Tape(sound, step: step, goesOn: true)
        let events = try await Self.events(Dictation(SpeechModel(recognizer: recognizer), source: tape))
        guard case .transcript(let text, let language) = events.last else { throw Missing() }
        #expect(events.contains(.transcribing) && language == "de")
        // Both parts, with what is kept around them, are one stretch: a pause of 0.9 s does not end the message.
        let last = try #require(recognizer.requests.last)
        #expect(text == ScriptedRecognizer.fingerprint(last).text)
        #expect(last.audio.duration > .seconds(4) && last.audio.duration < .seconds(4.6))
        #expect(tape.isClosed)
    }

    @Test("it ends by hand, with all that was said")
    func endsByHand() async throws {
        let dictation = Dictation(Self.model, source: Tape(Sounds.pause(0.6) + Sounds.speech(2), goesOn: true))
        var events: [DictationEvent] = []
        for try await event in dictation.events() {
            events.append(event)
            if case .words = event { dictation.finish() }
        }
        #expect(events.last == .transcript("Call Anna", language: "de"))
        #expect(events.firstIndex(of: .words("Call Anna")) == 0 && events.contains(.transcribing))
    }

    @Test("a translation has blanks between its parts, whatever language is spoken")
    func translates() async throws {
        let recognizer = ScriptedRecognizer(
            languages: ["ja"],
            rule: { request in
                Recognition(
                    text: "Call Anna", segments: [], consumed: request.audio.duration, language: request.language)
            })
        let dictation = Dictation(
            SpeechModel(recognizer: recognizer), source: Tape(Sounds.speech(40), goesOn: true),
            options: TranscriptionOptions(task: .translate))
        guard case .transcript(let text, _) = try await Self.events(dictation).last else { throw Missing() }
        #expect(text.hasPrefix("Call Anna Call Anna"))
    }

    @Test("it ends after thirty seconds, also while somebody speaks")
    func endsByLength() async throws {
        let recognizer = ScriptedRecognizer()
        let tape = Tape(Sounds.speech(40), goesOn: true)
        _ = try await Self.events(Dictation(SpeechModel(recognizer: recognizer), source: tape))
        var watch = DictationWatch(DictationRules(), activity: EnergyVoiceActivity())
        #expect(watch.append(Sounds.speech(40)) == 480_000 && watch.hasEnded && watch.duration == .seconds(30))
        #expect(tape.isClosed)
    }

    @Test("where nobody speaks nothing is heard, and too little speech is none")
    func refuses() async throws {
        let cases: [([Float], SpeechError.Code)] = [
            (Sounds.pause(40), .nothingHeard), (Sounds.pause(1), .nothingHeard), (Sounds.pause(0.2), .tooShort),
            ([], .tooShort),
            (Sounds.pause(1) + Sounds.speech(0.35) + Sounds.pause(2), .tooShort),
        ]
        for (sound, code) in cases {
            let recognizer = ScriptedRecognizer()
            let error = await #expect(throws: SpeechError.self) {
                try await Self.events(Dictation(SpeechModel(recognizer: recognizer), source: Tape(sound)))
            }
            #expect(error?.code == code)
        }
        let silent = SpeechModel(
            recognizer: ScriptedRecognizer(rule: { request in
                Recognition(
                    text: "", segments: [], tokens: [], consumed: request.audio.duration, language: request.language)
            }))
        let error = await #expect(throws: SpeechError.self) {
            try await Self.events(Dictation(silent, source: Tape(Sounds.pause(1) + Sounds.speech(2))))
        }
        #expect(error?.code == .nothingHeard)
    }

    @Test("a microphone that fails, and a model that fails, end it with their errors")
    func fails() async throws {
        struct Broken: AudioSource {
            func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
                AsyncThrowingStream { throw AudioError(.microphoneUnavailable, "No microphone.") }
            }
        }
        let error = await #expect(throws: SpeechError.self) {
            try await Self.events(Dictation(Self.model, source: Broken()))
        }
        #expect(error?.code == .microphoneUnavailable && error?.message == "No microphone.")
        let failing = SpeechModel(
            recognizer: ScriptedRecognizer(rule: { _ in throw SpeechError(.transcriptionFailed, "x") }))
        let tape = Tape(Sounds.pause(0.6) + Sounds.speech(3), goesOn: true)
        let other = await #expect(throws: SpeechError.self) { try await Self.events(Dictation(failing, source: tape)) }
        #expect(other?.code == .transcriptionFailed)
    }

    @Test("who stops listening to it closes the microphone")
    func forgets() async throws {
        let tape = Tape(Sounds.pause(0.6) + Sounds.speech(2), goesOn: true)
        let task = Task {
            for try await event in Dictation(Self.model, source: tape).events() {
                if case .words = event { return }
            }
        }
        try await task.value
        while !tape.isClosed { await Task.yield() }
    }

    private struct Missing: Error {}
}

@Suite("Interrupting what is read aloud", .timeLimit(.minutes(15)))
struct InterruptionTests {
    /// After how many seconds a sound interrupts.
    private static func time(_ sound: [Float], step: Int = 1600) -> Double? {
        var watch = InterruptionWatch()
        for start in stride(from: 0, to: sound.count, by: step) {
            if watch.append(Array(sound[start..<min(sound.count, start + step)])) {
                return Double(start + step) / 16_000
            }
        }
        return nil
    }

    @Test("silence and the machine's own voice do not, however loud")
    func hearsItself() {
        #expect(Self.time(Sounds.pause(20)) == nil)
        for level: Float in [0.01, 0.1, 0.5] { #expect(Self.time(Sounds.speech(20, level: level)) == nil) }
    }

    @Test("who speaks does, within half a second, in a silent room and over a quiet loudspeaker")
    func hearsUser() throws {
        let silent = try #require(Self.time(Sounds.pause(3) + Sounds.speech(2)))
        #expect(silent > 3 && silent <= 3.5)
        let over = try #require(Self.time(Sounds.speech(3, level: 0.05) + Sounds.speech(2, level: 0.3, seed: 5)))
        #expect(over > 3 && over <= 3.5)
    }

    @Test("a short noise does not")
    func ignoresClaps() {
        let clap = Sounds.speech(0.15, level: 0.5)
        #expect(Self.time(Sounds.pause(2) + clap + Sounds.pause(2) + clap + Sounds.pause(2)) == nil)
    }

    @Test("its first words belong to what is said")
    func keepsFirstWords() async throws {
        let sound = Sounds.pause(3) + Sounds.speech(3)
        let found = try await Interruption.wait(on: Tape(sound))
        let heard = try #require(found)
        var samples: [Float] = []
        for try await piece in heard.chunks() { samples += piece.samples }
        #expect(samples.count >= 16_000 * 3 && Array(sound.suffix(samples.count)) == samples)
        let none = try await Interruption.wait(on: Tape(Sounds.pause(3)))
        #expect(none == nil)
    }
}
