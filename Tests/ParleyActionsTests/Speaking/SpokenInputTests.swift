// SPDX-License-Identifier: Apache-2.0

import ParleyActions
import ParleyAssistant
import ParleyAudio
import ParleySpeech
import ParleyTesting
import Synchronization
import Testing

/// Hears the same words in every sound.
private final class SameWords: SpeechRecognizer {
    let languages = ["en"]

    func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) { ("en", 1) }

    func recognize(_ request: RecognitionRequest) async throws -> Recognition {
        Recognition(
            text: "Call Anna", segments: [TranscriptionSegment(text: "Call Anna", range: request.speech)], tokens: [1],
            consumed: request.audio.duration, language: "en")
    }
}

/// A microphone before which somebody speaks for two seconds, and which is then silent for ever.
private final class Room: AudioSource {
    private let spoken: Double
    private let closings = Atomic(0)

    init(spoken: Double = 2) { self.spoken = spoken }

    var isClosed: Bool { closings.load(ordering: .relaxed) > 0 }

    func chunks() -> AsyncThrowingStream<AudioSamples, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: AudioSamples.self)
        continuation.onTermination = { [self] _ in closings.add(1, ordering: .relaxed) }
        let samples = (0..<Int((1 + spoken) * 16_000)).map { index -> Float in
            let syllable = index > 16_000 && index % 3_200 < 2_400
            return (syllable ? 0.3 : 0.0003) * Float(index * 7_919 % 1_000 - 500) / 500
        }
        for start in stride(from: 0, to: samples.count, by: 1_600) {
            continuation.yield(AudioSamples(samples: Array(samples[start..<min(samples.count, start + 1_600)])))
        }
        return stream
    }
}

@Suite("Speech as the input of a chat", .timeLimit(.minutes(15)))
struct SpokenInputTests {
    private let model = SpeechModel(recognizer: SameWords())

    @Test("what is said comes as it is understood, and whole when the recording is ended")
    func records() async throws {
        let room = Room()
        let input = SpokenInput { [model] in Dictation(model, source: room) }
        var events: [SpeechEvent] = []
        for try await event in input.record() {
            events.append(event)
            if case .partial = event { await input.finish() }
        }
        #expect(events.first == .partial("Call Anna") && events.last == .transcript("Call Anna"))
        #expect(events.contains(.transcribing))
    }

    @Test("what was ended before it began is too short; a model that is missing is told")
    func fails() async throws {
        let input = SpokenInput { [model] in Dictation(model, source: Room(spoken: 0)) }
        let stream = input.record()
        await input.finish()
        let error = await #expect(throws: SpeechError.self) { for try await _ in stream {} }
        #expect(error.map { [.tooShort, .nothingHeard].contains($0.code) } == true)
        let none = SpokenInput { throw SpeechFailure.noModel }
        await #expect(throws: SpeechFailure.noModel) { for try await _ in none.record() {} }
    }

    @Test("a recording in whose place another one comes while its model loads does not begin")
    func replaced() async throws {
        let gate = Gate()
        // It ends when it is loaded, whoever waits for it.
        let loading = Task { try await gate.wait() }
        let input = SpokenInput { [model] in
            try await loading.value
            return Dictation(model, source: Room())
        }
        let first = input.record()
        _ = input.record()
        gate.open()
        await #expect(throws: CancellationError.self) { for try await _ in first {} }
        await input.discard()
    }

    @Test("what is discarded closes the microphone, and so does the next recording")
    func discards() async throws {
        let rooms = [Room(), Room()]
        let next = Mutex(0)
        let input = SpokenInput { [model] in
            let room = next.withLock { number in
                defer { number += 1 }
                return rooms[min(number, 1)]
            }
            return Dictation(model, source: room)
        }
        let first = input.record()
        for try await event in first {
            if case .partial = event { break }
        }
        await input.discard()
        while !rooms[0].isClosed { await Task.yield() }
        let second = input.record()
        for try await event in second {
            if case .partial = event { break }
        }
        _ = input.record()
        while !rooms[1].isClosed { await Task.yield() }
        await input.discard()
    }
}
